// The intended differences of tests/differences.md that no report in cases.test.mjs shows: what each
// client does.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import {
  S,
  approval,
  assistant,
  both,
  data,
  heard,
  ids,
  start,
  td,
  te,
  texts,
  tia,
  tid,
  tis,
  toa,
  ts,
  user,
} from "./support/both.mjs";
import { listedDifferences } from "./support/list.mjs";
import { settle } from "./support/side.mjs";

test("difference 3: null in an optional member is absent", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.finish({ ...ts(), providerMetadata: null }, td("a"), te());
    return { status: side.chat.status, parts: side.last.parts };
  });
  assert.deepEqual(chatwire, { status: "ready", parts: [{ type: "text", text: "a", state: "done" }] });
  assert.equal(peer.status, "error");
});

test("difference 3: a missing input, output or data is null, for callbacks too", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.finish(tia("c", { input: undefined }), toa("c", { output: undefined }), {
      type: "data-x",
    });
    const log = side.takeLog();
    return {
      status: side.chat.status,
      parts: side.last.parts.map((part) => [part.input, part.output, part.data]),
      called: log.flatMap(({ toolCall, data }) => (toolCall ? [toolCall.input] : data ? [data.data] : [])),
    };
  });
  assert.deepEqual(chatwire, {
    status: "ready",
    parts: [
      [null, null, undefined],
      [undefined, undefined, null],
    ],
    called: [null, null],
  });
  assert.equal(peer.status, "error");
});

test("difference 4: a delta whose part is not open goes on in the one that is, or opens one", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.finish(ts("a"), td("one", "b"), te("a"), td("two", "a"), tid("1", "unknown"));
    return {
      status: side.chat.status,
      texts: texts(side.last),
      warnings: side.warnings.map(({ code }) => code),
    };
  });
  assert.deepEqual(chatwire, {
    status: "ready",
    texts: ["one", "two"],
    warnings: ["part_not_open", "part_not_open", "late_tool_input"],
  });
  assert.deepEqual(peer, { status: "error", texts: [""], warnings: [] });
});

test("difference 5: an abort ends the response, with its reason", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.send(ts(), td("a"), { type: "abort", reason: "deploy" });
    const [finish] = heard(side, "finish");
    return {
      status: side.chat.status,
      state: side.last.parts[0].state,
      finish: finish && [finish.isAbort, finish.outcome, finish.reason],
    };
  });
  assert.deepEqual(chatwire, { status: "ready", state: "done", finish: [true, "aborted", "deploy"] });
  assert.deepEqual(peer, { status: "streaming", state: "streaming", finish: undefined });
});

test("difference 6: a tool call has one part, whatever its kind and its step", async () => {
  for (const chunks of [
    [S, tis(), tia("c", { dynamic: true }), toa()],
    [S, tis(), tid('{"a"'), S, tid(":1}"), tia(), toa()],
  ]) {
    const { peer, chatwire } = await both({}, async (side) => {
      await side.ask();
      await side.request.finish(...chunks);
      return side.last.parts.filter(({ toolCallId }) => toolCallId).map(({ state }) => state);
    });
    assert.deepEqual(chatwire, ["output-available"]);
    assert.equal(peer.length, 2);
    assert.notDeepEqual(peer, ["output-available", "output-available"]);
  }
});

test("difference 7: a late input delta changes nothing", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.finish(tis(), tia(), toa(), tid("{}"));
    const { state, output } = side.last.parts[0];
    return { state, output };
  });
  assert.deepEqual(chatwire, { state: "output-available", output: { b: 2 } });
  assert.deepEqual(peer, { state: "input-streaming", output: undefined });
});

test("difference 8: a continuation with another id is a message of its own, earlier results reach their message", async () => {
  const messages = [
    user("u"),
    assistant("a1", { type: "tool-x", toolCallId: "c", state: "input-available", input: 1 }),
  ];
  const { peer, chatwire } = await both({ messages }, async (side) => {
    side.command((chat) => chat.sendMessage());
    await settle();
    await side.request.finish(start("a2"), toa(), ts(), td("new"), te());
    return side.shown.messages
      .slice(1)
      .map((message) => [message.id, ...message.parts.map(({ state }) => state)]);
  });
  assert.deepEqual(chatwire, [
    ["a1", "output-available"],
    ["a2", "done"],
  ]);
  assert.deepEqual(peer, [
    ["a1", "input-available"],
    ["a2", "output-available", "done"],
  ]);
});

