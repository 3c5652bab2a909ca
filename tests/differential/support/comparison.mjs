// What is compared, and what is said when it is not the same.

import assert from "node:assert/strict";
import { pathsOfDifferences } from "./json.mjs";
import { listedDifferences } from "./list.mjs";

/** The clients differ where they must not. */
export class Mismatch extends Error {
  constructor(what, expected, actual, context) {
    super(`${what}\n${context}\n${pathsOfDifferences(expected, actual).slice(0, 9).join("\n")}`);
    this.name = "Mismatch";
  }
}

/** Counts faults at which both clients fail alike. */
export const AGREED = "none";

/** How often each difference occurred, by its number in tests/differences.md. */
export class Tally {
  #counts = new Map();

  add(id) {
    this.#counts.set(id, this.of(id) + 1);
  }

  of(id) {
    return this.#counts.get(id) ?? 0;
  }

  /** Fails unless each difference is listed, and each of these occurred at least 20 times. */
  check(ids) {
    const listed = listedDifferences();
    for (const id of this.#counts.keys())
      assert.ok(id === AGREED || listed.has(id), `difference ${id} is not listed`);
    for (const id of ids) assert.ok(this.of(id) >= 20, `difference ${id} occurred ${this.of(id)} times`);
  }

  toString() {
    const entries = [...this.#counts].sort(([first], [second]) => Number(first) - Number(second));
    return entries.map(([id, count]) => `${id}: ${count}`).join(", ") || "none";
  }
}

/** The messages without a step in which nothing has come yet (difference 20). */
export function withoutEmptyStep(messages) {
  return messages.map((message) => {
    const end = message.parts.findLastIndex(({ type }) => type !== "step-start") + 1;
    return end === message.parts.length ? message : { ...message, parts: message.parts.slice(0, end) };
  });
}

/**
 * What callbacks heard, without what only chatwire tells and without the wording of its own errors,
 * with the status before the callback that comes with it (difference 19) and without empty steps (20).
 *
 * @param {object[]} log
 * @param {(messages: object[]) => object[]} [adapt] when the response opened a message of its own
 */
export function comparableLog(log, adapt) {
  const entries = log.map((entry) => {
    if (entry.finish) {
      const { outcome, reason, usage, ...finish } = entry.finish;
      const messages = withoutEmptyStep(adapt?.(finish.messages) ?? finish.messages);
      const [message] = adapt ? messages.slice(-1) : withoutEmptyStep([finish.message]);
      return { finish: { ...finish, messages, message } };
    }
    if (entry.error?.name.startsWith("AI_")) return { error: { name: entry.error.name } };
    return entry;
  });
  for (let at = 0; at + 1 < entries.length; at++) {
    const [entry, next] = entries.slice(at, at + 2);
    if ((entry.error && next.status === "error") || (entry.data && next.status === "streaming")) {
      entries.splice(at++, 2, next, entry);
    }
  }
  return entries;
}
