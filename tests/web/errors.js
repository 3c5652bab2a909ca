// How things go wrong: a code and the AI SDK's name, the messages as far as they came.

import { assert, assertEqual, assertSame } from "./check.js";
import { TestChat, withChat } from "./host.js";

const PARTIAL = [
  { type: "start", messageId: "a" },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "So far" },
];

/**
 * Makes a request fail and checks what the app hears of it.
 *
 * @param {object} expected
 * @param {string} expected.code
 * @param {string} [expected.name] default: none of the AI SDK's
 * @param {string} [expected.outcome] default: error
 * @param {string} [expected.message]
 * @param {boolean} [expected.isPartial] whether the answer had begun; default false
 */
async function failing(start, options, fail, expected) {
  const { code, name, outcome = "error", message, isPartial = false } = expected;
  const chat = new TestChat(start, options);
  const done = chat.driver.sendMessage(chat.userMessage("Q"), undefined, undefined);
  const [request] = chat.requests;
  await fail(request);
  await done;
  const { snapshot } = chat;
  const { error } = snapshot;
  assertSame(snapshot.status, "error", "the status");
  assertSame(snapshot.outcome, outcome, "the outcome");
  assert(error instanceof Error, "the error is no Error");
  assertSame(error.code, code, "the code");
  assertSame(error.name, name ?? "Error", "the name");
  if (message !== undefined) assertSame(error.message, message, "the message");
  assertEqual(chat.callsOf("error").length, 1, "calls of onError");
  assertSame(chat.callsOf("error")[0], error, "the error of onError");
  const [finish] = chat.callsOf("finish");
  assertSame(finish.isError, true, "isError");
  assertSame(finish.outcome, outcome, "the outcome of onFinish");
  assertEqual(chat.calls.map(([called]) => called).slice(-2), ["error", "finish"], "the order of calls");
  assertEqual(chat.messages[0].parts, [{ type: "text", text: "Q" }], "the question");
  if (isPartial) assertSame(chat.messages[1].parts[0].text, "So far", "what had come");
  else assertSame(chat.messages.length, 1, "messages");
  chat.check();

  // The next request is none the worse for it.
  chat.driver.clearError();
  assertSame(chat.snapshot.status, "ready", "the status of a cleared error");
  assertSame(chat.snapshot.error, undefined, "a cleared error");
  const next = await chat.ask("Next");
  await next.finish({ type: "text-start", id: "1" });
  assertSame(chat.snapshot.outcome, "complete", "the outcome of the next request");
  chat.check();
  chat.driver.dispose();
  return error;
}

const answers = (body, init) => (request) => request.answer(new Response(body, init));

export async function httpFailures(start) {
  const json = { "content-type": "application/json" };
  const expected = { code: "http_error", name: "AI_APICallError" };
  let error = await failing(start, {}, answers('{"error":{"message":"No quota"}}', { status: 429, headers: json }), {
    ...expected,
    message: "No quota",
  });
  assertSame(error.statusCode, 429, "the status code");
  assertSame(error.responseBody, '{"error":{"message":"No quota"}}', "the body");
  assertSame(error.url, "/api/chat", "the address");
  assertSame(error.isRetryable, true, "isRetryable");
  error = await failing(start, {}, answers("<html>Bad Gateway", { status: 502, headers: { "content-type": "text/html" } }), {
    ...expected,
    message: "HTTP 502 from /api/chat",
  });
  error = await failing(start, {}, answers("Not yours: \ud83d\ude00", { status: 403 }), {
    ...expected,
    message: "Not yours: 😀",
  });
  assertSame(error.isRetryable, false, "isRetryable");
}

/** A page or a document where a stream should be. */
export async function otherContentThanAStream(start) {
  const html = { "content-type": "text/html; charset=utf-8" };
  const error = await failing(start, {}, answers("<!doctype html>", { status: 200, headers: html }), {
    code: "not_a_stream",
  });
  assertSame(error.responseBody, "<!doctype html>", "the body");
  const json = { "content-type": "application/json" };
  await failing(start, {}, answers(' {"ok":true}', { status: 200, headers: json }), { code: "not_a_stream" });
  await failing(start, {}, answers(null, { status: 200 }), {
    code: "empty_body",
    name: "AI_EmptyResponseBodyError",
  });
}

/** What engines throw from fetch keeps its name and is the cause. */
export async function failedConnections(start) {
  const refused = new TypeError("Failed to fetch");
  const error = await failing(start, {}, (request) => request.refuse(refused), {
    code: "network_error",
    name: "TypeError",
    outcome: "disconnect",
    message: "Failed to fetch",
  });
  assertSame(error.cause, refused, "the cause");
  await failing(
    start,
    {},
    async (request) => {
      request.respond();
      await request.read(...PARTIAL);
      await request.breakOff(new TypeError("network error"));
    },
    { code: "network_error", name: "TypeError", outcome: "disconnect", isPartial: true },
  );
}

