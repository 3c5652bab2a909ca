/** Length of a text node, in UTF-16 units, beyond which a new one is begun. Appending to a node copies its text. */
const NODE_LENGTH = 4000;

/** Text that mostly grows at its end: what is shown already stays untouched, so selections and layout survive. */
export class GrowingText {
  #container;
  #shown = '';
  #end = new Text();

  /** @param {HTMLElement} container its content is this text alone */
  constructor(container) {
    this.#container = container;
  }

  /** @param {string} text the whole text */
  set(text) {
    if (text.startsWith(this.#shown)) {
      this.#append(text.slice(this.#shown.length));
    } else {
      this.#container.replaceChildren();
      this.#end = new Text();
      this.#append(text);
    }
    this.#shown = text;
  }

  /** @param {string} added */
  #append(added) {
    if (added === '') return;
    if (this.#end.length > NODE_LENGTH && !startsInsideCharacter(added)) this.#end = new Text();
    this.#end.appendData(added);
    if (this.#end.parentNode === null) this.#container.append(this.#end);
  }
}

/** Whether a text begins with the second half of a surrogate pair. @param {string} text */
function startsInsideCharacter(text) {
  return /^[\uDC00-\uDFFF]/.test(text);
}
