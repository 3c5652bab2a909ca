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
  #database;

  /** @param {import('./database.mjs').Connection} database */
  constructor(database) {
    this.#database = database;
  }

  /** @param {Omit<Execution, 'sequence'>} execution */
  append({ chatId, toolCallId, toolName, input }) {
    this.#database
      .prepare('INSERT INTO executions (chat_id, tool_call_id, tool_name, input) VALUES (?, ?, ?, ?)')
      .run(chatId, toolCallId, toolName, JSON.stringify(input));
  }

  /** @returns {readonly Execution[]} */
  get entries() {
    const columns = 'sequence, chat_id AS chatId, tool_call_id AS toolCallId, tool_name AS toolName, input';
    const rows = this.#database.prepare(`SELECT ${columns} FROM executions ORDER BY sequence`).all();
    return rows.map(row => ({ ...row, input: JSON.parse(row.input) }));
  }

  clear() {
    this.#database.exec('DELETE FROM executions');
  }
}
