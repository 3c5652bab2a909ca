// validateUIMessages beside the AI SDK's: on a table, on random messages with random faults, with
// schemas of each kind.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as peer from "ai";
import { type as arktype } from "arktype";
import { ChatwireError, safeValidateUIMessages, validateUIMessages } from "chatwire";
import * as v from "valibot";
import { z } from "zod";
import { message, mutate } from "./support/messages.mjs";
import { Random } from "./support/random.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false; // of rawInput

/** Whether every member of `part` is in `whole`, at every depth. */
function isWithin(part, whole) {
  if (typeof part !== "object" || part === null) return Object.is(part, whole);
  if (typeof whole !== "object" || whole === null) return false;
  if (Array.isArray(part) !== Array.isArray(whole)) return false;
  return Object.keys(part).every((key) => key in whole && isWithin(part[key], whole[key]));
}

const json = (value) => JSON.parse(JSON.stringify(value));
const paths = (issues) => issues.map(({ path }) => JSON.stringify(path));

/** Both verdicts on the same messages, which must agree. What ours is, for more. */
async function compare(options, label) {
  const ours = await safeValidateUIMessages(options);
  const theirs = await peer.safeValidateUIMessages({ ...options, messages: json(options.messages) });
  assert.equal(ours.success, theirs.success, `${label}: ${ours.error ?? theirs.error}`);
  if (ours.success) {
    assert.ok(isWithin(json(theirs.data), json(ours.data)), label);
  } else {
    assert.equal(ours.error.name, theirs.error.name, label);
    assert.ok(ChatwireError.isInstance(ours.error), label);
    assert.equal(ours.error.totalIssues >= ours.error.issues.length, true);
    assert.ok(ours.error.issues.length > 0, label);
    const found = paths(ours.error.issues);
    const { issues = [] } = theirs.error.cause ?? {};
    // Zod stops at the members of an object that are at fault and looks no further into it.
    for (const path of theirs.error.context ? [] : paths(issues)) {
      assert.ok(found.includes(path), `${label}: ${path} is not in ${found}`);
    }
  }
  return ours;
}

test("random messages with random faults: the same verdict as the AI SDK's", async () => {
  const verdicts = { true: 0, false: 0 };
  for (let seed = 1; seed <= 6000; seed++) {
    const random = new Random(seed);
    const messages = Array.from({ length: 1 + random.below(2) }, () => message(random));
    for (let faults = random.below(4); faults > 0; faults--) mutate(random, messages);
    const label = `seed ${seed}: ${JSON.stringify(messages)}`;
    const before = json(messages);
    const ours = await compare({ messages }, label);
    verdicts[ours.success]++;
    // What is valid is given back whole, as the very objects that were given.
    if (ours.success) ours.data.forEach((given, index) => assert.equal(given, messages[index]));
    assert.deepEqual(messages, before, label);
  }
  assert.ok(verdicts.true > 1500 && verdicts.false > 1500, JSON.stringify(verdicts));
});

const call = { type: "tool-search", toolCallId: "t", state: "output-available", input: {}, output: 1 };

test("what is no list of messages", async () => {
  for (const messages of [[], {}, "x", 1, true, [null], ["x"], [[]], [{}]]) {
    await compare({ messages }, JSON.stringify(messages));
  }
  for (const messages of [undefined, null]) {
    const ours = await safeValidateUIMessages({ messages });
    const theirs = await peer.safeValidateUIMessages({ messages });
    assert.equal(ours.success, false);
    assert.equal(ours.error.name, theirs.error.name);
    assert.equal(ours.error.name, "AI_InvalidArgumentError");
    assert.equal(ours.error.code, "invalid_argument");
    assert.ok(peer.InvalidArgumentError.isInstance(ours.error));
    await assert.rejects(validateUIMessages({ messages }), { name: "AI_InvalidArgumentError" });
  }
});

