// What must come of an event that the protocol does not allow, told from the event and the state of
// the stream before it.

import { isValidChunk, membersOf } from "./chunk-schema.mjs";

/**
 * @typedef {object} Ruling
 * @property {string | undefined} difference the number in tests/differences.md; none: both clients fail
 * @property {object[]} [repaired] the chunks of which the AI SDK's client makes what is right
 * @property {string} [warning] the code of what chatwire tells the app
 * @property {string} [error] the name of the error with which both fail
 * @property {{ reason?: string }} [abort] the response is ended by the server
 */

/**
 * @param {string} data of the event
 * @param {import("./stream-state.mjs").StreamState} state before it
 * @returns {Ruling}
 */
export function rulingOn(data, state) {
  let chunk;
  try {
    chunk = JSON.parse(data);
  } catch {
    return { error: "AI_JSONParseError" };
  }
  if (hasForbiddenKey(chunk)) return { error: "AI_JSONParseError" };
  const members = typeof chunk?.type === "string" ? membersOf(chunk.type) : undefined;
  if (!members) {
    return typeof chunk?.type === "string"
      ? { difference: "3", repaired: [], warning: "unknown_chunk" }
      : { error: "AI_TypeValidationError" };
  }
  const repaired = filledIn(chunk, members);
  if (!isValidChunk(repaired)) return { error: "AI_TypeValidationError" };
  if (!isValidChunk(chunk)) return { difference: "3", repaired: [repaired] };
  return rulingOnOrder(chunk, state);
}

/** The chunk without null in optional members, and with null for a missing value. */
function filledIn(chunk, { required, optional, anything }) {
  const entries = Object.entries(chunk).filter(
    ([name, value]) => value !== null || !optional.includes(name) || anything.includes(name),
  );
  const missing = required.filter((name) => anything.includes(name) && !(name in chunk));
  return Object.fromEntries([...entries, ...missing.map((name) => [name, null])]);
}

function rulingOnOrder(chunk, state) {
  const [kind, step] = chunk.type.split("-");
  switch (chunk.type) {
    case "abort":
      return { difference: "5", abort: { reason: chunk.reason } };
    case "text-delta":
    case "text-end":
    case "reasoning-delta":
    case "reasoning-end":
      return rulingOnText(chunk, kind, step, state);
    case "tool-input-delta":
      return { difference: "4", repaired: [], warning: "late_tool_input" };
    default:
      return { error: "AI_UIMessageStreamError" };
  }
}

function rulingOnText(chunk, kind, step, state) {
  const difference = { difference: "4", warning: "part_not_open" };
  const open = [...state.open[kind]];
  if (step === "end") return { ...difference, repaired: [] };
  if (open.length === 1) return { ...difference, repaired: [{ ...chunk, id: open[0] }] };
  return { ...difference, repaired: [{ type: `${kind}-start`, id: chunk.id }, chunk] };
}

function hasForbiddenKey(value) {
  if (typeof value !== "object" || value === null) return false;
  const { constructor } = Object.getOwnPropertyDescriptors(value);
  const isForbidden =
    Object.hasOwn(value, "__proto__") ||
    (typeof constructor?.value === "object" &&
      constructor.value !== null &&
      Object.hasOwn(constructor.value, "prototype"));
  return isForbidden || Object.values(value).some(hasForbiddenKey);
}
