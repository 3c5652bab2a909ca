/** Random messages in every shape that the AI SDK allows, and random faults in them. */

/** @import { Random } from "./random.mjs" */

const words = ["", "a", "weather", "😀", "__x", "constructor"];

/** Any JSON value. @param {Random} random */
export function jsonValue(random, depth = 2) {
  const kind = random.below(depth > 0 ? 7 : 5);
  switch (kind) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick([0, -1, 1.5, 7, 2 ** 53, 1e21]);
    case 3:
    case 4:
      return random.pick(words);
    case 5:
      return random.list(3, () => jsonValue(random, depth - 1));
    default:
      return jsonObject(random, depth - 1);
  }
}

/** @param {Random} random */
export function jsonObject(random, depth = 1) {
  return Object.fromEntries(
    random.list(3, () => [random.pick(["a", "b", "c d", "1"]), jsonValue(random, depth)]),
  );
}

/** An object without some of its optional members. @param {Random} random */
function object(random, required, optional) {
  const entries = Object.entries(optional).filter(() => random.chance(0.5));
  return { ...required, ...Object.fromEntries(entries) };
}

function providerMetadata(random) {
  return Object.fromEntries(random.list(2, () => [random.pick(["p", "q"]), jsonObject(random)]));
}

function citation(random) {
  const common = { type: "source", id: "1" };
  const source = random.chance(0.5)
    ? object(random, { ...common, sourceType: "url", url: "u" }, { title: "t" })
    : object(
        random,
        { ...common, sourceType: "document", mediaType: "m", title: "t" },
        { filename: "f", providerMetadata: providerMetadata(random) },
      );
  return object(
    random,
    { source },
    { startIndex: random.below(9), endIndex: 2 ** 53 - 1, citedText: random.pick(words) },
  );
}

function file(random, type) {
  const metadata = { providerMetadata: providerMetadata(random) };
  const more = type === "file" ? { filename: "f", providerReference: { p: "1" } } : {};
  return object(random, { type, mediaType: "image/png", url: "u" }, { ...metadata, ...more });
}

/** By type, a random part of it. @type {Record<string, (random: Random) => object>} */
const parts = {
  text: (random) =>
    object(
      random,
      { type: "text", text: random.pick(words) },
      {
        state: random.pick(["streaming", "done"]),
        citations: random.list(2, () => citation(random)),
        providerMetadata: providerMetadata(random),
      },
    ),
  reasoning: (random) =>
    object(
      random,
      { type: "reasoning", text: random.pick(words) },
      { id: "r", state: "done", providerMetadata: providerMetadata(random) },
    ),
  custom: (random) =>
    object(random, { type: "custom", kind: "a.b" }, { providerMetadata: providerMetadata(random) }),
  "source-url": (random) =>
    object(random, { type: "source-url", sourceId: "s", url: "u" }, { title: "t" }),
  "source-document": (random) =>
    object(
      random,
      { type: "source-document", sourceId: "s", mediaType: "m", title: "t" },
      { filename: "f", providerMetadata: providerMetadata(random) },
    ),
  file: (random) => file(random, "file"),
  "reasoning-file": (random) => file(random, "reasoning-file"),
  "steering-message": (random) => ({
    type: "steering-message",
    id: "s",
    parts: random.list(2, () =>
      random.chance(0.5) ? { type: "text", text: "a" } : file(random, "file"),
    ),
  }),
  "step-start": () => ({ type: "step-start" }),
  data: (random) =>
    object(
      random,
      { type: `data-${random.pick(["weather", "notice", ""])}`, data: jsonValue(random) },
      { id: "d" },
    ),
};

function approval(random, answer) {
  return object(
    random,
    { id: "a", ...answer },
    {
      descriptor: jsonValue(random),
      requestReason: "r",
      isAutomatic: random.chance(0.5),
      signature: "s",
      inputSchemaInput: jsonValue(random),
      ...("approved" in answer ? { reason: "because" } : {}),
    },
  );
}

