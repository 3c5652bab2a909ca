/** @import { ReasoningUIPart } from 'chatwire' */
import { element, showText } from '../dom.js';
import { STRINGS } from '../strings.js';
import { GrowingText } from './growing-text.js';

/** The model's reasoning, folded away. */
export class ReasoningView {
  #summary = element('summary');
  #content = element('div', { class: 'text', dir: 'auto' });
  #text = new GrowingText(this.#content);
  element = element('details', { class: 'reasoning' }, this.#summary, this.#content);

  /**
   * @param {ReasoningUIPart} part
   * @param {{ live: boolean }} state
   */
  update({ text, state }, { live }) {
    showText(this.#summary, live && state === 'streaming' ? STRINGS.thinking : STRINGS.reasoning);
    this.#text.set(text);
  }
}
