// The arguments of `fetch` beside those of the AI SDK's own transport.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as peer from "ai";
import * as chatwire from "chatwire";
import { PeerChat } from "../../tests/differential/support/clients.mjs";
import { Random } from "./support/random.mjs";

const internals = Symbol.for("chatwire.transport");
const messages = [
  { id: "m1", role: "user", parts: [{ type: "text", text: "Hello \u2028 \ud800" }] },
  { id: "m2", role: "assistant", metadata: { n: 1.5 }, parts: [{ type: "step-start" }] },
];

/** Calls the peer's transport with a `fetch` that answers nothing. */
async function peerRequest(Transport, options, method, request) {
  const calls = [];
  const fetch = async (url, init) => {
    calls.push({ url, init });
    return new Response("", { headers: { "content-type": "text/event-stream" } });
  };
  await new Transport({ ...options, fetch })[method](request);
  assert.equal(calls.length, 1);
  return calls[0];
}

async function ourRequest(Transport, options, method, request) {
  const transport = new Transport(options);
  const plan =
    method === "sendMessages"
      ? transport[internals].planSend({
          ...request,
          messagesText: JSON.stringify(request.messages),
          rawText: () => undefined,
        })
      : transport[internals].planReconnect(request);
  const { url, init } = await plan;
  return { url, init };
}

/** What each side does: the request, or the error. */
async function outcome(promise) {
  try {
    return { request: await promise };
  } catch (error) {
    return { error };
  }
}

function randomOptions(random, hookCalls) {
  const resolvable = (value) =>
    random.pick([value, Promise.resolve(value), () => value, async () => value]);
  const headers = () =>
    random.pick([
      undefined,
      {},
      { Authorization: "Bearer 1", "X-A": "1" },
      { "X-Absent": undefined, "X-Null": null, "x-a": "2" },
      { "Content-Type": "text/plain" },
      new Headers({ "X-A": "3", Authorization: "4" }),
      [["X-Pair", "5"]],
    ]);
  const body = () =>
    random.pick([
      undefined,
      {},
      { session: "s", n: 1 },
      { messages: "mine", 7: "seven", id: "mine", last: undefined },
      { messageId: "mine", nested: { date: new Date(0), list: [undefined, 1] } },
    ]);
  const api = random.pick([
    undefined,
    "/api/chat",
    "/chat/",
    "https://example.org/a/?b=/c/#d/?",
    "#fragment",
    "",
  ]);
  const credentials = random.pick([undefined, "include", "omit"]);
  const prepared = random.pick([
    { body: { whole: "body" } },
    { body: { kept: 1 }, headers: { "X-Hook": "1", "X-No": undefined } },
    { body: [1], headers: new Headers({ "X-Hook": "2" }), credentials: "omit", api: "/hook?x" },
    { body: undefined },
    {},
    undefined,
  ]);
  const hook = random.pick([
    undefined,
    (options) => (hookCalls.push(options), prepared),
    async (options) => (hookCalls.push(options), prepared),
    async (options) => (hookCalls.push(options), { ...prepared, body: { ...options } }),
  ]);
  return {
    transport: {
      api,
      headers: resolvable(headers()),
      body: resolvable(body()),
      credentials: resolvable(credentials),
      prepareSendMessagesRequest: hook,
      prepareReconnectToStreamRequest: hook,
    },
    request: {
      chatId: random.pick(["chat", "a/b?c", "..", ".", "", "é"]),
      trigger: random.pick(["submit-message", "regenerate-message"]),
      messageId: random.pick([undefined, "m1"]),
      messages: random.pick([messages, []]),
      headers: headers(),
      body: body(),
      metadata: random.pick([undefined, { a: 1 }]),
      abortSignal: new AbortController().signal,
    },
  };
}

for (const method of ["sendMessages", "reconnectToStream"]) {
  test(`${method}: same arguments of fetch and of the hook as the AI SDK`, async () => {
    let errors = 0;
    for (let seed = 1; seed <= 1500; seed++) {
      const ourHookCalls = [];
      const peerHookCalls = [];
      const ours = randomOptions(new Random(seed), ourHookCalls);
      const theirs = randomOptions(new Random(seed), peerHookCalls);
      theirs.request.abortSignal = ours.request.abortSignal;
      const actual = await outcome(
        ourRequest(chatwire.DefaultChatTransport, ours.transport, method, ours.request),
      );
      const expected = await outcome(
        peerRequest(peer.DefaultChatTransport, theirs.transport, method, theirs.request),
      );
      if (expected.error) {
        errors++;
        assert.equal(actual.error?.name, expected.error.name, `seed ${seed}`);
        assert.ok(expected.error.constructor.isInstance(actual.error), `seed ${seed}`);
        continue;
      }
      assert.deepEqual(actual.request, expected.request, `seed ${seed}`);
      assert.equal(actual.request.init.signal, expected.request.init.signal);
      assert.deepEqual(ourHookCalls, peerHookCalls, `seed ${seed}`);
    }
    if (method === "reconnectToStream") assert.ok(errors > 100, "chat ids that are refused");
  });
}

