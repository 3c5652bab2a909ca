// The calls of one chat into the core. A trap ends the instance for all its chats.

/** @import { ChatCore } from "../../pkg/wasm/core/chatwire.js" */
/** @import { Host } from "./host.js" */
/**
 * What the core is told: the name of a command or event, and JSON texts.
 * @typedef {{ do: string, [member: string]: string | undefined }} Action
 */

export class CoreLink {
  #core;
  #memory;
  #host;
  #bytes = new Uint8Array(0);
  #isDead = false;

  /**
   * @param {ChatCore} core
   * @param {WebAssembly.Memory} memory
   * @param {Pick<Host, "makeError" | "onCrash">} host
   */
  constructor(core, memory, host) {
    this.#core = core;
    this.#memory = memory;
    this.#host = host;
  }

  /** Whether the memory was given back, or the instance is lost: the core must not be called. */
  get isDead() {
    return this.#isDead;
  }

  /** All of the memory. Made anew when the memory has grown. */
  get bytes() {
    if (this.#bytes.buffer !== this.#memory.buffer) this.#bytes = new Uint8Array(this.#memory.buffer);
    return this.#bytes;
  }

  /**
   * @template T
   * @param {(core: ChatCore) => T} call
   * @returns {T}
   */
  call(call) {
    if (this.#isDead) {
      throw this.#host.makeError({ code: "disposed", message: "The chat was disposed." });
    }
    try {
      return call(this.#core);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw this.#host.onCrash(error);
      throw error;
    }
  }

  /** @param {Action} action @returns what the core answers; its meaning depends on the action */
  tell(action) {
    return this.call((core) => core.tell(Date.now(), actionText(action)));
  }

  /**
   * @param {number} request
   * @param {Uint8Array} bytes
   * @param {boolean} areChunks
   * @returns how many events were applied
   */
  feed(request, bytes, areChunks) {
    return this.call((core) => {
      const pointer = core.reserve(bytes.length);
      this.bytes.set(bytes, pointer);
      return core.feed(Date.now(), request, bytes.length, areChunks);
    });
  }

  /** Gives the chat's memory back. */
  free() {
    this.#isDead = true;
    this.#core.free();
  }

  /** The instance is lost: nothing may call it again. */
  abandon() {
    this.#isDead = true;
  }
}

/** @param {Action} action */
function actionText({ do: name, ...members }) {
  let text = `{"do":"${name}"`;
  for (const [member, json] of Object.entries(members)) {
    if (json !== undefined) text += `,"${member}":${json}`;
  }
  return `${text}}`;
}

/** @param {string | undefined} text */
export function quoted(text) {
  return text === undefined ? undefined : JSON.stringify(text);
}
