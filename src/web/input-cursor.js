// The value of a tool input that is still arriving, changed along its open path only.

/** @import { ChangeReader } from "./view.js" */

// The codes of `PartialOp` in src/json/partial.rs; a test compares them.
const CLEAR = 1;
const KEY = 2;
const ITEM = 3;
const OPEN_OBJECT = 4;
const OPEN_ARRAY = 5;
const CLOSE = 6;
const STRING = 7;
const APPEND = 8;
const NUMBER = 9;
const TRUE = 10;
const FALSE = 11;
const NULL = 12;

/** @typedef {Record<string | number, unknown>} Container */

export class InputCursor {
  /** @type {unknown} */
  #root = undefined;
  /** Open containers, the root first. @type {Container[]} */
  #path = [];
  /** Where the next value goes: a key or an index for each open container. @type {(string | number)[]} */
  #slots = [];
  /** Whether the open containers were handed out, so that they must not change. */
  #isShared = false;
  /** Whether the last changes brought a key again, so that they may come to nothing. */
  repeatsKeys = false;

  /** The value so far, which shares with the one before the last changes what they left. */
  get value() {
    return this.#root;
  }

  /**
   * Applies `count` operations and gives the value.
   *
   * @param {ChangeReader} reader
   * @param {number} count
   */
  apply(reader, count) {
    this.#isShared = true;
    this.repeatsKeys = false;
    for (; count > 0; count--) {
      const word = reader.next();
      const text = word >>> 4 === 0 ? "" : reader.text(word >>> 4);
      switch (word & 15) {
        case CLEAR:
          this.#root = undefined;
          this.#path = [];
          this.#slots = [];
          break;
        case KEY:
          this.#slots[this.#slots.length - 1] = text;
          this.repeatsKeys ||= Object.hasOwn(this.#top(), text);
          break;
        case ITEM:
          this.#slots[this.#slots.length - 1] = /** @type {unknown[]} */ (/** @type {unknown} */ (this.#top())).length;
          break;
        case OPEN_OBJECT:
          this.#open({});
          break;
        case OPEN_ARRAY:
          this.#open(/** @type {Container} */ (/** @type {unknown} */ ([])));
          break;
        case CLOSE:
          this.#path.pop();
          this.#slots.pop();
          break;
        case STRING:
          this.#set(text);
          break;
        case APPEND:
          this.#set(/** @type {string} */ (this.#get()) + text);
          break;
        case NUMBER:
          this.#set(Number(text));
          break;
        case TRUE:
          this.#set(true);
          break;
        case FALSE:
          this.#set(false);
          break;
        case NULL:
          this.#set(null);
          break;
        default:
          throw new Error(`unknown change ${word & 15}`);
      }
    }
    return this.#root;
  }

  /** Replaces open containers that were handed out by copies that may change. */
  #copyPath() {
    if (!this.#isShared) return;
    this.#isShared = false;
    this.#path.forEach((container, depth) => {
      const copy = /** @type {Container} */ (
        Array.isArray(container) ? container.slice() : { ...container }
      );
      this.#path[depth] = copy;
      const parent = this.#path[depth - 1];
      if (parent) parent[/** @type {string | number} */ (this.#slots[depth - 1])] = copy;
      else this.#root = copy;
    });
  }

  #top() {
    return /** @type {Container} */ (this.#path[this.#path.length - 1]);
  }

  #get() {
    if (this.#path.length === 0) return this.#root;
    return this.#top()[/** @type {string | number} */ (this.#slots[this.#slots.length - 1])];
  }

  /** @param {unknown} value */
  #set(value) {
    // A number may go on without becoming another one: 1, 1.0
    if (Object.is(this.#get(), value)) return;
    this.#copyPath();
    if (this.#path.length === 0) this.#root = value;
    else this.#top()[/** @type {string | number} */ (this.#slots[this.#slots.length - 1])] = value;
  }

  /** @param {Container} container */
  #open(container) {
    this.#set(container);
    this.#path.push(container);
    this.#slots.push("");
  }
}
