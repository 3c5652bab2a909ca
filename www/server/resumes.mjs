import jsonPatch from 'fast-json-patch';

/** How many résumés are kept; beyond, the one created first is forgotten and starts anew. */
const MAX_RESUMES = 200;

const INITIAL_RESUME = Object.freeze({
  name: 'Zoë Ångström',
  title: 'Software engineer',
  summary: 'Builds web applications.',
  years: 7.5,
  skills: ['TypeScript', 'Rust'],
});

/** @typedef {{ op: 'add' | 'replace' | 'test', path: string, value: unknown } | { op: 'remove', path: string }} PatchOperation */

/** One résumé per chat, which the approved patches change. */
export class Resumes {
  /** @type {Map<string, object>} */
  #byChat = new Map();

  /**
   * Applies a JSON Patch (RFC 6902), whole or not at all.
   *
   * @param {string} chatId
   * @param {PatchOperation[]} patch
   * @returns {object} the résumé after the patch
   * @throws when an operation does not fit the résumé; the message names it
   */
  applyPatch(chatId, patch) {
    const current = this.#byChat.get(chatId) ?? INITIAL_RESUME;
    let changed;
    try {
      changed = jsonPatch.applyPatch(structuredClone(current), structuredClone(patch), true).newDocument;
    } catch (error) {
      // The library's own message repeats the whole document; the reader needs the operation.
      if (!(error instanceof jsonPatch.JsonPatchError)) throw error;
      throw new Error(`The patch does not fit the résumé at ${JSON.stringify(error.operation)}.`);
    }
    this.#byChat.set(chatId, changed);
    if (this.#byChat.size > MAX_RESUMES) {
      const [oldest] = this.#byChat.keys();
      this.#byChat.delete(oldest);
    }
    return changed;
  }
}
