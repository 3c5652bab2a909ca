// A run of the server: stopped, left alone, found running, only watched, and what it took.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Chat, DefaultChatTransport } from "chatwire";
import { ScriptedChatTransport } from "chatwire/testing";

const text = [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "Half" },
];
const running = [{ type: "start", messageId: "a" }, { type: "start-step" }, ...text, { wait: 60_000 }];
const complete = [{ type: "start", messageId: "b" }, ...text, { type: "finish" }];
const final = '{"id":"a","role":"assistant","parts":[{"type":"text","text":"Half of it"}],"metadata":{"n":1.0}}';

async function until(holds) {
  for (let tries = 0; !holds(); tries++) {
    assert.ok(tries < 400, `never came: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A chat whose response is under way, over HTTP: what the server gets, and answers elsewhere. */
async function streaming(options, answers = {}) {
  const requests = [];
  const fetch = async (url, init) => {
    requests.push({ url, method: init.method, headers: init.headers, body: init.body, signal: init.signal });
    if (url !== "/api/chat") return (answers[url] ?? (() => new Response(null, { status: 204 })))(init);
    const isFirst = requests.filter((request) => request.url === url).length === 1;
    const body = new ReadableStream({
      start(controller) {
        for (const chunk of isFirst ? running.slice(0, -1) : complete) {
          controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`));
        }
        if (!isFirst) controller.close();
      },
    });
    return new Response(body, {
      headers: { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" },
    });
  };
  const errors = [];
  const transport = new DefaultChatTransport({ fetch, headers: { Authorization: "Bearer x" } });
  const chat = new Chat({ id: "thread", transport, onError: (error) => errors.push(error), ...options });
  void chat.sendMessage({ text: "Go" });
  await until(() => chat.lastMessage?.parts.some((part) => part.text === "Half"));
  return { chat, requests, errors };
}

test("a stop is posted, with the transport's headers, and the server's message is the one that counts", async () => {
  const { chat, requests, errors } = await streaming(
    { cancel: "/cancel" },
    { "/cancel": () => new Response(final, { headers: { "content-type": "application/json" } }) },
  );
  await chat.stop({ label: "enough" });
  const [sent, cancelled] = requests;
  assert.equal(cancelled.url, "/cancel");
  assert.equal(cancelled.method, "POST");
  assert.equal(cancelled.headers.authorization, "Bearer x");
  assert.deepEqual(JSON.parse(cancelled.body), { id: "thread", messageId: "a", label: "enough" });
  assert.equal(chat.outcome, "stopped");
  assert.equal(chat.lastMessage.parts[0].text, "Half of it");
  assert.ok((await chat.exportMessages()).includes(final), "its text is kept");
  assert.deepEqual(errors, []);
  assert.ok(sent.signal.reason instanceof DOMException);
  assert.equal(sent.signal.reason.name, "AbortError");
  assert.equal(sent.signal.reason.message, "enough");
});

test("a function cancels the app's own way; a message that is not in the list yet joins it", async () => {
  const runs = [];
  const { chat } = await streaming({
    cancel: async (run) => {
      runs.push(run);
      return { ...JSON.parse(final), id: "other" };
    },
  });
  await chat.stop();
  assert.deepEqual(runs, [{ chatId: "thread", messageId: "a", label: undefined }]);
  assert.deepEqual(chat.messages.map(({ id }) => id).slice(1), ["a", "other"]);
});

test("a failure to cancel is told, and the chat is stopped all the same", async () => {
  const { chat, errors } = await streaming(
    { cancel: "/cancel" },
    { "/cancel": () => new Response("No such run", { status: 404, headers: { "content-type": "text/plain" } }) },
  );
  await chat.stop();
  assert.deepEqual(errors.map(({ code, message }) => [code, message]), [["http_error", "No such run"]]);
  assert.deepEqual([chat.status, chat.outcome], ["ready", "stopped"]);
  assert.equal(chat.lastMessage.parts.at(-1).text, "Half");
});

