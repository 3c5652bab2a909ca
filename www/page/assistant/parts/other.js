import { element, showText } from '../dom.js';
import { STRINGS } from '../strings.js';
import { JsonDetails } from './json.js';

/** A part of a kind that this version has no view for: its name, and its content as JSON. */
export class OtherView {
  #name = element('span', { class: 'card-title' });
  #json = new JsonDetails(STRINGS.data);
  element = element('div', { class: 'card' }, this.#name, this.#json.element);

  /** @param {{ type: string }} part */
  update(part) {
    showText(this.#name, part.type);
    this.#json.set(part);
  }
}
