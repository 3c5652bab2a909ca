import { randomBytes } from 'node:crypto';

import Database from 'better-sqlite3';

/** @typedef {import('better-sqlite3').Database} Connection */

/** Messages are kept as the JSON text that they came in: a value is never spelled anew. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS executions (
  sequence INTEGER PRIMARY KEY,
  chat_id TEXT NOT NULL,
  tool_call_id TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  input TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS documents (
  chat_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (chat_id, version)
) STRICT;
CREATE TABLE IF NOT EXISTS threads (
  id TEXT PRIMARY KEY,
  updated_at INTEGER NOT NULL,
  run_id TEXT,
  run_message_id TEXT,
  run_beat INTEGER
) STRICT;
CREATE TABLE IF NOT EXISTS messages (
  thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  id TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (thread_id, position),
  UNIQUE (thread_id, id)
) STRICT;
`;

/**
 * Opens the server's database, and makes it if it is not there.
 *
 * @param {string} file `:memory:` for one that is gone with the process
 * @returns {Connection}
 * @throws when the file cannot be opened
 */
export function openDatabase(file) {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('foreign_keys = ON');
  database.exec(SCHEMA);
  return database;
}

/**
 * The secret that approval requests are signed with, made once: what was signed before a restart can be answered after
 * it.
 *
 * @param {Connection} database
 * @returns {string}
 */
export function approvalSecretOf(database) {
  const made = randomBytes(32).toString('base64url');
  database.prepare("INSERT OR IGNORE INTO settings VALUES ('approval_secret', ?)").run(made);
  return database.prepare("SELECT value FROM settings WHERE name = 'approval_secret'").pluck().get();
}