test("what is sent meanwhile waits for the server's word", async () => {
  let answer;
  const { chat, requests } = await streaming(
    { cancel: "/cancel" },
    { "/cancel": () => new Promise((resolve) => (answer = () => resolve(new Response(final)))) },
  );
  const stopped = chat.stop();
  const sent = chat.sendMessage({ text: "And now?" });
  await until(() => answer !== undefined);
  assert.deepEqual(requests.map(({ url }) => url), ["/api/chat", "/cancel"]);
  answer();
  await Promise.all([stopped, sent]);
  assert.deepEqual(requests.map(({ url }) => url), ["/api/chat", "/cancel", "/api/chat"]);
  assert.ok(requests[2].body.includes(final));
});

test("a message that interrupts cancels, one that waits does not", async () => {
  for (const [whileBusy, urls] of [
    ["interrupt", ["/api/chat", "/cancel", "/api/chat"]],
    ["queue", ["/api/chat"]],
  ]) {
    const { chat, requests } = await streaming({ cancel: "/cancel", whileBusy });
    const sent = chat.sendMessage({ text: "Something else" });
    if (whileBusy === "interrupt") await sent;
    assert.deepEqual(requests.map(({ url }) => url), urls);
    chat.dispose();
  }
});

test("to leave a run alone cancels nothing, and it can be taken up again", async () => {
  const { chat, requests, errors } = await streaming({ cancel: "/cancel" });
  await chat.detach();
  assert.deepEqual([chat.status, chat.outcome, chat.connection], ["ready", "disconnect", "idle"]);
  assert.equal(requests.length, 1);
  assert.ok(requests[0].signal.aborted);
  await chat.resumeStream();
  assert.equal(requests[1].url, "/api/chat/thread/stream");
  assert.equal(chat.lastMessage.parts.at(-1).text, "Half");
  assert.deepEqual(errors, []);
});

