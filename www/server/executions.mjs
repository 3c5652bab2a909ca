/**
 * @typedef {object} Execution
 * @property {number} sequence position in the log, from 1
 * @property {string} chatId
 * @property {string} toolCallId
 * @property {string} toolName
 * @property {unknown} input what the tool was run with
 */

/**
 * The record of every tool the server really ran, in order. A tool call that a client asks for twice is listed
 * twice: the log is the evidence, so nothing removes duplicates before it.
 */
export class ExecutionLog {
  /** @type {Execution[]} */
  #entries = [];
  #sequence = 0;

  /** @param {Omit<Execution, 'sequence'>} execution */
  append(execution) {
    this.#sequence += 1;
    this.#entries.push({ sequence: this.#sequence, ...execution });
  }

  /** @returns {readonly Execution[]} */
  get entries() {
    return this.#entries;
  }

  clear() {
    this.#entries = [];
    this.#sequence = 0;
  }
}
