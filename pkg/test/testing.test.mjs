// The scripted transport and its clock, driving real chats.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Chat } from "chatwire";
import { ScriptedChatTransport, VirtualClock } from "chatwire/testing";

const answer = (text) => [
  { type: "start" },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: text },
  { type: "text-end", id: "1" },
  { type: "finish" },
];

test("scripts answer requests in order, the last one all further ones", async () => {
  const transport = new ScriptedChatTransport([answer("One."), () => answer("More.")]);
  const chat = new Chat({ transport });
  for (const text of ["a", "b", "c"]) await chat.sendMessage({ text });
  assert.deepEqual(
    chat.messages.filter(({ role }) => role === "assistant").map(({ parts }) => parts[0].text),
    ["One.", "More.", "More."],
  );
  assert.deepEqual(transport.requests.map(({ messages }) => messages.length), [1, 3, 5]);
  assert.throws(() => new ScriptedChatTransport([]), RangeError);
});

test("a virtual clock decides when chunks come", async () => {
  const clock = new VirtualClock();
  const [start, open, delta, ...rest] = answer("Slow.");
  const script = [start, open, { wait: 500 }, delta, { wait: 60_000 }, ...rest];
  const chat = new Chat({ transport: new ScriptedChatTransport([script], { clock }), throttle: 0 });
  const done = chat.sendMessage({ text: "a" });
  await clock.advance(499);
  assert.equal(chat.lastMessage.parts[0]?.text ?? "", "");
  await clock.advance(1);
  await clock.advance(0);
  assert.equal(chat.lastMessage.parts[0].text, "Slow.");
  assert.equal(chat.status, "streaming");
  await clock.advance(60_000);
  await done;
  assert.equal(chat.outcome, "complete");
  assert.equal(clock.now, 60_500);
});

test("faults: a cut, a lost connection, an error of the transport, stop during a wait", async () => {
  const [start, open, delta] = answer("Half");
  const run = async (...steps) => {
    const chat = new Chat({ transport: new ScriptedChatTransport([[start, open, delta, ...steps]]) });
    await chat.sendMessage({ text: "a" });
    return [chat.outcome, chat.lastMessage.parts[0].text];
  };
  assert.deepEqual(await run({ cut: true }), ["truncated", "Half"]);
  assert.deepEqual(await run({ fail: new TypeError("network lost") }), ["disconnect", "Half"]);
  assert.deepEqual(await run({ fail: new Error("refused") }), ["error", "Half"]);

  const clock = new VirtualClock();
  const waiting = new ScriptedChatTransport([[start, open, delta, { wait: 1000 }]], { clock });
  const chat = new Chat({ transport: waiting });
  const done = chat.sendMessage({ text: "a" });
  await clock.advance(10);
  await chat.stop();
  await done;
  assert.equal(chat.outcome, "stopped");
  assert.equal(waiting.requests[0].abortSignal.aborted, true);
});

test("a resume without a stream leaves the chat as it was", async () => {
  const chat = new Chat({ transport: new ScriptedChatTransport([() => null]) });
  const seen = [];
  chat.subscribe(() => seen.push(chat.status));
  await chat.resumeStream();
  assert.equal(chat.status, "ready");
  assert.deepEqual(seen.filter((status) => status !== "ready"), []);
});
