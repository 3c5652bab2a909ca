// The WebSocket transport against a real server, and beside the AI SDK's own.

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { WebSocketChatTransport as PeerTransport } from "ai";
import { Chat, WebSocketChatTransport } from "chatwire";
import { WebSocket, WebSocketServer } from "ws";

const answer = (text) => [
  { type: "start" },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: text },
  { type: "text-end", id: "1" },
  { type: "finish" },
];

/** A server that gives each frame to `handle(frame, reply, socket)`; counts connections. */
async function serve(t, handle) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const state = { frames: [], connections: 0, urls: [] };
  server.on("connection", (socket, request) => {
    state.connections++;
    state.urls.push(request.url);
    socket.on("message", (data) => {
      const frame = JSON.parse(String(data));
      state.frames.push(frame);
      state.text = String(data);
      handle(frame, (type, more) => socket.send(JSON.stringify({ type, requestId: frame.requestId, ...more })), socket);
    });
  });
  t.after(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  return { ...state, state, url: `http://127.0.0.1:${server.address().port}/chat?a=1` };
}

/** Answers a send frame with chunks. */
function play(reply, chunks) {
  reply("start");
  chunks.forEach((chunk, sequence) => reply("chunk", { sequence, chunk }));
  reply("end");
}

const chatOn = (url, options = {}) => {
  const transport = new WebSocketChatTransport({ url, webSocket: WebSocket, ...options });
  return { transport, chat: new Chat({ transport, id: "chat", ...options.chat }) };
};

test("a chat over a socket: one connection for many requests, opened when needed", async (t) => {
  const { url, state } = await serve(t, (frame, reply) => {
    if (frame.type === "send") play(reply, answer(`You said ${frame.messages.length}.`));
  });
  const { chat } = chatOn(url);
  const other = chatOn(url);
  assert.equal(state.connections, 0);
  await chat.sendMessage({ text: "a" });
  await chat.sendMessage({ text: "b" });
  assert.equal(state.connections, 1);
  await other.chat.sendMessage({ text: "c" });
  assert.equal(state.connections, 2);
  assert.deepEqual(
    chat.messages.filter(({ role }) => role === "assistant").map(({ parts }) => parts[0].text),
    ["You said 1.", "You said 3."],
  );
  assert.equal(chat.outcome, "complete");
});

test("frames are the AI SDK's", async (t) => {
  const { url, state } = await serve(t, (frame, reply) => {
    if (frame.type === "send") play(reply, answer("Hi."));
    if (frame.type === "resume") reply("no-active");
  });
  const options = {
    url,
    webSocket: WebSocket,
    params: async () => ({ token: "t t" }),
    headers: () => ({ "X-One": "1" }),
    body: { tenant: 7 },
  };
  const request = {
    chatId: "chat",
    trigger: "submit-message",
    messageId: "m",
    messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "x" }] }],
    headers: { "x-two": "2" },
    body: { more: true },
    metadata: { any: 1 },
    abortSignal: undefined,
  };
  const seen = [];
  for (const Transport of [PeerTransport, WebSocketChatTransport]) {
    state.frames.length = 0;
    state.urls.length = 0;
    const transport = new Transport({
      ...options,
      prepareSendMessagesRequest: ({ body, headers }) => ({ body: { ...body, hook: 1 }, headers: { ...headers, "X-Hook": "h" } }),
    });
    const stream = await transport.sendMessages(request);
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    assert.equal(await transport.reconnectToStream({ chatId: "chat", headers: {}, metadata: 1 }), null);
    seen.push({
      frames: state.frames.map(({ requestId, ...frame }) => frame),
      urls: [...state.urls],
      chunks,
    });
    transport.close();
  }
  assert.deepEqual(seen[1], seen[0]);
  assert.equal(seen[0].frames.length, 2);
});

test("what was received goes back as it was spelled", async (t) => {
  const input = '{"big":9007199254740993,"one":1.0}';
  const { url, state } = await serve(t, (frame, reply, socket) => {
    if (state.frames.length > 1) return play(reply, answer("Done."));
    const send = (sequence, chunk) =>
      socket.send(`{"type":"chunk","requestId":"${frame.requestId}","sequence":${sequence},"chunk":${chunk}}`);
    send(0, '{"type":"start"}');
    send(1, `{"type":"tool-input-available","toolCallId":"c","toolName":"t","input":${input}}`);
    send(2, '{"type":"finish"}');
    reply("end");
  });
  const { chat } = chatOn(url);
  await chat.sendMessage({ text: "a" });
  await chat.sendMessage({ text: "b" });
  // A frame is parsed on the way in, so that numbers beyond a double are lost there, as in the peer.
  assert.ok(state.text.includes('"input":{"big":9007199254740992,"one":1}'));
});