/** What a transport or a hook of the app throws reaches the app as it is. */
export async function errorsOfTransports(start) {
  const own = Object.assign(new RangeError("mine"), { code: "own" });
  const error = await failing(start, {}, (request) => request.refuse(own), {
    code: "own",
    name: "RangeError",
  });
  assertSame(error, own, "the error");
  let isFirst = true;
  const open = function (context) {
    if (isFirst) {
      isFirst = false;
      throw own;
    }
    return chat.scripted(context);
  };
  const chat = new TestChat(start, { open });
  await chat.driver.sendMessage(chat.userMessage("Q"), undefined, undefined);
  assertSame(chat.snapshot.error, own, "the error of a transport that throws at once");
  const done = chat.driver.sendMessage(chat.userMessage("Q"), undefined, undefined);
  chat.requests[0].refuse("a text");
  await done;
  assertSame(chat.snapshot.error.code, "transport_failed", "the code of what is no Error");
  assertSame(chat.snapshot.error.message, "a text", "the message of what is no Error");
  chat.check();
  chat.driver.dispose();
}

/** An end without `finish` or `[DONE]` is a cut. */
export async function truncatedStreams(start) {
  await failing(
    start,
    {},
    async (request) => {
      request.respond();
      await request.read(...PARTIAL);
      await request.end();
    },
    { code: "truncated", outcome: "truncated", isPartial: true },
  );
}

/** Faults in the stream end it where they are. */
export async function faultsInTheStream(start) {
  const cases = [
    ["{broken", "invalid_json", "AI_JSONParseError"],
    ['{"type":"text-delta","id":"1"}', "invalid_chunk", "AI_TypeValidationError"],
    ['{"type":"data-a","data":{"__proto__":{"admin":true}}}', "forbidden_key", "AI_JSONParseError"],
    ['{"type":"data-a","data":{"constructor":{"prototype":{}}}}', "forbidden_key", "AI_JSONParseError"],
    ['{"type":"data-a","data":{"\\u005f_proto__":1}}', "forbidden_key", "AI_JSONParseError"],
    ['{"type":"error","errorText":"Overloaded"}', "stream_error", undefined],
    ['{"type":"tool-output-available","toolCallId":"nobody","output":1}', "stream_order", "AI_UIMessageStreamError"],
    [`{"type":"data-a","data":${"[".repeat(600)}${"]".repeat(600)}}`, "limit_exceeded", undefined],
  ];
  for (const [fault, code, name] of cases) {
    const fail = async (request) => {
      request.respond();
      await request.read(...PARTIAL, fault, { type: "text-delta", id: "1", delta: " and more" });
    };
    const error = await failing(start, {}, fail, { code, name, isPartial: true });
    if (code === "stream_error") assertSame(error.message, "Overloaded", "the server's words");
  }
  assertSame({}.admin, undefined, "a polluted prototype");
}

export function longEventsAreRefused(start) {
  const fail = async (request) => {
    request.respond();
    await request.read(...PARTIAL);
    await request.readText(`data: ${"x".repeat(3000)}`);
  };
  return failing(start, { maxEventBytes: 2000 }, fail, { code: "limit_exceeded", isPartial: true });
}

/** Unknown and late chunks are reported and skipped. */
export function warnings(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.finish(
      { type: "unheard-of" },
      { type: "text-delta", id: "never", delta: "kept" },
      { type: "tool-input-delta", toolCallId: "nobody", inputTextDelta: "{" },
    );
    assertEqual(
      chat.callsOf("warning").map(({ code }) => code),
      ["unknown_chunk", "part_not_open", "late_tool_input"],
    );
    assert(chat.callsOf("warning").every(({ message }) => message.length > 10), "warnings without a sentence");
    assertSame(chat.parts[0].text, "kept", "the text");
    assertSame(chat.snapshot.outcome, "complete", "the outcome");
  });
}

/** Commands that cannot be done are refused; nothing changes. */
export function refusedCommands(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.finish({ type: "tool-input-available", toolCallId: "c", toolName: "t", input: {} });
    await chat.driver.addToolOutput("c", 1, undefined);
    const before = chat.snapshot;
    await chat.driver.addToolOutput("c", 1, undefined);
    assertSame(chat.snapshot, before, "the snapshot after a repeated output");
    for (const [command, code] of [
      [() => chat.driver.addToolOutput("c", 2, undefined), "conflicting_answer"],
      [() => chat.driver.addToolOutput("nobody", 1, undefined), "unknown_tool_call"],
      [() => chat.driver.addApprovalResponse("nobody", true, undefined, undefined), "unknown_approval"],
      [() => chat.driver.regenerate("nobody", undefined), "invalid_argument"],
      [async () => chat.driver.removeQueued("nobody"), "invalid_argument"],
      [async () => chat.driver.sendQueuedNow("nobody"), "invalid_argument"],
      [() => chat.driver.sendMessage(chat.own({ id: 1, role: "user", parts: [] }), undefined, undefined), "invalid_message"],
      [async () => chat.driver.setMessages([chat.own({ id: "x", role: "user" })]), "invalid_message"],
    ]) {
      const error = await command().then(() => undefined, (error) => error);
      assertSame(error?.code, code, "the code");
      assertSame(chat.snapshot, before, `the snapshot after ${code}`);
    }
  });
}
