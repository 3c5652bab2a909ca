// Silence of a connection: never a fault by itself, and a typed one where the app sets a limit.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Chat, DefaultChatTransport } from "chatwire";
import { ScriptedChatTransport } from "chatwire/testing";

const encoder = new TextEncoder();
const event = (chunk) => `data: ${JSON.stringify(chunk)}\n\n`;
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const headers = { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" };

/** Answers with pieces: texts, and milliseconds of silence. Notes whether the client went away. */
function server(...answers) {
  const requests = [];
  const fetch = async (url, { method, signal }) => {
    const pieces = answers[Math.min(requests.length, answers.length - 1)];
    const request = { url, method, isAborted: false };
    requests.push(request);
    signal.addEventListener("abort", () => (request.isAborted = true));
    const [first, ...rest] = pieces;
    if (typeof first === "number") await Promise.race([sleep(first), aborted(signal)]);
    const body = new ReadableStream({
      async start(controller) {
        for (const piece of typeof first === "number" ? rest : pieces) {
          if (typeof piece === "number") await sleep(piece);
          else if (!request.isAborted) controller.enqueue(encoder.encode(piece));
        }
        if (!request.isAborted) controller.close();
      },
    });
    return new Response(body, { headers });
  };
  return { requests, transport: new DefaultChatTransport({ fetch }) };
}

function aborted(signal) {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

const begin = event({ type: "text-start", id: "1" }) + event({ type: "text-delta", id: "1", delta: "half" });
const rest = event({ type: "text-delta", id: "1", delta: " and half" }) + event({ type: "finish" }) + "data: [DONE]\n\n";

test("no answer within the limit", async () => {
  const { requests, transport } = server([10_000, begin]);
  const finished = [];
  const chat = new Chat({ transport, timeouts: { firstByteMs: 40 }, onFinish: (event) => finished.push(event) });
  await chat.sendMessage({ text: "Hello" });
  assert.equal(chat.status, "error");
  assert.equal(chat.error.code, "timed_out");
  assert.match(chat.error.message, /40 ms/);
  assert.equal(chat.outcome, "disconnect");
  assert.equal(finished.length, 1);
  assert.ok(finished[0].isDisconnect && finished[0].isError && !finished[0].isAbort);
  assert.ok(requests[0].isAborted);
});

test("an answer that falls silent; what came stays", async () => {
  const { requests, transport } = server([begin, 10_000, rest]);
  const chat = new Chat({ transport, timeouts: { firstByteMs: 5_000, idleMs: 40 } });
  await chat.sendMessage({ text: "Hello" });
  assert.equal(chat.error.code, "timed_out");
  assert.equal(chat.lastMessage.parts[0].text, "half");
  assert.ok(requests[0].isAborted);
});

test("comments keep a connection alive, and a slow first byte is not an idle one", async () => {
  const silence = [30, ": keep-alive\n\n", 30, ": keep-alive\n\n", 30];
  const { transport } = server([60, begin, ...silence, rest]);
  const chat = new Chat({ transport, timeouts: { idleMs: 50 } });
  await chat.sendMessage({ text: "Hello" });
  assert.equal(chat.status, "ready");
  assert.equal(chat.lastMessage.parts[0].text, "half and half");
});

test("without a limit silence is no fault, and a limit ends with the response", async () => {
  const { transport } = server([begin, 150, rest]);
  const chat = new Chat({ transport });
  await chat.sendMessage({ text: "Hello" });
  assert.equal(chat.status, "ready");
  const limited = new Chat({ transport, timeouts: { firstByteMs: 1_000, idleMs: 200 } });
  await limited.sendMessage({ text: "Hello" });
  await sleep(250);
  assert.equal(limited.status, "ready");
});

test("with resume the response is taken up again", async () => {
  const { requests, transport } = server([event({ type: "start", messageId: "a" }) + begin, 10_000], [rest]);
  const chat = new Chat({ transport, resume: true, timeouts: { idleMs: 40 } });
  await chat.sendMessage({ text: "Hello" });
  assert.equal(chat.status, "ready");
  assert.equal(chat.lastMessage.parts[0].text, "half and half");
  assert.deepEqual(requests.map(({ method }) => method), ["POST", "GET"]);
});

test("a stop wins, and a transport of chunks is watched, too", async () => {
  const transport = new ScriptedChatTransport([[{ type: "text-start", id: "1" }, { wait: 10_000 }]]);
  const chat = new Chat({ transport, timeouts: { idleMs: 40 } });
  await chat.sendMessage({ text: "Hello" });
  assert.equal(chat.error.code, "timed_out");
  const sent = chat.sendMessage({ text: "Hello" });
  await sleep(10);
  await chat.stop();
  await sent;
  await sleep(80);
  assert.equal(chat.outcome, "stopped");
  assert.equal(chat.status, "ready");
});

test("no alarm goes off behind a stop, though the transport does not heed it", async () => {
  const errors = [];
  let requests = 0;
  const transport = new DefaultChatTransport({
    // The first request never ends; the second one is cut at once and made again after a while.
    fetch: async () => (requests++ === 0 ? new Promise(() => {}) : new Response(requests === 2 ? begin : begin + rest, { headers })),
  });
  const chat = new Chat({ transport, resume: true, timeouts: { firstByteMs: 60 }, onError: (error) => errors.push(error) });
  const first = chat.sendMessage({ text: "Hello" });
  await sleep(10);
  await chat.stop();
  await first;
  await chat.sendMessage({ text: "Again" });
  assert.equal(chat.status, "ready");
  assert.equal(requests, 3, "the connection that was lost meanwhile was made again");
  assert.deepEqual(errors, []);
});