test("a chunk that comes twice counts once; a gap ends everything on the connection", async (t) => {
  const { url } = await serve(t, (frame, reply) => {
    const [start, open, delta, ...rest] = answer("Hi.");
    reply("chunk", { sequence: 0, chunk: start });
    reply("chunk", { sequence: 1, chunk: open });
    reply("chunk", { sequence: 2, chunk: delta });
    reply("chunk", { sequence: 2, chunk: delta });
    if (frame.messages.at(-1).parts[0].text === "gap") {
      return reply("chunk", { sequence: 4, chunk: delta });
    }
    rest.forEach((chunk, index) => reply("chunk", { sequence: 3 + index, chunk }));
    reply("end");
  });
  const { chat } = chatOn(url);
  await chat.sendMessage({ text: "fine" });
  assert.equal(chat.lastMessage.parts[0].text, "Hi.");
  await chat.sendMessage({ text: "gap" });
  assert.equal(chat.outcome, "disconnect");
  await chat.sendMessage({ text: "fine" });
  assert.equal(chat.outcome, "complete");
});

test("a connection that breaks is a disconnect, and resumed when the chat resumes", async (t) => {
  const chunks = answer("Whole.");
  const { url, state } = await serve(t, (frame, reply, socket) => {
    if (frame.type === "resume" && state.frames.length === 1) return reply("no-active");
    if (frame.type === "resume") return play(reply, chunks);
    chunks.slice(0, 3).forEach((chunk, sequence) => reply("chunk", { sequence, chunk }));
    setTimeout(() => socket.terminate(), 5);
  });
  const plain = chatOn(url);
  await plain.chat.sendMessage({ text: "a" });
  assert.equal(plain.chat.outcome, "disconnect");
  assert.equal(plain.chat.error.name, "TypeError");

  state.frames.length = 0;
  const { chat } = chatOn(url, { chat: { resume: true } });
  const end = chat.subscribe(() => {});
  await new Promise((done) => setTimeout(done, 50));
  await chat.sendMessage({ text: "a" });
  end();
  assert.equal(chat.outcome, "complete");
  assert.equal(chat.messages.length, 2);
  assert.equal(chat.lastMessage.parts[0].text, "Whole.");
});

test("stop tells the server; late frames are ignored", async (t) => {
  let late;
  const { url, state } = await serve(t, (frame, reply) => {
    if (frame.type !== "send") return;
    reply("chunk", { sequence: 0, chunk: { type: "text-start", id: "1" } });
    late = () => reply("chunk", { sequence: 1, chunk: { type: "text-delta", id: "1", delta: "x" } });
  });
  const { chat } = chatOn(url);
  const done = chat.sendMessage({ text: "a" });
  while (chat.status !== "streaming") await new Promise((next) => setTimeout(next, 5));
  await chat.stop();
  await done;
  late();
  await new Promise((next) => setTimeout(next, 30));
  assert.deepEqual(state.frames.map(({ type }) => type), ["send", "abort"]);
  assert.equal(chat.outcome, "stopped");
  assert.equal(chat.lastMessage.parts[0].text, "");
});

test("faults are typed errors", async (t) => {
  const { url } = await serve(t, (frame, reply, socket) => {
    const text = frame.messages?.at(-1).parts[0].text;
    if (text === "error") reply("error", { errorText: "No." });
    if (text === "garbage") socket.send("{not json");
  });
  const { chat } = chatOn(url);
  await chat.sendMessage({ text: "error" });
  assert.deepEqual([chat.outcome, chat.error.message], ["error", "No."]);
  await chat.sendMessage({ text: "garbage" });
  assert.equal(chat.outcome, "disconnect");

  const fragment = chatOn(`${url}#x`);
  await fragment.chat.sendMessage({ text: "a" });
  assert.equal(fragment.chat.error.code, "invalid_argument");
  const none = new Chat({ transport: new WebSocketChatTransport({ url }) });
  await none.sendMessage({ text: "a" });
  assert.equal(none.error.code, globalThis.WebSocket ? none.error.code : "unsupported");
  const refused = chatOn("ws://127.0.0.1:1/");
  await refused.chat.sendMessage({ text: "a" });
  assert.equal(refused.chat.outcome, "disconnect");
});
