import jsonPatch from 'fast-json-patch';

import { RequestError } from './http.mjs';

const INITIAL_RESUME = Object.freeze({
  name: 'Zoë Ångström',
  title: 'Software engineer',
  summary: 'Builds web applications.',
  years: 7.5,
  skills: ['TypeScript', 'Rust'],
});

/** @typedef {{ op: 'add' | 'replace' | 'test', path: string, value: unknown } | { op: 'remove', path: string }} PatchOperation */

/**
 * One résumé per chat, with every version that it has had. Version 0 is the one that each chat begins with.
 */
export class Resumes {
  #database;

  /** @param {import('./database.mjs').Connection} database */
  constructor(database) {
    this.#database = database;
  }

  /**
   * @param {string} chatId
   * @param {number} [version] default: the newest
   * @returns {{ version: number, document: object }}
   * @throws {RequestError} 404 when it never had this version
   */
  read(chatId, version) {
    const row = this.#database
      .prepare(
        `SELECT version, document FROM documents WHERE chat_id = ? AND version = coalesce(?, version)
         ORDER BY version DESC LIMIT 1`,
      )
      .get(chatId, version ?? null);
    if (row !== undefined) return { version: row.version, document: JSON.parse(row.document) };
    if (version) throw new RequestError(404, 'unknown_version', `The résumé has no version ${version}.`);
    return { version: 0, document: INITIAL_RESUME };
  }

  /**
   * Makes a new version.
   *
   * @param {string} chatId
   * @param {object} document
   * @returns {number} its version
   */
  write(chatId, document) {
    const version = this.read(chatId).version + 1;
    this.#database.prepare('INSERT INTO documents VALUES (?, ?, ?)').run(chatId, version, JSON.stringify(document));
    return version;
  }

  /**
   * Applies a JSON Patch (RFC 6902), whole or not at all.
   *
   * @param {string} chatId
   * @param {PatchOperation[]} patch
   * @returns {object} the résumé after the patch
   * @throws when an operation does not fit the résumé; the message names it
   */
  applyPatch(chatId, patch) {
    const { document } = this.read(chatId);
    let changed;
    try {
      changed = jsonPatch.applyPatch(structuredClone(document), structuredClone(patch), true).newDocument;
    } catch (error) {
      // The library's own message repeats the whole document; the reader needs the operation.
      if (!(error instanceof jsonPatch.JsonPatchError)) throw error;
      throw new Error(`The patch does not fit the résumé at ${JSON.stringify(error.operation)}.`);
    }
    this.write(chatId, changed);
    return changed;
  }

  /** @param {string} chatId */
  delete(chatId) {
    this.#database.prepare('DELETE FROM documents WHERE chat_id = ?').run(chatId);
  }
}
