// The same play with both clients, for tests that say what each of them makes of it.

import { Side } from "./side.mjs";

/**
 * @template T
 * @param {import("./side.mjs").SideOptions} options
 * @param {(side: Side) => Promise<T>} play
 * @returns {Promise<{ peer: T, chatwire: T }>}
 */
export async function both(options, play) {
  const results = {};
  for (const client of ["peer", "chatwire"]) {
    const side = new Side(client, options);
    results[client] = await play(side);
    await side.end();
  }
  return results;
}

/** The chunks that the tests are made of. */
export const S = { type: "start-step" };
export const start = (messageId) => ({ type: "start", messageId });
export const ts = (id = "t") => ({ type: "text-start", id });
export const td = (delta, id = "t") => ({ type: "text-delta", id, delta });
export const te = (id = "t") => ({ type: "text-end", id });
export const tis = (toolCallId = "c", more = {}) => ({
  type: "tool-input-start",
  toolCallId,
  toolName: "x",
  ...more,
});
export const tid = (inputTextDelta, toolCallId = "c") => ({
  type: "tool-input-delta",
  toolCallId,
  inputTextDelta,
});
export const tia = (toolCallId = "c", more = {}) => ({
  type: "tool-input-available",
  toolCallId,
  toolName: "x",
  input: { a: 1 },
  ...more,
});
export const toa = (toolCallId = "c", more = {}) => ({
  type: "tool-output-available",
  toolCallId,
  output: { b: 2 },
  ...more,
});
export const approval = (toolCallId = "c", more = {}) => ({
  type: "tool-approval-request",
  toolCallId,
  approvalId: `approval-of-${toolCallId}`,
  ...more,
});
export const data = (id, value = 1, more = {}) => ({ type: "data-x", id, data: value, ...more });

export const user = (id, text = "Hi") => ({ id, role: "user", parts: [{ type: "text", text }] });
export const assistant = (id, ...parts) => ({ id, role: "assistant", parts });

/** The texts of a message's parts, or what they are. */
export function texts(message) {
  return message.parts.map((part) => part.text ?? part.type);
}

/** The ids of the messages. */
export function ids(side) {
  return side.shown.messages.map(({ id }) => id);
}

/** The entries of one kind in what callbacks heard: `toolCall`, `data`, `finish`, `error`, `status`. */
export function heard(side, kind) {
  return side.takeLog().flatMap((entry) => (kind in entry ? [entry[kind]] : []));
}
