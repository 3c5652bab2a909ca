// Public reports about the AI SDK's client that concern the wire, the fold, the machine, automatic
// sending, approvals and races: what each client does. Numbers are vercel/ai unless said otherwise;
// differences are those of tests/differences.md.

import assert from "node:assert/strict";
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
import { settle, Side } from "./support/side.mjs";
import { eventOf } from "./support/events.mjs";

// Rendering

test("#17113, #1883: a tool input in thousands of deltas costs its length, not its square", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.send(tis(), tid('{"code":"'));
    const seconds = performance.now();
    side.request.push(Array.from({ length: 4000 }, () => eventOf(tid("x"))).join(""));
    for (let turns = 0; turns < 200 && side.last.parts[0].rawInput.length < 4009; turns++) await settle();
    return { duration: performance.now() - seconds, code: side.last.parts[0].input.code.length };
  });
  assert.equal(peer.code, 4000);
  assert.equal(chatwire.code, 4000);
  assert.ok(chatwire.duration * 4 < peer.duration, `${chatwire.duration} ms beside ${peer.duration} ms`);
});

test("#6166, #1963: a burst is shown a few times, its end is complete", async () => {
  const side = new Side("chatwire", { init: { throttle: 50 } });
  let shown = 0;
  side.chat.subscribe(() => shown++);
  await side.ask();
  const begun = shown;
  const started = performance.now();
  for (let read = 0; read < 500; read++) await side.request.send(read === 0 ? ts() : td("word "));
  await side.request.finish(te());
  const most = Math.ceil((performance.now() - started) / 50) + 3;
  assert.ok(shown - begun <= most, `shown ${shown - begun} times, at most ${most}`);
  assert.equal(side.last.parts[0].text, "word ".repeat(499));
  await side.end();
});

test("#6466: a published message never changes, and parts that did not change stay the same", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.send(start("m"));
    const [first, parts] = [side.chat.messages.at(-1), side.chat.messages.at(-1).parts.length];
    await side.request.send(S, ts(), td("a"));
    const [step] = side.chat.messages.at(-1).parts;
    await side.request.send(td("b"));
    return { mutates: first.parts.length !== parts, keeps: side.chat.messages.at(-1).parts[0] === step };
  });
  assert.deepEqual(peer, { mutates: true, keeps: false });
  assert.deepEqual(chatwire, { mutates: false, keeps: true });
});

// Duplicates, message identity

test("#8734: content before the start is in the message that the start names (difference 8)", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.finish(data(), ts(), start("m1"), td("text"), te());
    return side.shown.messages.map((message) => [message.id, ...texts(message)]);
  });
  assert.deepEqual(chatwire, [
    ["id-1", "Hi"],
    ["m1", "data-x", "text"],
  ]);
  assert.deepEqual(peer, [
    ["id-1", "Hi"],
    ["id-2", "data-x", ""],
    ["m1", "data-x", "text"],
  ]);
});

test("#2505, #5318: a late start does not change the key of the message in a list", async () => {
  const side = new Side("chatwire");
  await side.ask();
  await side.request.send(ts(), td("a"));
  const before = side.chat.keyOf(side.chat.messages.at(-1));
  await side.request.finish(start("m1"), td("b"), te());
  const message = side.chat.messages.at(-1);
  assert.equal(message.id, "m1");
  assert.equal(side.chat.keyOf(message), before);
  await side.end();
});

test("#14688: a replay of what is saved already gives one text", async () => {
  const saved = assistant(
    "a1",
    { type: "text", text: "old" },
    { type: "tool-x", toolCallId: "c", state: "input-streaming", input: {} },
  );
  const { peer, chatwire } = await both({ messages: [user("u"), saved] }, async (side) => {
    side.command((chat) => chat.resumeStream());
    await settle();
    await side.request.finish(start("a1"), ts(), td("old"), te(), tia(), toa());
    return side.shown.messages.map((message) => [message.id, ...texts(message)]);
  });
  assert.deepEqual(chatwire, [
    ["u", "Hi"],
    ["a1", "old", "tool-x"],
  ]);
  assert.deepEqual(peer, chatwire);
});

