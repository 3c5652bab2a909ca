import { element, showText } from '../dom.js';

/**
 * A form in which a person decides something once: its controls are off from the moment of the decision, and come
 * back only when it was refused.
 */
export class DecisionForm {
  #controls;
  #error = element('p', { class: 'error', role: 'alert', hidden: true });
  element;

  /** @param {...(Node | string)} content */
  constructor(...content) {
    this.#controls = element('fieldset', { class: 'controls' }, ...content);
    this.element = element('form', { class: 'decision' }, this.#controls, this.#error);
    this.element.addEventListener('submit', event => event.preventDefault());
  }

  /** @param {() => Promise<void>} decide */
  async run(decide) {
    if (this.#controls.disabled) return;
    this.#controls.disabled = true;
    showText(this.#error, '');
    try {
      await decide();
    } catch (error) {
      showText(this.#error, error instanceof Error ? error.message : String(error));
      this.#controls.disabled = false;
    }
  }
}