test("the order of keys is that of the AI SDK", async () => {
  const options = {
    body: { messages: "mine", b: 1, 3: "three" },
    headers: { "X-B": "1", "Content-Type": "text/x", "X-A": "2" },
  };
  const request = { chatId: "c", trigger: "submit-message", messageId: "m", messages };
  const ours = await ourRequest(chatwire.DefaultChatTransport, options, "sendMessages", request);
  const theirs = await peerRequest(peer.DefaultChatTransport, options, "sendMessages", request);
  assert.equal(ours.init.body, theirs.init.body);
  assert.deepEqual(Object.entries(ours.init.headers), Object.entries(theirs.init.headers));
});

test("the text transport asks in the same way", async () => {
  const request = { chatId: "c", trigger: "submit-message", messageId: undefined, messages };
  const ours = await ourRequest(chatwire.TextStreamChatTransport, {}, "sendMessages", request);
  const theirs = await peerRequest(peer.TextStreamChatTransport, {}, "sendMessages", request);
  assert.deepEqual(ours, theirs);
  assert.equal(new chatwire.TextStreamChatTransport()[internals].protocol, "text");
  assert.equal(new chatwire.DefaultChatTransport()[internals].protocol, "ui-stream");
});

test("options are resolved in order, one after the other, anew for each request", async () => {
  const log = [];
  const slow = (name, value) => async () => {
    log.push(`${name} asked`);
    await new Promise((done) => setTimeout(done, 1));
    log.push(`${name} known`);
    return value;
  };
  const options = {
    credentials: slow("credentials", "omit"),
    headers: slow("headers", {}),
    body: slow("body", {}),
  };
  const request = { chatId: "c", trigger: "submit-message", messageId: undefined, messages };
  await ourRequest(chatwire.DefaultChatTransport, options, "sendMessages", request);
  const ours = log.splice(0);
  await peerRequest(peer.DefaultChatTransport, options, "sendMessages", request);
  assert.deepEqual(ours, log);
});

test("fetch is the option's, else the global one at the time of the call, and no method", async (t) => {
  const calls = [];
  const recorder = (name) =>
    async function (...parameters) {
      calls.push([name, this, ...parameters]);
      return new Response();
    };
  const request = { chatId: "c", trigger: "submit-message", messageId: undefined, messages: [] };
  const plans = {};
  for (const fetch of [recorder("given"), undefined]) {
    const transport = new chatwire.DefaultChatTransport({ fetch });
    plans[fetch ? "given" : "global"] = await transport[internals].planReconnect(request);
  }
  const { fetch } = globalThis;
  t.after(() => (globalThis.fetch = fetch));
  globalThis.fetch = recorder("global");
  for (const [name, plan] of Object.entries(plans)) {
    await plan.fetch(plan.url, plan.init);
    assert.deepEqual(calls.pop(), [name, undefined, plan.url, plan.init]);
  }
});

test("resumeStreamIsReplay has the AI SDK's defaults", () => {
  for (const options of [undefined, {}, { resumeStreamIsReplay: false }]) {
    assert.equal(
      new chatwire.DefaultChatTransport(options).resumeStreamIsReplay,
      new peer.DefaultChatTransport(options).resumeStreamIsReplay,
    );
  }
  assert.equal(
    new chatwire.TextStreamChatTransport().resumeStreamIsReplay,
    Boolean(new peer.TextStreamChatTransport().resumeStreamIsReplay),
  );
});

test("a hook's error is the request's error", async () => {
  const failure = new Error("no token");
  const transport = new chatwire.DefaultChatTransport({
    headers: () => Promise.reject(failure),
  });
  await assert.rejects(transport[internals].planReconnect({ chatId: "c" }), failure);
});

// The transports' own methods, for transports of apps that wrap or extend them.

const EVENTS =
  'data: {"type":"start","messageId":"m3"}\r\n\r\n: comment\n\ndata: {"type":"text-start","id":"t"}\n\n' +
  'data: {"type":"text-delta","id":"t","delta":"Grüezi\u2028"}\n\ndata: {"type":"text-end",\ndata: "id":"t"}\n\n' +
  'data: {"type":"finish"}\n\ndata: [DONE]\n\n';
const request = { trigger: "submit-message", chatId: "c1", messageId: undefined, messages, abortSignal: undefined };

/** A body in pieces of `size` bytes. */
function bodyOf(text, size) {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, (at += size)));
    },
  });
}