test("#14688: the same through a transport that does not say that it replays", async () => {
  const saved = assistant(
    "a1",
    { type: "text", text: "old", state: "done" },
    { type: "tool-x", toolCallId: "c", state: "input-streaming", input: {} },
  );
  const replay = [start("a1"), ts(), td("old"), te(), tia(), toa(), { type: "finish" }];
  const transport = {
    sendMessages: () => Promise.reject(new Error("not asked for")),
    reconnectToStream: async () => ReadableStream.from(replay),
  };
  const { peer, chatwire } = await both(
    { messages: [user("u"), saved], init: { transport } },
    async (side) => {
      side.command((chat) => chat.resumeStream());
      for (let turns = 0; turns < 5; turns++) await settle();
      return texts(side.last);
    },
  );
  assert.deepEqual(chatwire, ["old", "tool-x"]);
  assert.deepEqual(peer, ["old", "tool-x", "old"]);
});

// Tools, automatic sending, approvals

test("#8043: a response that ends in the server's own result is not sent again (difference 12)", async () => {
  const { peer, chatwire } = await both({ rule: "toolCalls" }, async (side) => {
    await side.ask();
    for (let round = 0; round < 5 && side.request; round++) {
      await side.request.finish(S, tia(`c${round}`), toa(`c${round}`), { type: "finish-step" });
    }
    return side.requests.length;
  });
  assert.equal(chatwire, 1);
  assert.equal(peer, 6);
});

test("#8043: nor one that was cut there (differences 1 and 12)", async () => {
  const { peer, chatwire } = await both({ rule: "toolCalls" }, async (side) => {
    await side.ask();
    await side.request.send(S, tia(), toa());
    await side.request.cut();
    return { requests: side.requests.length, status: side.chat.status, outcome: side.chat.outcome };
  });
  assert.deepEqual(chatwire, { requests: 1, status: "error", outcome: "truncated" });
  assert.deepEqual(peer, { requests: 2, status: "submitted", outcome: undefined });
});

test("a chat goes on by itself at most 25 times (difference 12)", async () => {
  const { peer, chatwire } = await both({ rule: "toolCalls" }, async (side) => {
    await side.ask();
    for (let round = 0; round < 40 && side.request; round++) {
      await side.request.send(S, tia(`c${round}`));
      side.command((chat) => chat.addToolOutput({ tool: "x", toolCallId: `c${round}`, output: 1 }));
      await settle();
      await side.request.finish();
    }
    return side.requests.length;
  });
  assert.equal(chatwire, 26);
  assert.equal(peer, 41);
});

test("#21083: a preliminary output is not complete", async () => {
  const { peer, chatwire } = await both({ rule: "toolCalls" }, async (side) => {
    await side.ask();
    await side.request.finish(S, tia("a"), toa("a", { preliminary: true }), tia("b"));
    side.command((chat) => chat.addToolOutput({ tool: "x", toolCallId: "b", output: 1 }));
    await settle();
    return side.requests.length;
  });
  assert.equal(chatwire, 1);
  assert.equal(peer, 1);
});

test("#7569: the rule sees the output that was just given", async () => {
  const seen = [];
  const sendAutomaticallyWhen = ({ messages }) => {
    seen.push(messages.at(-1).parts.find(({ toolCallId }) => toolCallId)?.state);
    return false;
  };
  await both({ init: { sendAutomaticallyWhen } }, async (side) => {
    await side.ask();
    await side.request.finish(tia());
    seen.length = 0;
    side.command((chat) => chat.addToolOutput({ tool: "x", toolCallId: "c", output: 1 }));
    await settle();
    assert.deepEqual(seen, ["output-available"]);
  });
});

test("#6435, #5516: an output that is awaited inside onToolCall does not block (difference 9)", async () => {
  const results = {};
  for (const client of ["peer", "chatwire"]) {
    const answer = ({ toolCall: { toolCallId } }) =>
      side.chat.addToolOutput({ tool: "x", toolCallId, output: 1 });
    const side = new Side(client, { init: { onToolCall: answer } });
    await side.ask();
    await side.request.finish(tia());
    const late = settle()
      .then(settle)
      .then(() => false);
    const stopped = await Promise.race([side.chat.stop().then(() => true), late]);
    results[client] = { stopped, state: side.last.parts[0].state };
    if (stopped) await side.end();
  }
  assert.deepEqual(results.chatwire, { stopped: true, state: "output-available" });
  assert.deepEqual(results.peer, { stopped: false, state: "input-available" });
});

