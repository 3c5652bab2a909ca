import { randomUUID } from 'node:crypto';

/**
 * A run that holds a thread: only it may write the thread's answer.
 *
 * @typedef {object} ThreadRun
 * @property {string} runId
 * @property {string} messageId the answer that it writes
 */

/**
 * The conversations, each message as its exact JSON text. A thread has at most one run at a time; a run says every
 * now and then that it is alive, and one that has not for too long is dead.
 */
export class Threads {
  #database;
  #staleMs;
  #now;

  /**
   * @param {import('./database.mjs').Connection} database
   * @param {{ staleMs: number, now?: () => number }} options after how long without a sign a run is dead, in
   *   milliseconds
   */
  constructor(database, { staleMs, now = Date.now }) {
    this.#database = database;
    this.#staleMs = staleMs;
    this.#now = now;
  }

  /** The threads, the one that was used last first. @returns {{ id: string, updatedAt: number }[]} */
  list() {
    return this.#database.prepare('SELECT id, updated_at AS updatedAt FROM threads ORDER BY updated_at DESC, id').all();
  }

  /** The texts of a thread's messages, in order; none of a thread that is not there. @param {string} id @returns {string[]} */
  messages(id) {
    return this.#database.prepare('SELECT message FROM messages WHERE thread_id = ? ORDER BY position').pluck().all(id);
  }

  /**
   * @param {string} id
   * @param {string} messageId
   * @returns {string | undefined} its text
   */
  message(id, messageId) {
    return this.#database.prepare('SELECT message FROM messages WHERE thread_id = ? AND id = ?').pluck().get(id, messageId);
  }

  /**
   * Puts a message in the place of the one with its id, or at the end.
   *
   * @param {string} id
   * @param {string} messageId
   * @param {string} text
   */
  put(id, messageId, text) {
    this.#touch(id);
    this.#database
      .prepare(
        `INSERT INTO messages
         VALUES (:id, (SELECT coalesce(max(position), 0) + 1 FROM messages WHERE thread_id = :id), :messageId, :text)
         ON CONFLICT (thread_id, id) DO UPDATE SET message = excluded.message`,
      )
      .run({ id, messageId, text });
  }

  /**
   * Deletes what follows a message, and with `inclusive` the message too.
   *
   * @param {string} id
   * @param {string} messageId
   * @param {{ inclusive?: boolean }} [options]
   */
  truncate(id, messageId, { inclusive = false } = {}) {
    this.#database
      .prepare(
        `DELETE FROM messages WHERE thread_id = :id
         AND position >= (SELECT position FROM messages WHERE thread_id = :id AND id = :messageId) + :offset`,
      )
      .run({ id, messageId, offset: inclusive ? 0 : 1 });
  }

  /** @param {string} id */
  delete(id) {
    this.#database.prepare('DELETE FROM threads WHERE id = ?').run(id);
  }

  /**
   * Claims a thread for a run.
   *
   * @param {string} id
   * @param {string} messageId the answer that the run writes
   * @returns {ThreadRun | undefined} undefined when a run holds the thread
   */
  claim(id, messageId) {
    const runId = randomUUID();
    this.#touch(id);
    const { changes } = this.#database
      .prepare('UPDATE threads SET run_id = ?, run_message_id = ?, run_beat = ? WHERE id = ? AND run_id IS NULL')
      .run(runId, messageId, this.#now(), id);
    return changes === 1 ? { runId, messageId } : undefined;
  }

  /**
   * Says that a run is alive.
   *
   * @param {ThreadRun} run
   * @returns {boolean} whether it still holds its thread
   */
  beat({ runId }) {
    return this.#database.prepare('UPDATE threads SET run_beat = ? WHERE run_id = ?').run(this.#now(), runId).changes === 1;
  }

  /** Gives the thread free. @param {ThreadRun} run */
  release({ runId }) {
    this.#database.prepare('UPDATE threads SET run_id = NULL, run_message_id = NULL WHERE run_id = ?').run(runId);
  }

  /** The run that holds a thread. @param {string} id @returns {ThreadRun | undefined} */
  running(id) {
    return this.#database
      .prepare('SELECT run_id AS runId, run_message_id AS messageId FROM threads WHERE id = ? AND run_id IS NOT NULL')
      .get(id);
  }

  /** The runs that are dead, with their threads. @returns {(ThreadRun & { threadId: string })[]} */
  stale() {
    return this.#database
      .prepare(
        `SELECT id AS threadId, run_id AS runId, run_message_id AS messageId FROM threads
         WHERE run_id IS NOT NULL AND run_beat < ?`,
      )
      .all(this.#now() - this.#staleMs);
  }

  /** @param {string} id */
  #touch(id) {
    this.#database
      .prepare(
        `INSERT INTO threads (id, updated_at) VALUES (?, ?)
         ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at`,
      )
      .run(id, this.#now());
  }
}
