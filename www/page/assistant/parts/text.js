/** @import { TextUIPart } from 'chatwire' */
import { element } from '../dom.js';
import { GrowingText } from './growing-text.js';

/** Text, as it was written. */
export class TextView {
  element = element('div', { class: 'text', dir: 'auto' });
  #text = new GrowingText(this.element);

  /** @param {TextUIPart} part */
  update({ text }) {
    this.#text.set(text);
    this.element.hidden = text === '';
  }
}