test("#17358: an answered approval keeps its signature, descriptor and the schema's input", async () => {
  const request = approval("c", {
    signature: "s",
    inputSchemaInput: { a: 1 },
    approvalDescriptor: { d: 1 },
    reason: "r",
  });
  const { peer, chatwire } = await both({ rule: "approvals" }, async (side) => {
    await side.ask();
    await side.request.finish(S, tia(), request);
    side.command((chat) =>
      chat.addToolApprovalResponse({ id: "approval-of-c", approved: true, reason: "fine" }),
    );
    await settle();
    return side.request.sent.body.messages.at(-1).parts.at(-1).approval;
  });
  assert.deepEqual(chatwire, {
    id: "approval-of-c",
    descriptor: { d: 1 },
    inputSchemaInput: { a: 1 },
    requestReason: "r",
    signature: "s",
    approved: true,
    reason: "fine",
  });
  assert.deepEqual(peer, chatwire);
});

test("7.0.135: a repeated answer to an approval makes one request", async () => {
  const { peer, chatwire } = await both({ rule: "approvals" }, async (side) => {
    await side.ask();
    await side.request.finish(S, tia(), approval());
    const answer = { id: "approval-of-c", approved: true };
    side.command((chat) => chat.addToolApprovalResponse(answer));
    side.command((chat) => chat.addToolApprovalResponse(answer));
    await settle();
    return [side.requests.length, side.rejections.length];
  });
  assert.deepEqual(chatwire, [2, 0]);
  assert.deepEqual(peer, [2, 0]);
});

test("7.0.138: an output reaches the message that has the tool call, not the last one", async () => {
  const messages = [
    user("u1"),
    assistant("a1", { type: "tool-x", toolCallId: "c", state: "input-available", input: 1 }),
    user("u2"),
    assistant("a2", { type: "text", text: "later", state: "done" }),
  ];
  const { peer, chatwire } = await both({ messages }, async (side) => {
    side.command((chat) => chat.addToolOutput({ tool: "x", toolCallId: "c", output: 1 }));
    await settle();
    return side.shown.messages.map(({ parts }) => parts[0].state);
  });
  assert.deepEqual(chatwire, [undefined, "output-available", undefined, "done"]);
  assert.deepEqual(peer, chatwire);
});

test("#18451: an unanswered approval does not keep the next message from being sent", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.finish(S, tia(), approval());
    await side.ask("never mind");
    return side.request.sent;
  });
  assert.equal(chatwire.body.messages[1].parts[1].state, "approval-requested");
  assert.deepEqual(peer, chatwire);
});

// Stop, abort, races

test("#13962: nothing writes after a stop", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    const request = await side.ask();
    await request.send(ts(), td("a"));
    await side.chat.stop();
    side.chat.messages = [];
    await request.send(td("b"));
    return { messages: side.shown.messages, isAborted: request.init.signal.aborted };
  });
  assert.deepEqual(chatwire, { messages: [], isAborted: true });
  assert.deepEqual(peer, chatwire);
});

test("#13962: messages that are removed while they stream do not come back (difference 11)", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    const request = await side.ask();
    await request.send(ts(), td("a"));
    side.chat.messages = [];
    await settle();
    await request.send(td("b"));
    return { roles: side.shown.messages.map(({ role }) => role), isAborted: request.init.signal.aborted };
  });
  assert.deepEqual(chatwire, { roles: [], isAborted: true });
  assert.deepEqual(peer, { roles: ["assistant"], isAborted: false });
});

