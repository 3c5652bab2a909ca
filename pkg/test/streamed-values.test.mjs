// Data and metadata of a response against the app's schemas, beside the AI SDK's chat.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as peer from "ai";
import { type } from "arktype";
import { Chat, ChatwireError, DefaultChatTransport, TypeValidationError } from "chatwire";
import * as v from "valibot";
import { z } from "zod";
import { PeerChat } from "../../tests/differential/support/clients.mjs";

const start = { type: "start", messageId: "a", messageMetadata: { model: "m" } };
const text = [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "before" },
  { type: "text-end", id: "t" },
];
const weather = (data, rest = {}) => ({ type: "data-weather", data, ...rest });
const finish = { type: "finish" };

/** A chat of either kind that was answered by these chunks. */
async function answered(kind, chunks, init) {
  const heard = [];
  const events = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`);
  const headers = { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" };
  const fetch = async () => new Response(events.join(""), { headers });
  const options = {
    onData: ({ data }) => heard.push({ data }),
    onError: ({ name }) => heard.push({ error: name }),
    onFinish: ({ isError }) => heard.push({ isError }),
    ...init,
  };
  const chat =
    kind === "chatwire"
      ? new Chat({ ...options, transport: new DefaultChatTransport({ fetch }) })
      : new PeerChat({ ...options, transport: new peer.DefaultChatTransport({ fetch }) });
  await chat.sendMessage({ text: "Hello" });
  return { chat, heard };
}

const schemas = {
  zod: z.object({ degrees: z.number() }),
  valibot: v.object({ degrees: v.number() }),
  arktype: type({ degrees: "number" }),
};

for (const [library, schema] of Object.entries(schemas)) {
  test(`#7364, 7.0.160: a schema of ${library} for streamed data`, async () => {
    for (const [chunks, isValid] of [
      [[weather({ degrees: 1.5 }, { id: "1" }), weather({ degrees: 2 }, { id: "1" })], true],
      [[weather({ degrees: 1.5 }, { transient: true })], true],
      [[weather({ degrees: "warm" })], false],
      [[weather({ degrees: 1 }), weather({}, { transient: true })], false],
      [[weather(null)], false],
      [[{ type: "data-other", data: "anything" }], true],
    ]) {
      const results = [];
      for (const kind of ["peer", "chatwire"]) {
        const { chat, heard } = await answered(kind, [start, ...text, ...chunks, finish], {
          dataPartSchemas: { weather: schema },
        });
        const { status, error } = chat;
        if (kind === "peer" && library === "valibot" && !isValid) {
          assert.equal(status, "ready", "difference V3");
          continue;
        }
        assert.equal(status, isValid ? "ready" : "error");
        assert.equal(TypeValidationError.isInstance(error), !isValid);
        // The AI SDK finishes before it tells the error.
        const sorted = heard.map((entry) => JSON.stringify(entry)).sort();
        results.push({ status, name: error?.name, parts: JSON.parse(JSON.stringify(chat.lastMessage.parts)), heard: sorted });
      }
      if (results.length === 2) assert.deepEqual(results[1], results[0]);
    }
  });
}

test("a schema for metadata sees it merged", async () => {
  const seen = { peer: [], chatwire: [] };
  const chunks = [start, ...text, { type: "message-metadata", messageMetadata: { tokens: 1 } }, finish];
  for (const kind of ["peer", "chatwire"]) {
    const messageMetadataSchema = z.any().refine((value) => seen[kind].push(value));
    const { chat } = await answered(kind, chunks, { messageMetadataSchema });
    assert.equal(chat.status, "ready");
    const strict = z.strictObject({ model: z.string() });
    const refused = await answered(kind, chunks, { messageMetadataSchema: strict });
    assert.ok(TypeValidationError.isInstance(refused.chat.error));
    assert.deepEqual(refused.chat.lastMessage.metadata, { model: "m" });
  }
  assert.deepEqual(seen.peer, [{ model: "m" }, { model: "m", tokens: 1 }]);
  assert.deepEqual(seen.chatwire, seen.peer);
});

test("the error says which value and what is wrong with it", async () => {
  const { chat } = await answered("chatwire", [start, weather({ degrees: "warm" }), finish], {
    dataPartSchemas: { weather: { type: "object", properties: { degrees: { type: "number" } } } },
  });
  assert.ok(ChatwireError.isInstance(chat.error));
  assert.equal(chat.error.code, "invalid_value");
  assert.deepEqual(chat.error.value, { degrees: "warm" });
  assert.deepEqual(chat.error.issues.map(({ path }) => path), [["data-weather", "data", "degrees"]]);
  assert.match(chat.error.message, /data-weather/);
});

test("a check that takes its time keeps the order, and a schema that throws is an error", async () => {
  const slow = z.any().refine(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return true;
  });
  const { chat, heard } = await answered("chatwire", [start, weather(1), ...text, weather(2), finish], {
    dataPartSchemas: { weather: slow },
  });
  assert.deepEqual(chat.lastMessage.parts.map((part) => part.data ?? part.text), [1, "before", 2]);
  assert.deepEqual(heard, [{ data: 1 }, { data: 2 }, { isError: false }]);

  const { chat: failed } = await answered("chatwire", [start, weather(1), finish], {
    dataPartSchemas: {
      get weather() {
        throw new RangeError("no such schema");
      },
    },
  });
  assert.equal(failed.status, "error");
  assert.equal(failed.error.name, "RangeError");
});

test("a stop does not wait for a check", async () => {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const fetch = async (_, { signal }) => {
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(weather(1))}\n\n`));
        signal.addEventListener("abort", () => controller.error(signal.reason));
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const chat = new Chat({
    transport: new DefaultChatTransport({ fetch }),
    dataPartSchemas: { weather: z.any().refine(() => held) },
  });
  const sent = chat.sendMessage({ text: "Hello" });
  await new Promise((resolve) => setTimeout(resolve, 20));
  await chat.stop();
  await sent;
  assert.equal(chat.outcome, "stopped");
  release(true);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(chat.status, "ready");
  assert.equal(chat.messages.length, 1);
});
