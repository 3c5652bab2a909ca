// The body of a send request: JSON.stringify's text, with received text kept as it was.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Chat, ChatwireError, DefaultChatTransport, rawJson } from "chatwire";
import { Random } from "./support/random.mjs";

const internals = Symbol.for("chatwire.transport");

/** The text of `body` as a request carries it. */
async function bodyText(body, { rawText = () => undefined, messages = [] } = {}) {
  const transport = new DefaultChatTransport({ prepareSendMessagesRequest: () => ({ body }) });
  const { init } = await transport[internals].planSend({
    chatId: "c",
    trigger: "submit-message",
    messageId: undefined,
    messages,
    messagesText: "[]",
    rawText,
  });
  return init.body;
}

function randomValue(random, depth) {
  const leaf = () =>
    random.pick([
      undefined,
      null,
      true,
      0,
      -0,
      1e21,
      0.1,
      NaN,
      Infinity,
      "",
      'quote " \\ / \n \u0000 \u2028 \ud800 \udc00 😀',
      () => 1,
      Symbol("s"),
      new Date(0),
      new Date(NaN),
      Object(1),
      Object("boxed"),
      Object(false),
      Object(Symbol("boxed")),
      /regex/,
      new Error("e"),
      new Map([[1, 2]]),
      new Set([1]),
      new Uint8Array([1, 2]),
    ]);
  if (depth === 0 || random.chance(0.3)) return leaf();
  const child = () => randomValue(random, depth - 1);
  const keys = ["a", "b", "2", "10", "__proto__", "constructor", 'k"', ""];
  const object = (base) => {
    for (const key of random.list(5, () => random.pick(keys))) {
      Object.defineProperty(base, key, {
        value: child(),
        enumerable: random.chance(0.9),
        configurable: true,
        writable: true,
      });
    }
    if (random.chance(0.2)) base[Symbol("hidden")] = child();
    return base;
  };
  class Instance {
    own = child();
    get inherited() {
      return child();
    }
  }
  return random.pick([
    () => random.list(5, child),
    () => Object.assign([], { 3: child(), length: 5, extra: 1 }),
    () => object({}),
    () => object(Object.create(null)),
    () => object(Object.create({ inherited: 1 })),
    () => new Instance(),
    () => ({
      a: child(),
      toJSON(key) {
        return { key, self: this.a };
      },
    }),
    () => ({ toJSON: random.pick([1, "not a function", null]) }),
    () => ({ toJSON: () => undefined }),
    () => new Proxy(object({}), {}),
    () => new Proxy(random.list(3, child), {}),
    () => ({
      get computed() {
        return child();
      },
    }),
  ])();
}

test("equals JSON.stringify", async () => {
  for (let seed = 1; seed <= 4000; seed++) {
    // Getters draw from the same sequence, so each side gets its own value of the same seed.
    const ours = await bodyText({ v: randomValue(new Random(seed), 4) });
    const expected = JSON.stringify({ v: randomValue(new Random(seed), 4) });
    assert.equal(ours, expected, `seed ${seed}`);
  }
});

test("an object with a known text is written as that text, wherever it stands", async () => {
  for (let seed = 1; seed <= 500; seed++) {
    const random = new Random(seed);
    const known = new Map();
    const value = (depth) => {
      if (depth > 0 && random.chance(0.7)) {
        return random.chance(0.5)
          ? random.list(4, () => value(depth - 1))
          : { a: value(depth - 1), b: value(depth - 1) };
      }
      const object = random.chance(0.5) ? { n: 1 } : [1];
      if (random.chance(0.5)) known.set(object, `{"n" : 1.${"0".repeat(known.size + 1)}}`);
      return object;
    };
    const body = { v: value(4) };
    const placeholders = [...known.keys()];
    let expected = JSON.stringify(body, (_, v) =>
      placeholders.includes(v) ? `<${placeholders.indexOf(v)}>` : v,
    );
    for (const [index, object] of placeholders.entries()) {
      expected = expected.replaceAll(`"<${index}>"`, known.get(object));
    }
    assert.equal(await bodyText(body, { rawText: (v) => known.get(v) }), expected, `seed ${seed}`);
  }
});

test("what toJSON returns may have a known text", async () => {
  const view = { n: 1 };
  const text = await bodyText(
    { wrapped: { toJSON: () => view } },
    { rawText: (value) => (value === view ? '{"n":1.0}' : undefined) },
  );
  assert.equal(text, '{"wrapped":{"n":1.0}}');
});

test("the history goes into the default body as its exact text", async () => {
  const messages = [{ id: "m", role: "user", parts: [] }];
  const messagesText = '[{"id":"m", "big":9007199254740993, "u":"\\u0041"}]';
  const transport = new DefaultChatTransport({ body: { a: 1, messages: "mine", z: [messages] } });
  const { init } = await transport[internals].planSend({
    chatId: "c",
    trigger: "submit-message",
    messageId: undefined,
    messages,
    messagesText,
    rawText: () => undefined,
  });
  assert.equal(
    init.body,
    `{"a":1,"messages":${messagesText},"z":[${messagesText}],"id":"c","trigger":"submit-message"}`,
  );
});