test("every fault is told, with its path", async () => {
  const messages = [
    { id: "1", role: "user", parts: [{ type: "text" }, { type: "file", mediaType: 1, url: "u" }] },
    { id: "2", role: "assistant", parts: [{ ...call, state: "output-denied" }, { type: "video" }] },
  ];
  const { error } = await safeValidateUIMessages({ messages });
  assert.deepEqual(error.issues, [
    { path: [0, "parts", 0, "text"], code: "invalid_type", message: "Expected a string" },
    { path: [0, "parts", 1, "mediaType"], code: "invalid_type", message: "Expected a string" },
    { path: [1, "parts", 0, "output"], code: "unexpected_field", message: "Not allowed in this state" },
    { path: [1, "parts", 0, "approval"], code: "invalid_type", message: "Expected an object" },
    { path: [1, "parts", 1, "type"], code: "invalid_value", message: "Expected a known type" },
  ]);
  assert.equal(error.totalIssues, 5);
  assert.equal(
    error.message,
    "Type validation failed: [0].parts[0].text: Expected a string; " +
      "[0].parts[1].mediaType: Expected a string; " +
      "[1].parts[0].output: Not allowed in this state; and 2 more",
  );
  assert.equal(error.value, messages);
  assert.equal(error.code, "invalid_value");
  assert.ok(peer.TypeValidationError.isInstance(error));
  await assert.rejects(validateUIMessages({ messages }), { name: "AI_TypeValidationError" });
});