test("difference 13: answers to what is not there, and contradicting ones, are refused", async () => {
  const give = [
    (chat) => chat.addToolOutput({ tool: "x", toolCallId: "unknown", output: 1 }),
    (chat) => chat.addToolApprovalResponse({ id: "unknown", approved: true }),
    (chat) => chat.addToolOutput({ tool: "x", toolCallId: "c", output: 1 }),
    (chat) => chat.addToolOutput({ tool: "x", toolCallId: "c", output: 1 }),
    (chat) => chat.addToolOutput({ tool: "x", toolCallId: "c", output: 2 }),
  ];
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.finish(tia());
    for (const command of give) side.command(command);
    await settle();
    const [rejected, warned] = [side.rejections, side.warnings].map((list) => list.map(({ code }) => code));
    return { rejected, warned, output: side.last.parts[0].output };
  });
  const codes = ["unknown_tool_call", "unknown_approval", "conflicting_answer"];
  assert.deepEqual(chatwire, { rejected: codes, warned: codes, output: 1 });
  assert.deepEqual(peer, { rejected: [], warned: [], output: 2 });
});

test("difference 14: an error page does not become the message of the error", async () => {
  const page = "<html><body>Bad gateway</body></html>";
  const respond = () => new Response(page, { status: 502, headers: { "content-type": "text/html" } });
  const { peer, chatwire } = await both(
    { respond, transport: { api: "https://example.com/api/chat" } },
    async (side) => {
      await side.ask();
      const { name, message, code, statusCode, responseBody } = side.chat.error;
      return { name, message, code, statusCode, responseBody };
    },
  );
  const rest = { name: "AI_APICallError", statusCode: 502, responseBody: page };
  assert.deepEqual(chatwire, { ...rest, message: "HTTP 502 from /api/chat", code: "http_error" });
  assert.deepEqual(peer, { ...rest, message: page, code: undefined });
});

test("difference 14: a page with status 200 is no empty success", async () => {
  const respond = () =>
    new Response("<html></html>", { headers: { "content-type": "text/html; charset=utf-8" } });
  const { peer, chatwire } = await both({ respond }, async (side) => {
    await side.ask();
    return [side.chat.status, side.chat.error?.code];
  });
  assert.deepEqual(chatwire, ["error", "not_a_stream"]);
  assert.deepEqual(peer, ["ready", undefined]);
});

test("difference 15: a resumed stream goes on in the middle of a text, after a reload too", async () => {
  const messages = [user("u"), assistant("a", { type: "text", text: "Hel", state: "streaming" })];
  const { peer, chatwire } = await both({ messages }, async (side) => {
    side.command((chat) => chat.resumeStream());
    await settle();
    await side.request.finish(td("lo"), te());
    return [side.chat.status, side.shown.messages.map(texts)];
  });
  assert.deepEqual(chatwire, ["ready", [["Hi"], ["Hello"]]]);
  assert.equal(peer[0], "error");
});

test("difference 15: a lost connection is made again, a send is not repeated", async () => {
  // The first resume, of the new chat, finds nothing.
  let isNew = true;
  const respond = (url, { method }) =>
    method === "GET" && isNew ? new Response(null, { status: 204 }) : undefined;
  const { peer, chatwire } = await both({ init: { resume: true }, respond }, async (side) => {
    isNew = true;
    await settle();
    isNew = false;
    side.requests.length = 0;
    await side.ask();
    await side.request.send(start("a"), ts(), td("Hel"));
    await side.request.cut(new TypeError("network error"));
    const deadline = performance.now() + 3000;
    while (!side.request && side.chat.status !== "error" && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const methods = side.requests.map(({ init }) => init.method);
    if (side.request) await side.request.finish(start("a"), ts(), td("Hello"), te());
    return { methods, status: side.chat.status, texts: texts(side.last) };
  });
  assert.deepEqual(chatwire, { methods: ["POST", "GET"], status: "ready", texts: ["Hello"] });
  assert.deepEqual(peer, { methods: ["POST"], status: "error", texts: ["Hel"] });
});

test("difference 16: members of a citation that are not known stay", async () => {
  const source = { type: "source", sourceType: "url", id: "s", url: "https://example.com", future: 1 };
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.finish(ts(), { ...te(), citations: [{ source, future: 2 }] });
    return side.last.parts[0].citations[0];
  });
  assert.deepEqual(chatwire, { source, future: 2 });
  const { future, ...known } = source;
  assert.deepEqual(peer, { source: known });
});

test("difference 17: metadata of unlike types is replaced, not mixed and not an error", async () => {
  const metadata = (messageMetadata) => ({ type: "message-metadata", messageMetadata });
  for (const [first, second, peerShows] of [
    [{ k: 1 }, [7, 8], { 0: 7, 1: 8, k: 1 }],
    ["text", { a: 1 }, "error"],
    [[1, 2], { a: 1 }, { 0: 1, 1: 2, a: 1 }],
    [[1, 2], [3], { 0: 3, 1: 2 }],
  ]) {
    const { peer, chatwire } = await both({}, async (side) => {
      await side.ask();
      await side.request.finish(metadata(first), metadata(second));
      return side.chat.status === "error" ? "error" : side.last.metadata;
    });
    assert.deepEqual(chatwire, second);
    assert.deepEqual(peer, peerShows);
  }
});