test("a hook that drops a message keeps the text of the others", async () => {
  const messages = [{ id: "1" }, { id: "2" }];
  const texts = new Map([[messages[1], '{"id":"2", "n":1e400}']]);
  const transport = new DefaultChatTransport({
    prepareSendMessagesRequest: (options) => {
      options.messages.shift();
      return { body: { messages: options.messages } };
    },
  });
  const { init } = await transport[internals].planSend({
    chatId: "c",
    trigger: "submit-message",
    messageId: undefined,
    messages: Object.freeze(messages),
    messagesText: "unused",
    rawText: (value) => texts.get(value),
  });
  assert.equal(init.body, '{"messages":[{"id":"2", "n":1e400}]}');
  assert.equal(messages.length, 2);
});

test("a BigInt or a cycle is a typed error", async () => {
  const cycle = { list: [] };
  cycle.list.push(cycle);
  const array = [];
  array.push([array]);
  for (const body of [{ n: 1n }, { n: Object(1n) }, [[2n]], cycle, { array }]) {
    await assert.rejects(bodyText(body), (error) => {
      assert.ok(error instanceof ChatwireError);
      assert.equal(error.code, "not_serializable");
      return true;
    });
  }
});

test("the same object twice is no cycle", async () => {
  const shared = { a: 1 };
  const body = { one: shared, two: [shared, { shared }] };
  assert.equal(await bodyText(body), JSON.stringify(body));
});

test("a BigInt with toJSON is written as JSON.stringify writes it", async (t) => {
  BigInt.prototype.toJSON = function () {
    return `${this}n`;
  };
  t.after(() => delete BigInt.prototype.toJSON);
  assert.equal(await bodyText({ n: 12n }), JSON.stringify({ n: 12n }));
});

// What JSON.parse and JSON.stringify would change.
const input =
  '{"one":1.0,"huge":1e21,"long":9007199254740993,"twice":1,"twice":2,"letter":"\\u0041","z":{"b":[0.10],"a":-0}}';

/** A chat that received a tool call with `input`, and the bodies of its requests. */
async function chatWithToolCall(t, options) {
  const bodies = [];
  const events = [
    '{"type":"start","messageId":"answer"}',
    `{"type":"tool-input-available","toolCallId":"call","toolName":"search","input":${input}}`,
    '{"type":"tool-output-available","toolCallId":"call","output":[1.50,{"n":1E2}]}',
    '{"type":"finish"}',
    "[DONE]",
  ];
  const fetch = async (_, { body }) => {
    bodies.push(body);
    const text = events.map((data) => `data: ${data}\n\n`).join("");
    return new Response(text, { headers: { "content-type": "text/event-stream" } });
  };
  const chat = new Chat({ transport: new DefaultChatTransport({ fetch, ...options }) });
  t.after(() => chat.dispose());
  await chat.sendMessage({ text: "Search" });
  assert.equal(chat.error, undefined);
  return { chat, bodies, part: chat.messages[1].parts.at(-1) };
}

test("rawJson gives the text behind a view", async (t) => {
  const { part } = await chatWithToolCall(t);
  assert.equal(part.input.twice, 2);
  assert.equal(rawJson(part.input), input);
  assert.equal(rawJson(part.output), '[1.50,{"n":1E2}]');
  for (const other of [undefined, null, "text", 1, {}, structuredClone(part.input)]) {
    assert.equal(rawJson(other), undefined);
  }
});

test("a chat sends back what it received, as it received it", async (t) => {
  const { chat, bodies } = await chatWithToolCall(t);
  await chat.sendMessage({ text: "Again" });
  assert.ok(bodies[1].includes(`"input":${input},`), bodies[1]);
  assert.ok(bodies[1].includes('"output":[1.50,{"n":1E2}]'), bodies[1]);
});

test("so does a hook that builds the body from the messages or from a part of one", async (t) => {
  const { chat, bodies } = await chatWithToolCall(t, {
    prepareSendMessagesRequest: ({ messages, id }) => ({
      body: {
        id,
        last: messages.slice(-2),
        inputs: messages.flatMap(({ parts }) => parts.map((part) => part.input)),
      },
    }),
  });
  await chat.sendMessage({ text: "Again" });
  assert.equal(bodies[1].split(input).length - 1, 2, bodies[1]);
});

test("a history that was given as text or bytes is sent back as it was", async () => {
  const history = `[{"id":"1","role":"assistant","parts":[{"type":"data-x","data":${input},"mine":1.0}]}]`;
  for (const messages of [history, new TextEncoder().encode(history)]) {
    const bodies = [];
    const fetch = async (_, { body }) => (bodies.push(body), new Response("", { status: 500 }));
    const chat = new Chat({ messages, transport: new DefaultChatTransport({ fetch }) });
    await chat.sendMessage({ text: "Hello" });
    assert.ok(bodies[0].includes(`"data":${input}`), bodies[0]);
    assert.ok(bodies[0].includes('"mine":1.0'), bodies[0]);
    chat.dispose();
  }
});
