// Reads the message of one response from its chunks. Each state is a value of its own, and what did
// not change in it is the same object as before.

import { View } from "./view.js";
import { decodeWtf8 } from "./wtf8.js";

// What a chunk did, as src/web/tools.rs numbers it.
const WRITTEN = 1;
const ERROR = 2;
const ABORTED = 3;

/** @import { MessageReaderCore } from "../../pkg/wasm/core/chatwire.js" */
/** @import { Message } from "./view.js" */
/**
 * What a chunk brought: a new state of the message, words of the server about an error, the end.
 * @typedef {{ message?: Message | undefined, error?: string, isEnd?: boolean }} Progress
 */

export class MessageReader {
  #core;
  #view;

  /**
   * @param {MessageReaderCore} core
   * @param {boolean} freezes whether what is handed out is frozen, for development
   * @param {WeakMap<object, string>} texts receives the exact JSON text behind each object
   */
  constructor(core, freezes, texts) {
    this.#core = core;
    this.#view = new View(freezes, texts);
  }

  /**
   * Throws the JSON text of an error.
   *
   * @param {string} chunk its JSON text
   * @returns {Progress}
   */
  read(chunk) {
    switch (this.#core.read(chunk)) {
      case WRITTEN:
        return { message: this.#message() };
      case ERROR:
        return { error: JSON.parse(this.#core.detail()) };
      case ABORTED:
        return { message: this.#message(), isEnd: true };
      default:
        return {};
    }
  }

  #message() {
    const ops = this.#core.takeChanges();
    this.#view.apply(ops, decodeWtf8(this.#core.takeArena()));
    return this.#view.message(this.#core.key());
  }

  /** Gives its memory back. What was handed out stays. */
  free() {
    this.#core.free();
  }
}