test("#13962: a second message while the first is answered leaves nothing that cannot be stopped (difference 10)", async () => {
  const { peer, chatwire } = await both({ init: { whileBusy: "interrupt" } }, async (side) => {
    const first = await side.ask("first");
    await first.send(ts(), td("a"));
    await side.ask("second");
    side.command((chat) => chat.stop());
    await settle();
    const before = side.shown.messages;
    await first.send(td(" still writing"));
    return {
      requests: side.requests.length,
      isSame: JSON.stringify(before) === JSON.stringify(side.shown.messages),
    };
  });
  assert.deepEqual(chatwire, { requests: 2, isSame: true });
  assert.deepEqual(peer, { requests: 2, isSame: false });
});

test("#18458, #6502, #7665: a stop ends a resumed stream", async () => {
  const { peer, chatwire } = await both({ messages: [user("u")] }, async (side) => {
    side.command((chat) => chat.resumeStream());
    await settle();
    const { request } = side;
    await request.send(start("a"), ts(), td("a"));
    await side.chat.stop();
    await request.send(td("b"));
    return {
      status: side.chat.status,
      text: side.last.parts[0].text,
      isAborted: request.init.signal.aborted,
    };
  });
  assert.deepEqual(chatwire, { status: "ready", text: "a", isAborted: true });
  assert.deepEqual(peer, chatwire);
});

test("#15870, #15668, #11024, cloudflare/agents#1837: overlapping resumes end well", async () => {
  const { peer, chatwire } = await both({ messages: [user("u")] }, async (side) => {
    side.command((chat) => chat.resumeStream());
    side.command((chat) => chat.resumeStream());
    await settle();
    for (const request of side.requests) {
      if (request.isOpen) await request.finish(start("a"), ts(), td("text"), te());
    }
    return { text: texts(side.last), finishes: heard(side, "finish").length, rejections: side.rejections };
  });
  assert.deepEqual(chatwire, { text: ["text"], finishes: 1, rejections: [] });
  assert.deepEqual(peer, chatwire);
});

test("#5113, #4897: after a stop the status is ready, and no part goes on streaming (difference 22)", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.send(ts(), td("a"));
    await side.chat.stop();
    const [finish] = heard(side, "finish");
    return { status: side.chat.status, state: side.last.parts[0].state, isAbort: finish.isAbort };
  });
  assert.deepEqual(chatwire, { status: "ready", state: "done", isAbort: true });
  assert.deepEqual(peer, { status: "ready", state: "streaming", isAbort: true });
});

test("#696: a stream writes into its own chat", async () => {
  for (const client of ["peer", "chatwire"]) {
    const [first, second] = [new Side(client), new Side(client)];
    await first.ask("first");
    await second.ask("second");
    await first.request.finish(ts(), td("answer"), te());
    assert.deepEqual(first.shown.messages.map(texts), [["first"], ["answer"]]);
    assert.deepEqual(second.shown.messages.map(texts), [["second"]]);
    await Promise.all([first.end(), second.end()]);
  }
});

test("#12102: a resume that finds nothing shows nothing", async () => {
  const respond = () => new Response(null, { status: 204 });
  const { peer, chatwire } = await both({ messages: [user("u")], respond }, async (side) => {
    side.command((chat) => chat.resumeStream());
    await settle();
    return { log: side.takeLog(), shown: side.shown };
  });
  assert.deepEqual(chatwire, {
    log: [],
    shown: { status: "ready", error: undefined, messages: [user("u")] },
  });
  assert.deepEqual(peer, chatwire);
});

// Stream protocol, errors, network

test("#13733: members that are not known are accepted, types that are not known too (difference 3)", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.send({ ...ts(), future: 1 }, td("a"));
    const before = side.chat.status;
    await side.request.finish({ type: "future-part", a: 1 }, td("b"), te());
    return [before, side.chat.status, side.last.parts[0].text];
  });
  assert.deepEqual(chatwire, ["streaming", "ready", "ab"]);
  assert.deepEqual(peer, ["streaming", "error", "a"]);
});

test("CherryHQ/cherry-studio#19793, laravel/ai#906, recoupable/app#1924: a cut is not a success (difference 1)", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.send(ts(), td("half"));
    await side.request.cut();
    const [{ isError, isDisconnect }] = heard(side, "finish");
    return { status: side.chat.status, isError, isDisconnect, code: side.chat.error?.code };
  });
  assert.deepEqual(chatwire, { status: "error", isError: true, isDisconnect: true, code: "truncated" });
  assert.deepEqual(peer, { status: "ready", isError: false, isDisconnect: false, code: undefined });
});

