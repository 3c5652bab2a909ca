import { element } from '../dom.js';

/**
 * Characters that are not seen, or that change the order of those around them. Shown as escapes, so that a person who
 * decides on a value sees all of it.
 */
const INVISIBLE = /[\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu;

/** A JSON value, folded away. It is written out only while it is open, however often it changes. */
export class JsonDetails {
  #code = element('code');
  /** @type {unknown} */
  #value;
  #isWritten = true;

  /** @param {string} label */
  constructor(label) {
    this.element = element(
      'details',
      { class: 'json', hidden: true },
      element('summary', {}, label),
      element('pre', { dir: 'ltr' }, this.#code),
    );
    this.element.addEventListener('toggle', () => this.#write());
  }

  /** @param {unknown} value undefined hides the element */
  set(value) {
    if (value === this.#value) return;
    this.#value = value;
    this.#isWritten = false;
    this.element.hidden = value === undefined;
    this.#write();
  }

  #write() {
    if (this.#isWritten || !this.element.open) return;
    this.#code.textContent = jsonText(this.#value);
    this.#isWritten = true;
  }
}

/** JSON for reading. @param {unknown} value */
export function jsonText(value) {
  return JSON.stringify(value, undefined, 2).replace(INVISIBLE, escapeOf);
}

/** @param {string} character */
function escapeOf(character) {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
