// Ways in which one event of a stream can be wrong.

import { isValidChunk, membersOf } from "./chunk-schema.mjs";
import { randomValue } from "./json.mjs";

/**
 * @typedef {object} Item one chunk of a legal stream
 * @property {object} chunk
 * @property {import("./stream-state.mjs").StreamState} state before it
 */
/**
 * @typedef {object} Fault
 * @property {number} at which event is wrong
 * @property {string} data of the wrong event
 * @property {boolean} replaces whether it stands for the chunk there, or comes before it
 */

/** @import { Random } from "./random.mjs" */

/** A wrong event for a stream. @param {Random} random @param {Item[]} items @returns {Fault} */
export function randomFault(random, items) {
  for (;;) {
    const fault = random.pick(FAULTS)(random, items);
    if (fault) return fault;
  }
}

const FAULTS = [
  unknownType,
  nullMember,
  missingValue,
  textOutOfOrder,
  textOutOfOrder,
  inputOfUnknownCall,
  unknownName,
  abort,
  abort,
  wrongMember,
  missingMember,
  badJson,
  forbiddenKey,
];

/** Where a chunk can come in between: behind the start, since content before it is difference 8. */
function between(random, items) {
  return random.between(items[0].chunk.type === "start" ? 1 : 0, items.length - 1);
}

function inserted(random, items, makeChunk) {
  const at = between(random, items);
  const chunk = makeChunk(items[at].state);
  return chunk && { at, data: JSON.stringify(chunk), replaces: false };
}

/** Changes one of the chunks. `change` returns undefined where it cannot. */
function changed(random, items, change) {
  const at = random.below(items.length);
  const chunk = change(items[at].chunk, membersOf(items[at].chunk.type));
  return chunk && { at, data: JSON.stringify(chunk), replaces: true };
}

function unknownType(random, items) {
  const type = random.pick(["future-part", "tool-input-end", "", "toString", "text", "data", "Start"]);
  return inserted(random, items, () => ({ type, id: "1", data: randomValue(random) }));
}

function nullMember(random, items) {
  return changed(random, items, (chunk, { optional, anything }) => {
    // The kind of a call must not change: that is difference 6.
    const names = optional.filter((name) => !anything.includes(name) && name !== "dynamic");
    return names.length > 0 ? { ...chunk, [random.pick(names)]: null } : undefined;
  });
}

function missingValue(random, items) {
  return changed(random, items, (chunk, { required, anything }) => {
    const name = required.find((required) => anything.includes(required));
    return name && { ...chunk, [name]: undefined };
  });
}

function textOutOfOrder(random, items) {
  const kind = random.pick(["text", "reasoning"]);
  const step = random.pick(["delta", "delta", "delta", "end"]);
  const at = between(random, items);
  const open = items[at].state.open[kind];
  const starts = items
    .slice(0, at)
    .map(({ chunk }) => chunk)
    .filter(({ type }) => type === `${kind}-start`);
  const ended = starts.map(({ id }) => id).filter((id) => !open.has(id));
  const id = ended.length > 0 && random.chance(0.5) ? random.pick(ended) : "never-started";
  const chunk = { type: `${kind}-${step}`, id, ...(step === "delta" && { delta: " out of order " }) };
  return { at, data: JSON.stringify(chunk), replaces: false };
}

function inputOfUnknownCall(random, items) {
  return inserted(random, items, () => ({
    type: "tool-input-delta",
    toolCallId: "unknown",
    inputTextDelta: "{}",
  }));
}

function unknownName(random, items) {
  return inserted(random, items, () =>
    random.pick([
      { type: "tool-output-available", toolCallId: "unknown", output: 1 },
      { type: "tool-output-error", toolCallId: "unknown", errorText: "" },
      { type: "tool-output-denied", toolCallId: "unknown" },
      { type: "tool-approval-request", toolCallId: "unknown", approvalId: "a" },
      { type: "tool-approval-response", approvalId: "unknown", approved: true },
    ]),
  );
}

function abort(random, items) {
  return inserted(random, items, () => ({
    type: "abort",
    ...(random.chance(0.5) && { reason: "the server is going down" }),
  }));
}

const WRONG_VALUES = [1, true, [], {}, { a: 1 }, [null], "", "words", { a: { b: 1 } }, null];
const WRONG_CITATIONS = [
  [{}],
  [{ source: {} }],
  [{ source: { type: "source", sourceType: "url", id: "1" } }],
  [{ source: { type: "source", sourceType: "other", id: "1", url: "u" } }],
  [{ source: { type: "source", sourceType: "document", id: "1", mediaType: 1, title: "" } }],
  [{ source: { type: "source", sourceType: "url", id: "1", url: "u" }, startIndex: -1 }],
  [{ source: { type: "source", sourceType: "url", id: "1", url: "u" }, endIndex: 1.5 }],
  [{ source: { type: "source", sourceType: "url", id: "1", url: "u", title: null } }],
];
const WRONG_STEERING_PARTS = [
  [{ type: "text" }],
  [{ type: "image", url: "u" }],
  [{ type: "file", url: "u" }],
  [{ type: "file", url: "u", mediaType: "a/b", providerReference: { a: 1 } }],
  [{ type: "text", text: "", providerMetadata: { a: 1 } }],
];

function wrongMember(random, items) {
  return changed(random, items, (chunk, { required, optional, anything }) => {
    const names = [...required, ...optional, "type"].filter((name) => !anything.includes(name));
    const name = random.pick(names);
    const value = random.pick(
      { citations: WRONG_CITATIONS, parts: WRONG_STEERING_PARTS, type: [1, null, ["text-start"], {}] }[
        name
      ] ?? WRONG_VALUES,
    );
    const wrong = { ...chunk, [name]: value };
    const changesKind = name === "dynamic" && value === null;
    return isValidChunk(wrong) || changesKind ? undefined : wrong;
  });
}

function missingMember(random, items) {
  return changed(random, items, (chunk, { required, anything }) => {
    const names = [...required.filter((name) => !anything.includes(name)), "type"];
    return { ...chunk, [random.pick(names)]: undefined };
  });
}

function badJson(random, items) {
  const at = random.below(items.length);
  const text = JSON.stringify(items[at].chunk);
  const data = random.pick([
    text.slice(0, random.between(1, text.length - 1)),
    `${text}}`,
    text.replace(":", ""),
    text.replace(/}$/, ",}"),
    `${text} ${text}`,
    text.replaceAll('"', "'"),
    "[DONE] ",
    "undefined",
    "[1]",
    "null",
    '"text-start"',
    "1",
  ]);
  return { at, data, replaces: true };
}

function forbiddenKey(random, items) {
  const at = random.below(items.length);
  const keys = [
    '"__proto__":1',
    '"\\u005f_proto__":{}',
    '"constructor":{"prototype":1}',
    '"a":{"__proto__":null}',
    '"a":[{"constructor":{"protot\\u0079pe":1}}]',
  ];
  const data = JSON.stringify(items[at].chunk).replace(/^{/, `{${random.pick(keys)},`);
  return { at, data, replaces: true };
}