test("a run that is active already: an error of its own, or shown in the place of a new one", async () => {
  for (const onConflict of ["error", "attach"]) {
    const requests = [];
    const fetch = async (url, { method }) => {
      requests.push(`${method} ${url}`);
      if (method === "POST") return Response.json({ error: "A run is active." }, { status: 409 });
      const body = [...complete].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    const chat = new Chat({ id: "thread", transport: new DefaultChatTransport({ fetch }), onConflict });
    await chat.sendMessage({ text: "Go" });
    if (onConflict === "error") {
      assert.deepEqual([chat.status, chat.error.code, chat.error.name], ["error", "run_active", "AI_APICallError"]);
      assert.deepEqual(requests, ["POST /api/chat"]);
    } else {
      assert.deepEqual([chat.status, chat.outcome], ["ready", "complete"]);
      assert.deepEqual(requests, ["POST /api/chat", "GET /api/chat/thread/stream"]);
      assert.equal(chat.lastMessage.id, "b");
    }
  }
});

test("a chat that only shows refuses what would change it, and follows what runs", async () => {
  let executed = 0;
  const call = { type: "tool-input-available", toolCallId: "c", toolName: "look", input: {} };
  const transport = new ScriptedChatTransport([[{ type: "start", messageId: "b" }, call, { type: "finish" }]]);
  const chat = new Chat({
    transport,
    readOnly: true,
    messages: [{ id: "u", role: "user", parts: [{ type: "text", text: "Hi" }] }],
    clientTools: { look: { execute: () => void executed++ } },
    onToolCall: () => void executed++,
    cancel: () => assert.fail("a reader stops nobody's run"),
  });
  const refused = { code: "read_only" };
  await assert.rejects(chat.sendMessage({ text: "Go" }), refused);
  await assert.rejects(chat.regenerate(), refused);
  await assert.rejects(chat.addToolOutput({ tool: "look", toolCallId: "c", output: 1 }), refused);
  await assert.rejects(chat.addToolApprovalResponse({ id: "a", approved: true }), refused);
  assert.equal(transport.requests.length, 0);
  await chat.resumeStream();
  assert.equal(chat.lastMessage.id, "b");
  await chat.stop();
  assert.equal(executed, 0);
  assert.equal(chat.messages.length, 2);
});

test("an approval is pending, answered, expired, or cancelled with its run", async () => {
  const part = (id, rest = {}) => ({
    type: "tool-remove",
    toolCallId: `c-${id}`,
    state: "approval-requested",
    input: { file: id },
    approval: { id },
    ...rest,
  });
  const message = (id, parts, metadata) => ({ id, role: "assistant", parts, metadata });
  const warnings = [];
  const chat = new Chat({
    transport: new ScriptedChatTransport([complete]),
    messages: [
      message("m1", [part("late"), part("open"), part("moved", { state: "output-available", output: 1 })], {}),
      message("m2", [part("gone")], { status: "cancelled" }),
      message("m3", [part("dead")], { status: "reaped" }),
    ],
    approvalExpiresAt: ({ input }) => (input.file === "late" ? Date.now() - 1 : Date.now() + 60_000),
    onWarning: ({ code }) => warnings.push(code),
  });
  const states = () =>
    chat.messages.flatMap((message) => message.parts.map((part) => chat.approvalState(message, part)));
  assert.deepEqual(states(), ["expired", "pending", "cancelled", "cancelled", "cancelled"]);
  assert.deepEqual(chat.messages.map((message) => chat.draftStatus(message)), ["complete", "cancelled", "reaped"]);
  await assert.rejects(chat.addToolApprovalResponse({ id: "late", approved: true }), { code: "approval_expired" });
  for (const id of ["gone", "dead", "moved"]) {
    await assert.rejects(chat.addToolApprovalResponse({ id, approved: true }), { code: "conflicting_answer" });
  }
  assert.deepEqual(warnings, ["approval_expired", "conflicting_answer", "conflicting_answer", "conflicting_answer"]);
  await chat.addToolApprovalResponse({ id: "open", approved: false });
  assert.deepEqual(states()[1], "denied");
});

test("what a message took is the sum of all responses that made it", async () => {
  const usage = (n) => ({
    inputTokens: n,
    inputTokenDetails: { cacheReadTokens: n, noCacheTokens: undefined },
    outputTokenDetails: { reasoningTokens: 1 },
    totalTokens: n + 1,
    raw: { their_own: n },
  });
  const answer = (call) => [
    { type: "start", messageId: "a" },
    { type: "tool-input-available", toolCallId: call, toolName: "look", input: {} },
    { type: "finish", messageMetadata: { totalUsage: usage(10) } },
  ];
  const transport = new ScriptedChatTransport([answer("c1"), answer("c2"), [{ type: "start", messageId: "b" }, ...text, { type: "finish" }]]);
  const told = [];
  const chat = new Chat({
    transport,
    messages: [{ id: "old", role: "assistant", parts: [], metadata: { usage: { totalTokens: 5 } } }],
    onFinish: ({ usage }) => told.push(usage?.totalTokens),
  });
  await chat.sendMessage({ text: "Go" });
  await chat.addToolOutput({ tool: "look", toolCallId: "c1", output: 1 });
  await chat.sendMessage();
  assert.deepEqual(told, [11, 11]);
  assert.deepEqual(chat.usageOf(chat.lastMessage), {
    inputTokens: 20,
    inputTokenDetails: { cacheReadTokens: 20 },
    outputTokenDetails: { reasoningTokens: 2 },
    totalTokens: 22,
  });
  assert.equal(chat.usage.totalTokens, 27);
  await chat.addToolOutput({ tool: "look", toolCallId: "c2", output: 1 });
  await chat.sendMessage({ text: "And?" });
  assert.equal(chat.usageOf(chat.lastMessage), undefined, "the server did not say");
  assert.equal(chat.usage.totalTokens, 27);
  const again = new Chat({ transport: new ScriptedChatTransport([answer("c3")]), messages: await chat.exportMessages() });
  assert.equal(again.usage.totalTokens, 16, "of a loaded message, what its metadata has");
});

test("a stop between two responses is remembered when the memory is given back", async () => {
  const call = { type: "tool-input-available", toolCallId: "c", toolName: "look", input: {} };
  const transport = new ScriptedChatTransport([[{ type: "start", messageId: "a" }, call, { type: "finish" }], complete]);
  const chat = new Chat({ transport });
  await chat.sendMessage({ text: "Go" });
  await chat.stop();
  await new Promise((resolve) => setTimeout(resolve, 1300));
  await chat.sendMessage({ text: "And now?" });
  const [part] = transport.requests[1].messages[1].parts;
  assert.deepEqual([part.state, part.errorText], ["output-error", "stopped by the user"]);
});