/** By state, what a tool call has in it. @type {Record<string, (random: Random) => object>} */
const states = {
  "input-streaming": (random) =>
    object(random, {}, { input: jsonValue(random), rawInput: "{", inputEncoding: "json" }),
  "input-available": (random) => ({ input: jsonValue(random) }),
  "approval-requested": (random) => ({ input: jsonValue(random), approval: approval(random, {}) }),
  "approval-responded": (random) => ({
    input: jsonValue(random),
    approval: approval(random, { approved: random.chance(0.5) }),
  }),
  "output-available": (random) =>
    object(
      random,
      { input: jsonValue(random), output: jsonValue(random) },
      {
        preliminary: random.chance(0.5),
        resultProviderMetadata: providerMetadata(random),
        approval: approval(random, { approved: true }),
      },
    ),
  "output-error": (random) =>
    object(
      random,
      { errorText: "e" },
      {
        input: jsonValue(random),
        rawInput: jsonValue(random),
        resultProviderMetadata: providerMetadata(random),
        approval: approval(random, { approved: true }),
      },
    ),
  "output-denied": (random) => ({
    input: jsonValue(random),
    approval: approval(random, { approved: false }),
  }),
};

/** @param {Random} random */
export function toolCall(random, name = random.pick(["weather", "search", ""])) {
  const state = random.pick(Object.keys(states));
  const kind = random.chance(0.3)
    ? object(random, { type: "dynamic-tool", toolName: name }, { dynamic: false })
    : { type: `tool-${name}` };
  return object(
    random,
    { ...kind, toolCallId: "t", state, ...states[state](random) },
    {
      title: "t",
      toolMetadata: jsonObject(random),
      providerExecuted: random.chance(0.5),
      callProviderMetadata: providerMetadata(random),
    },
  );
}

/** @param {Random} random */
export function part(random) {
  return random.chance(0.4) ? toolCall(random) : parts[random.pick(Object.keys(parts))](random);
}

/** @param {Random} random */
export function message(random) {
  const role = random.pick(["assistant", "assistant", "user", "system"]);
  const content = random.list(3, () => part(random));
  return object(
    random,
    { id: random.pick(words), role, parts: content.length > 0 ? content : [part(random)] },
    { metadata: jsonValue(random) },
  );
}

/** Every object and array in a value, itself included. */
function containers(value) {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(containers)];
}

const names = [
  ..."id role parts type text state citations source sourceType url title mediaType filename".split(" "),
  ..."startIndex endIndex providerMetadata providerReference kind sourceId data toolCallId".split(" "),
  ..."toolName dynamic toolMetadata providerExecuted callProviderMetadata input output".split(" "),
  ..."errorText approval approved reason isAutomatic signature rawInput inputEncoding".split(" "),
  ..."preliminary resultProviderMetadata p unheardOf metadata".split(" "),
];
const values = [
  ...[null, true, false, 0, -1, 0.5, 2 ** 53, "", "text", "done", "json", "file", "source", "url"],
  ...["document", "user", "tool-weather", "dynamic-tool", "data-weather", "assistant", "tool"],
  ...["input-available", "output-error", "output-denied", "approval-requested", "a.b"],
];

/**
 * Changes one thing somewhere in a value: takes a member away, adds one, or gives it another value.
 *
 * @param {Random} random
 */
export function mutate(random, value) {
  const target = random.pick(containers(value));
  const keys = Object.keys(target);
  const key = keys.length > 0 && random.chance(0.7) ? random.pick(keys) : random.pick(names);
  if (random.chance(0.3)) {
    if (Array.isArray(target)) target.pop();
    else delete target[key];
  } else {
    const made = random.chance(0.3) ? part(random) : jsonValue(random);
    target[Array.isArray(target) ? random.below(target.length + 1) : key] = random.chance(0.6)
      ? random.pick(values)
      : made;
  }
}