test("recoupable/app#1924: a last event without its blank line is read (difference 2)", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.send(ts(), td("a"), te());
    side.request.push(eventOf({ type: "finish", finishReason: "length" }).trimEnd());
    await side.request.cut();
    return heard(side, "finish")[0].finishReason;
  });
  assert.equal(chatwire, "length");
  assert.equal(peer, undefined);
});

test("vercel 7.0.149: an interrupted message is not sent by itself", async () => {
  const { peer, chatwire } = await both({ rule: "toolCalls" }, async (side) => {
    await side.ask();
    await side.request.send(S, tia(), { type: "finish", finishReason: "interrupted" });
    await side.request.cut();
    side.command((chat) => chat.addToolOutput({ tool: "x", toolCallId: "c", output: 1 }));
    await settle();
    return side.requests.length;
  });
  assert.equal(chatwire, 1);
  assert.equal(peer, 1);
});

for (const [message, isKnownToPeer] of [
  ["Load failed", true],
  ["network error", true],
  ["terminated", false],
]) {
  test(`open-agents#222, LangAlpha#291: "${message}" is a lost connection (difference 1)`, async () => {
    const { peer, chatwire } = await both({}, async (side) => {
      await side.ask();
      await side.request.send(ts(), td("a"));
      await side.request.cut(new TypeError(message));
      const [{ isDisconnect, isError }] = heard(side, "finish");
      return { isDisconnect, isError };
    });
    assert.deepEqual(chatwire, { isDisconnect: true, isError: true });
    assert.deepEqual(peer, { isDisconnect: isKnownToPeer, isError: true });
  });
}

test("#7586: the status is streaming with the first content, not with the start", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.send(start("m"));
    const atStart = [side.chat.status, ids(side)];
    await side.request.send(S, ts());
    return [atStart, side.chat.status];
  });
  assert.deepEqual(chatwire, [["submitted", ["id-1", "m"]], "streaming"]);
  assert.deepEqual(peer, chatwire);
});

test("#8631: a tool input is shown as far as it has come", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    await side.ask();
    await side.request.send(tis(), tid('{"list":[1,{"a":"b'));
    return side.last.parts[0].input;
  });
  assert.deepEqual(chatwire, { list: [1, { a: "b" }] });
  assert.deepEqual(peer, chatwire);
});

// Options

test("#6946: metadata of sendMessage is in the message and in the request", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    side.command((chat) => chat.sendMessage({ text: "Hi", metadata: { a: 1 } }));
    await settle();
    return side.request.sent.body.messages[0];
  });
  assert.deepEqual(chatwire.metadata, { a: 1 });
  assert.deepEqual(peer, chatwire);
});

test("#7819, #7109, #11253: the transport's options are asked for again for each request", async () => {
  let turn = 0;
  const transport = { body: () => ({ turn: ++turn }), headers: async () => ({ "X-Turn": String(turn) }) };
  const { peer, chatwire } = await both({ transport }, async (side) => {
    turn = 0;
    const requests = [];
    for (let round = 0; round < 2; round++) {
      await side.ask();
      requests.push([side.request.sent.body.turn, side.request.sent.headers["x-turn"]]);
      await side.request.finish();
    }
    return requests;
  });
  assert.deepEqual(chatwire, [
    [1, "1"],
    [2, "2"],
  ]);
  assert.deepEqual(peer, chatwire);
});

test("vercel/chatbot#1212, TanStack/ai#900: a message that is sent meanwhile waits its turn (difference 10)", async () => {
  const { peer, chatwire } = await both({}, async (side) => {
    const first = await side.ask("first");
    await first.send(ts(), td("a"));
    await side.ask("second");
    const meanwhile = side.requests.length;
    await first.finish(te());
    return { meanwhile, roles: side.requests.at(-1).sent.body.messages.map(({ role }) => role) };
  });
  assert.deepEqual(chatwire, { meanwhile: 1, roles: ["user", "assistant", "user"] });
  assert.deepEqual(peer, { meanwhile: 2, roles: ["user", "assistant", "user"] });
});