async function read(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

for (const size of [1, 7, 1000]) {
  test(`sendMessages and reconnectToStream give the AI SDK's chunks, in reads of ${size} bytes`, async () => {
    for (const [name, body] of [
      ["DefaultChatTransport", EVENTS],
      ["TextStreamChatTransport", "Grüezi \u{1f44b}\n"],
    ]) {
      const fetch = async () => new Response(bodyOf(body, size));
      const [theirs, ours] = [peer, chatwire].map((library) => new library[name]({ fetch }));
      assert.deepEqual(
        joined(await read(await ours.sendMessages(request))),
        joined(await read(await theirs.sendMessages(request))),
      );
      assert.deepEqual(
        joined(await read(await ours.reconnectToStream(request))),
        joined(await read(await theirs.reconnectToStream(request))),
      );
    }
  });
}

/** How a text is cut into deltas is up to the platform's decoder. */
function joined(chunks) {
  return chunks.reduce((all, chunk) => {
    const last = all.at(-1);
    if (chunk.type !== "text-delta" || last?.type !== "text-delta") return [...all, chunk];
    return [...all.slice(0, -1), { ...last, delta: last.delta + chunk.delta }];
  }, []);
}

test("a response that is running nowhere is null", async () => {
  const transport = new chatwire.DefaultChatTransport({ fetch: async () => new Response(null, { status: 204 }) });
  assert.equal(await transport.reconnectToStream({ chatId: "c1" }), null);
});

test("a chat tells the same errors of its own requests as the transport's methods", async () => {
  for (const [status, type, body] of [
    [500, "text/plain", "Model is overloaded"],
    [502, "text/html", "<html>Bad gateway</html>"],
    [429, "application/json", '{"error":{"message":"Slow down"}}'],
    [400, "application/json", '{"message":"m","error":"e"}'],
    [400, "application/json", '{"error":5}'],
    [404, "text/plain", "x".repeat(501)],
    [418, "text/plain", ""],
  ]) {
    const fetch = async () => new Response(body, { status, headers: { "content-type": type } });
    const transport = new chatwire.DefaultChatTransport({ api: "https://example.com/api/chat?x=1", fetch });
    const thrown = await transport.sendMessages(request).then(assert.fail, (error) => error);
    const chat = new chatwire.Chat({ transport });
    await chat.sendMessage({ text: "Hello" });
    assert.ok(chatwire.APICallError.isInstance(thrown) && peer.APICallError.isInstance(thrown));
    const { stack: _, ...theirs } = { ...thrown, message: thrown.message, name: thrown.name };
    const { stack: __, ...ours } = { ...chat.error, message: chat.error.message, name: chat.error.name };
    assert.deepEqual(theirs, ours);
    chat.dispose();
  }
});

test("an event that is not JSON ends the chunks with a typed error", async () => {
  const transport = new chatwire.DefaultChatTransport({
    fetch: async () => new Response('data: {"type":"start"}\n\ndata: {"type":\n\n'),
  });
  const stream = await transport.sendMessages(request);
  await assert.rejects(read(stream), { code: "invalid_json", name: "AI_JSONParseError" });
});

test("methods of an app's own class are called, by the AI SDK's chat and by ours", async () => {
  for (const library of [peer, chatwire]) {
    const calls = [];
    class Logged extends library.DefaultChatTransport {
      async sendMessages(options) {
        calls.push(["send", options.messages.length]);
        return super.sendMessages(options);
      }
      processResponseStream(stream) {
        calls.push(["process"]);
        return super.processResponseStream(stream);
      }
    }
    const fetch = async () =>
      new Response(EVENTS, { headers: { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" } });
    const transport = new Logged({ fetch });
    const chat = library === chatwire ? new chatwire.Chat({ transport }) : new PeerChat({ transport });
    await chat.sendMessage({ text: "Hello" });
    assert.deepEqual(calls, [["send", 1], ["process"]]);
    assert.equal(chat.status, "ready");
    assert.equal(chat.lastMessage.parts[0].text, "Grüezi\u2028");
  }
});

test("a protocol of the app's own is read by its processResponseStream", async () => {
  for (const library of [peer, chatwire]) {
    class LineTransport extends library.HttpChatTransport {
      processResponseStream(stream) {
        return stream.pipeThrough(new TextDecoderStream()).pipeThrough(
          new TransformStream({
            start: (controller) => controller.enqueue({ type: "text-start", id: "1" }),
            transform: (delta, controller) => controller.enqueue({ type: "text-delta", id: "1", delta }),
            flush: (controller) => controller.enqueue({ type: "text-end", id: "1" }),
          }),
        );
      }
    }
    const transport = new LineTransport({ api: "/lines", fetch: async () => new Response("a line") });
    const chat = library === chatwire ? new chatwire.Chat({ transport }) : new PeerChat({ transport });
    await chat.sendMessage({ text: "Hello" });
    assert.equal(chat.status, "ready");
    assert.equal(chat.lastMessage.parts[0].text, "a line");
  }
});