test("difference 17: a data part holds its type, id and data, nothing else of its chunk", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.finish(data("d", 1, { transient: false, extra: 2 }));
    return side.last.parts;
  });
  assert.deepEqual(chatwire, [{ type: "data-x", id: "d", data: 1 }]);
  assert.deepEqual(peer, [{ type: "data-x", id: "d", data: 1, transient: false, extra: 2 }]);
});

test("difference 18: an exception in a callback is told to onError and ends nothing", async () => {
  const throwing = (name) => () => {
    throw new Error(`from ${name}`);
  };
  const init = { onData: throwing("onData"), onFinish: throwing("onFinish") };
  const { peer, chatwire } = await both({ init }, async (side) => {
    await side.ask();
    await side.request.finish(data("d"), ts(), td("a"), te());
    return {
      status: side.chat.status,
      texts: texts(side.last),
      errors: heard(side, "error").map(({ message }) => message),
      rejections: side.rejections.length,
    };
  });
  assert.deepEqual(chatwire, {
    status: "ready",
    texts: ["data-x", "a"],
    errors: ["from onData", "from onFinish"],
    rejections: 0,
  });
  assert.equal(peer.status, "error");
  assert.equal(peer.rejections, 1);
});

test("difference 19: callbacks see the state that belongs to them", async () => {
  const seen = [];
  let chat;
  const see = (name) => () => seen.push([name, chat.status, chat.messages.at(-1).parts.length]);
  const { peer, chatwire } = await both(
    { init: { onData: see("data"), onError: see("error") } },
    async (side) => {
      seen.length = 0;
      chat = side.chat;
      await side.ask();
      await side.request.send(data("d"), { type: "error", errorText: "e" });
      return [...seen];
    },
  );
  assert.deepEqual(chatwire, [
    ["data", "streaming", 1],
    ["error", "error", 1],
  ]);
  assert.deepEqual(peer, [
    ["data", "submitted", 1],
    ["error", "streaming", 1],
  ]);
});

test("difference 20: a step is shown when it starts, and stays when nothing comes in it", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.send(S, ts(), td("a"), te(), S);
    const atStart = texts(side.last);
    await side.request.finish();
    return [atStart, texts(side.last)];
  });
  assert.deepEqual(chatwire, [
    ["step-start", "a", "step-start"],
    ["step-start", "a", "step-start"],
  ]);
  assert.deepEqual(peer, [
    ["step-start", "a"],
    ["step-start", "a"],
  ]);
});

test("difference 21: sendMessage() does not go on with a message that is gone", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.finish(start("gone"), S, tia(), approval());
    side.command((chat) => chat.addToolApprovalResponse({ id: "approval-of-c", approved: true }));
    await settle();
    side.command((chat) => chat.sendMessage({ text: "edited", messageId: ids(side)[0] }));
    await settle();
    await side.request.finish(start("new"), ts(), td("a"), te());
    side.command((chat) => chat.sendMessage());
    await settle();
    return side.request.sent.body.messageId;
  });
  assert.equal(chatwire, "new");
  assert.equal(peer, "gone");
});

test("difference 22: a tool call that a stop left open is reported as stopped with the next request", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.send(S, tia());
    await side.chat.stop();
    await side.ask("next");
    const { state, errorText } = side.request.sent.body.messages[1].parts[1];
    return { state, errorText };
  });
  assert.deepEqual(chatwire, { state: "output-error", errorText: "stopped by the user" });
  assert.deepEqual(peer, { state: "input-available", errorText: undefined });
});

test("difference 23: the client's own output is final, also over a preliminary one", async () => {
  const { peer, chatwire } = await both({ rule: "toolCalls" }, async (side) => {
    await side.ask();
    await side.request.finish(S, tia(), toa("c", { preliminary: true }));
    side.command((chat) => chat.addToolOutput({ tool: "x", toolCallId: "c", output: "final" }));
    await settle();
    return { preliminary: side.last.parts[1].preliminary, requests: side.requests.length };
  });
  assert.deepEqual(chatwire, { preliminary: undefined, requests: 2 });
  assert.deepEqual(peer, { preliminary: true, requests: 1 });
});

test("each listed difference has tests of the names that the list gives", () => {
  const folder = new URL(".", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".test.mjs"));
  const texts = files.map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
  const listed = listedDifferences();
  assert.deepEqual(
    [...listed.keys()],
    Array.from(listed.keys(), (_, index) => String(index + 1)),
  );
  for (const [id, names] of listed) {
    assert.ok(names.length > 0, `difference ${id} names no test`);
    for (const name of names)
      assert.ok(texts.includes(`test("${name}"`), `difference ${id}: no test "${name}"`);
  }
});