test("what is expected, in words", async () => {
  const part = {
    type: "text",
    text: "",
    state: "open",
    citations: [{ source: { sourceType: "book" }, startIndex: -1 }, 1],
    providerMetadata: { p: 1 },
  };
  const parts = [part, { type: "data-x" }, { ...call, preliminary: 1 }, { ...call, type: "dynamic-tool", toolName: "x", dynamic: true }];
  const { error } = await safeValidateUIMessages({ messages: [{ id: "", role: "", parts }, { id: "", role: "user", parts: [] }, {}] });
  assert.deepEqual(
    error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`),
    [
      "0.role: Expected a known role",
      '0.parts.0.state: Expected "streaming" or "done"',
      '0.parts.0.citations.0.source.type: Expected "source"',
      "0.parts.0.citations.0.source.id: Expected a string",
      "0.parts.0.citations.0.source.sourceType: Expected a known sourceType",
      "0.parts.0.citations.0.startIndex: Expected an integer from 0 to 2^53 - 1",
      "0.parts.0.citations.1: Expected an object",
      "0.parts.0.providerMetadata.p: Expected an object",
      "0.parts.1.data: Expected a value",
      "0.parts.2.preliminary: Expected a boolean",
      "0.parts.3.dynamic: Expected false",
      "1.parts: Must not be empty",
      "2.id: Expected a string",
      "2.role: Expected a known role",
      "2.parts: Expected an array",
    ],
  );
});

test("a value that is undefined is there, as in the AI SDK", async () => {
  const pick = (...parts) => [{ id: "1", role: "assistant", parts }];
  for (const part of [
    { ...call, input: undefined },
    { ...call, output: undefined },
    { type: "data-x", data: undefined },
    { ...call, state: "input-available", output: undefined },
    { ...call, errorText: undefined, approval: undefined, title: undefined },
  ]) {
    for (const validate of [safeValidateUIMessages, peer.safeValidateUIMessages]) {
      assert.equal((await validate({ messages: pick(part) })).success, true, JSON.stringify(part));
    }
    const messages = json(pick(part));
    const isNeeded = "data" in part || (part.state === "output-available" && !("title" in part));
    for (const validate of [safeValidateUIMessages, peer.safeValidateUIMessages]) {
      assert.equal((await validate({ messages })).success, !isNeeded, JSON.stringify(messages));
    }
  }
});

test("what JSON cannot hold is a fault", async () => {
  const of = (metadata) => [{ id: "1", role: "assistant", parts: [], metadata }];
  const cycle = {};
  cycle.self = cycle;
  for (const value of [10n, cycle]) {
    const { error } = await safeValidateUIMessages({ messages: of({ value }) });
    assert.equal(error.name, "AI_TypeValidationError");
    assert.equal(error.issues[0].code, "not_serializable");
  }
  for (const [text, code, at] of [
    ['{"__proto__":1}', "forbidden_key", 0],
    ['{"constructor":{"prototype":1}}', "forbidden_key", 0],
    ["[".repeat(600) + "]".repeat(600), "limit_exceeded", 0],
  ]) {
    const { error } = await safeValidateUIMessages({ messages: of(JSON.parse(text)) });
    assert.deepEqual(error.issues.map(({ path, code }) => [path, code]), [[[at], code]]);
  }
  // What JSON makes of these is valid.
  for (const value of [Number.NaN, () => {}, Symbol("s")]) {
    const part = { type: "text", text: "", providerMetadata: { p: { value } } };
    const messages = [{ id: "1", role: "user", parts: [part] }];
    assert.equal((await safeValidateUIMessages({ messages })).success, true);
    assert.equal((await peer.safeValidateUIMessages({ messages })).success, false);
  }
});

test("7.0.171, thousands of faulty parts: a bounded list, and a cost that grows with the text", async () => {
  const messages = (count) => [
    { id: "1", role: "user", parts: Array.from({ length: count }, () => ({ type: "text", text: 1, state: 1 })) },
  ];
  const cost = async (count) => {
    const given = messages(count);
    const times = [];
    for (let run = 0; run < 5; run++) {
      const start = performance.now();
      const { error } = await safeValidateUIMessages({ messages: given });
      times.push(performance.now() - start);
      assert.equal(error.issues.length, 100);
      assert.equal(error.totalIssues, 2 * count);
      assert.ok(error.message.length < 300);
    }
    return Math.min(...times);
  };
  await cost(100);
  const [few, many] = [await cost(2_000), await cost(40_000)];
  assert.ok(many < 60 * few + 20, `${few} ms for 2,000 parts, ${many} ms for 40,000`);
});

// --- schemas -------------------------------------------------------------------------------------

/** The same schema by each library. */
const schemas = {
  zod: {
    metadata: z.object({ model: z.string() }),
    data: z.object({ city: z.string(), celsius: z.number().optional() }),
    input: z.object({ query: z.string() }),
    output: z.array(z.string()),
  },
  valibot: {
    metadata: v.object({ model: v.string() }),
    data: v.object({ city: v.string(), celsius: v.optional(v.number()) }),
    input: v.object({ query: v.string() }),
    output: v.array(v.string()),
  },
  arktype: {
    metadata: arktype({ model: "string" }),
    data: arktype({ city: "string", "celsius?": "number" }),
    input: arktype({ query: "string" }),
    output: arktype("string[]"),
  },
  "the AI SDK's zodSchema": {
    metadata: peer.zodSchema(z.object({ model: z.string() })),
    data: peer.zodSchema(z.object({ city: z.string(), celsius: z.number().optional() })),
    input: peer.zodSchema(z.object({ query: z.string() })),
    output: peer.zodSchema(z.array(z.string())),
  },
};
const object = (properties, required) => ({ type: "object", properties, required });
const string = { type: "string" };
const jsonSchemas = {
  metadata: object({ model: string }, ["model"]),
  data: object({ city: string, celsius: { type: "number" } }, ["city"]),
  input: object({ query: string }, ["query"]),
  output: { type: "array", items: string },
};

const optionsOf = ({ metadata, data, input, output }) => ({
  metadataSchema: metadata,
  dataSchemas: { weather: data },
  tools: { search: { inputSchema: input, outputSchema: output } },
});

const search = (state, more) => ({ type: "tool-search", toolCallId: "t", state, ...more });
const good = { query: "rust" };
const denied = { id: "a", approved: false };
/** Parts with the verdict, and what the AI SDK makes of them. */
const cases = [
  [{ type: "text", text: "a" }, true],
  [{ type: "data-weather", data: { city: "Rome" } }, true],
  [{ type: "data-weather", data: { city: 1 } }, ["data", "city"]],
  [{ type: "data-weather", data: null }, ["data"]],
  [{ type: "data-notice", data: 1 }, ["data"], "no_schema"],
  [search("input-streaming", { input: { que: 1 } }), true],
  [search("input-available", { input: good }), true],
  [search("input-available", { input: {} }), ["input", "query"]],
  [search("approval-requested", { input: {}, approval: { id: "a" } }), ["input", "query"]],
  [search("output-available", { input: good, output: ["a"] }), true],
  [search("output-available", { input: good, output: [1] }), ["output", 0]],
  [search("output-available", { input: { query: 1 }, output: [] }), ["input", "query"]],
  [search("output-available", { input: {}, output: [] }), "dynamic"],
  [search("output-available", { input: {}, output: 1 }), ["output"]],
  [search("output-error", { errorText: "e" }), true],
  [search("output-error", { errorText: "e", input: good }), true],
  [search("output-error", { errorText: "e", input: "{" }), "dynamic"],
  [search("output-denied", { input: good, approval: denied }), true],
  [search("output-denied", { input: {}, approval: denied }), ["input", "query"]],
  [{ ...search("output-available", { input: 1, output: 2 }), type: "tool-gone" }, "dynamic"],
  [{ ...search("output-error", { errorText: "e" }), type: "tool-gone" }, "dynamic"],
  [{ ...search("input-available", { input: 1 }), type: "tool-gone" }, ["input"], "no_schema"],
  [{ ...search("input-streaming"), type: "tool-toString" }, ["input"], "no_schema"],
  [{ ...search("input-available", { input: 1 }), type: "dynamic-tool", toolName: "gone" }, true],
  [
    search("approval-responded", {
      input: good,
      approval: { id: "a", approved: true, inputSchemaInput: good },
    }),
    true,
  ],
  [
    search("approval-responded", {
      input: good,
      approval: { id: "a", approved: true, inputSchemaInput: { query: "go" } },
    }),
    ["input"],
  ],
];

for (const [library, set] of Object.entries({ ...schemas, "JSON Schema": jsonSchemas })) {
  test(`schemas by ${library}: parts`, async () => {
    // The AI SDK checks nothing by a JSON Schema, and misses what valibot finds (see below).
    const isUsable = library !== "JSON Schema" && library !== "valibot";
    const theirs = optionsOf(isUsable ? set : schemas.zod);
    for (const [part, verdict, code = "schema"] of cases) {
      const messages = [{ id: "m", role: "assistant", metadata: { model: "x" }, parts: [part] }];
      const label = JSON.stringify(part);
      const ours = await safeValidateUIMessages({ messages, ...optionsOf(set) });
      const other = await peer.safeValidateUIMessages({ messages: json(messages), ...theirs });
      assert.equal(ours.success, !Array.isArray(verdict), label);
      assert.equal(other.success, ours.success, label);
      if (ours.success) {
        assert.deepEqual(json(ours.data), json(other.data), label);
        assert.equal(ours.data[0].parts[0].type, verdict === "dynamic" ? "dynamic-tool" : part.type);
        if (verdict !== "dynamic") assert.deepEqual(ours.data[0].parts[0], part, label);
      } else {
        assert.equal(ours.error.name, other.error.name);
        const [issue] = ours.error.issues;
        // A JSON Schema reports a missing property where it is missing.
        const isMissing = library === "JSON Schema" && /required/.test(issue.message);
        const path = [0, "parts", 0, ...verdict];
        assert.deepEqual(issue.path, isMissing ? path.slice(0, -1) : path, label);
        assert.equal(issue.code, code, label);
        assert.ok(issue.message.length > 0);
      }
    }
  });

  test(`schemas by ${library}: metadata`, async () => {
    const { metadataSchema } = optionsOf(set);
    const messages = (metadata) => [{ id: "m", role: "assistant", parts: [], metadata }];
    const right = await safeValidateUIMessages({ messages: messages({ model: "x" }), metadataSchema });
    assert.equal(right.success, true);
    const wrong = await safeValidateUIMessages({ messages: messages({ model: 1 }), metadataSchema });
    assert.deepEqual(paths(wrong.error.issues), ['[0,"metadata","model"]']);
    const none = await safeValidateUIMessages({ messages: messages(undefined), metadataSchema });
    assert.equal(none.success, library === "JSON Schema", "a JSON Schema says nothing of undefined");
  });
}

test("a failure that has a value beside its issues, as valibot's, is a failure", async () => {
  const messages = [{ id: "m", role: "user", parts: [{ type: "data-weather", data: { city: 1 } }] }];
  const dataSchemas = { weather: schemas.valibot.data };
  assert.equal((await safeValidateUIMessages({ messages, dataSchemas })).success, false);
  assert.equal((await peer.safeValidateUIMessages({ messages, dataSchemas })).success, true);
});

test("faults in the structure and against schemas are told together", async () => {
  const messages = [
    { id: "1", role: "user", parts: [{ type: "text" }, { type: "data-weather", data: 1 }] },
    { id: "2", role: "user", metadata: {}, parts: [{ type: "data-weather", data: { city: 1 } }] },
  ];
  const { error } = await safeValidateUIMessages({ messages, ...optionsOf(schemas.zod) });
  assert.deepEqual(paths(error.issues), [
    '[0,"parts",0,"text"]',
    '[1,"metadata","model"]',
    '[1,"parts",0,"data","city"]',
  ]);
});

test("what a schema makes of metadata and data is in the result, and nothing else is", async () => {
  const options = {
    metadataSchema: z.object({ at: z.string().transform(Number) }),
    dataSchemas: { weather: z.object({ city: z.string().default("Rome") }) },
    tools: { search: { inputSchema: z.object({ query: z.string().default("x") }) } },
  };
  const messages = [
    {
      id: "1",
      role: "assistant",
      createdAt: "kept",
      metadata: { at: "5" },
      parts: [
        { type: "data-weather", data: {}, color: "kept" },
        search("input-available", { input: {} }),
        { type: "text", text: "a", color: "kept" },
      ],
    },
  ];
  const before = json(messages);
  const ours = await validateUIMessages({ messages, ...options });
  const theirs = await peer.validateUIMessages({ messages: json(messages), ...options });
  assert.deepEqual(ours, [
    {
      ...before[0],
      metadata: { at: 5 },
      parts: [{ ...before[0].parts[0], data: { city: "Rome" } }, ...before[0].parts.slice(1)],
    },
  ]);
  assert.ok(isWithin(json(theirs), json(ours)));
  assert.deepEqual(messages, before, "the messages that were given stay");
  assert.equal(ours[0].parts[2], messages[0].parts[2]);
});

test("the input that a server refined", async () => {
  const part = (input, inputSchemaInput) =>
    search("approval-requested", { input, approval: { id: "a", inputSchemaInput } });
  const upper = ({ query }) => ({ query: query.toUpperCase() });
  const broken = () => {
    throw new Error("no such query");
  };
  for (const [given, refine, success] of [
    [part({ query: "RUST" }, good), upper, true],
    [part(good, good), upper, false],
    [part(good, good), undefined, true],
    [part(good, good), broken, false],
    [part(good, {}), upper, false],
    [part(good, null), upper, false],
  ]) {
    const options = {
      messages: [{ id: "m", role: "assistant", parts: [given] }],
      tools: { search: { inputSchema: schemas.zod.input } },
      ...(refine && { experimental_refineToolInput: { search: refine } }),
    };
    const label = JSON.stringify(given);
    assert.equal((await compare(options, label)).success, success, label);
  }
});

test("random messages with schemas: the same verdict and conversions as the AI SDK's", async () => {
  const options = {
    metadataSchema: z.unknown(),
    dataSchemas: {
      weather: z.union([z.string(), z.number(), z.null(), z.record(z.string(), z.unknown())]),
      notice: z.unknown(),
      "": z.unknown(),
    },
    tools: {
      weather: { inputSchema: z.union([z.string(), z.record(z.string(), z.unknown())]) },
      "": { inputSchema: z.unknown(), outputSchema: z.union([z.string(), z.null(), z.boolean()]) },
    },
  };
  const seen = { true: 0, false: 0, dynamic: 0 };
  for (let seed = 1; seed <= 4000; seed++) {
    const random = new Random(seed);
    const messages = [message(random)];
    if (random.chance(0.3)) mutate(random, messages);
    const ours = await compare({ messages, ...options }, `seed ${seed}: ${JSON.stringify(messages)}`);
    seen[ours.success]++;
    if (ours.success && ours.data[0] !== messages[0]) seen.dynamic++;
  }
  assert.ok(seen.true > 500 && seen.false > 500 && seen.dynamic > 100, JSON.stringify(seen));
});

test("a schema that throws, and one that takes its time", async () => {
  const messages = [{ id: "1", role: "user", parts: [{ type: "data-x", data: 1 }] }];
  const standard = (validate) => ({ "~standard": { version: 1, vendor: "test", validate } });
  const throws = standard(() => {
    throw new Error("broken");
  });
  const { error } = await safeValidateUIMessages({ messages, dataSchemas: { x: throws } });
  assert.equal(error.name, "AI_TypeValidationError");
  assert.deepEqual(error.issues, [{ path: [0, "parts", 0, "data"], code: "schema", message: "broken" }]);
  const slow = standard(async (value) => ({ value: value + 1 }));
  const [{ parts }] = await validateUIMessages({ messages, dataSchemas: { x: slow } });
  assert.equal(parts[0].data, 2);
  const lazy = () => peer.zodSchema(z.number());
  assert.equal((await safeValidateUIMessages({ messages, dataSchemas: { x: lazy } })).success, true);
  // The AI SDK's jsonSchema brings no check of its own.
  const unchecked = peer.jsonSchema({ type: "string" });
  for (const validate of [safeValidateUIMessages, peer.safeValidateUIMessages]) {
    assert.equal((await validate({ messages, dataSchemas: { x: unchecked } })).success, true);
  }
});

test("a schema is one of the app's own", async () => {
  const parts = [{ type: "data-toString", data: 1 }, { ...call, type: "tool-toString" }];
  const messages = [{ id: "1", role: "assistant", parts }];
  const ours = await safeValidateUIMessages({ messages, dataSchemas: {}, tools: {} });
  assert.deepEqual(ours.error.issues.map(({ path, code }) => [path[2], code]), [[0, "no_schema"]]);
  const theirs = await peer.safeValidateUIMessages({ messages, dataSchemas: {}, tools: {} });
  assert.equal(theirs.success, true);
});

test("JSON Schema: drafts, references, nesting, frozen schemas", async () => {
  const check = async (schema, data) => {
    const messages = [{ id: "1", role: "user", parts: [{ type: "data-x", data }] }];
    const { error } = await safeValidateUIMessages({ messages, dataSchemas: { x: schema } });
    return error?.issues.map(({ path }) => path.slice(4));
  };
  const tree = Object.freeze({
    type: "object",
    properties: { children: { type: "array", items: { $ref: "#" } }, "a/b~c d": { type: "number" } },
    additionalProperties: false,
  });
  assert.equal(await check(tree, { children: [{ children: [] }] }), undefined);
  assert.deepEqual(await check(tree, { children: [{}, { children: 1 }], "a/b~c d": "x" }), [
    ["children", 1, "children"],
    ["a/b~c d"],
  ]);
  assert.equal("__absolute_uri__" in tree, false);
  // Beside a reference, draft 7 reads nothing; 2020-12 does.
  const beside = { definitions: { n: {} }, $ref: "#/definitions/n", type: "string" };
  assert.equal(await check(beside, 1), undefined);
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  assert.deepEqual(await check({ ...beside, $schema }, 1), [[]]);
  assert.deepEqual(await check({ type: "string", format: "email" }, "x"), [[]]);
  assert.deepEqual(await check({ $ref: "https://example.org/other" }, 1), [[]]);
  assert.equal(await check({}, 1), undefined);
});

test("#11053, #13591, #8302, #14887, #15694: legacy messages load", async () => {
  for (const parts of [
    [], // a response that brought nothing was stored
    [search("output-error", { errorText: "e", rawInput: '{"a":' })],
    [search("output-error", { errorText: "e", input: undefined })],
    [{ ...call, state: "input-available", rawInput: "{}", output: undefined, preliminary: "?" }],
    [{ type: "step-start" }, { type: "data-x", data: 1, transient: false }],
  ]) {
    const messages = [{ id: "1", role: "assistant", parts, createdAt: 1, content: "" }];
    for (const validate of [safeValidateUIMessages, peer.safeValidateUIMessages]) {
      assert.equal((await validate({ messages })).success, true, JSON.stringify(parts));
    }
  }
});
