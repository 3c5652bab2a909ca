// Keys for lists: a message keeps its own through new versions and a new id.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Chat } from "chatwire";
import { ScriptedChatTransport } from "chatwire/testing";

const message = (id, text) => ({ id, role: "user", parts: [{ type: "text", text }] });
const answer = (id) => [
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "Hi." },
  { type: "start", messageId: id },
  { type: "text-end", id: "1" },
  { type: "finish" },
];

test("new objects with the ids of old ones keep their keys, before and after the first command", async () => {
  const chat = new Chat({
    messages: [message("a", "1"), message("b", "1")],
    transport: new ScriptedChatTransport([answer("c")]),
  });
  const keys = () => chat.messages.map((each) => chat.keyOf(each));
  const [a, b] = keys();
  assert.notEqual(a, b);
  chat.messages = [message("b", "2"), message("a", "2"), message("x", "2")];
  const [b2, a2, x] = keys();
  assert.deepEqual([a2, b2], [a, b]);
  assert.ok(![a, b].includes(x));

  await chat.sendMessage({ text: "go" });
  assert.deepEqual(keys().slice(0, 3), [b, a, x]);
  const [, , , user, assistant] = keys();
  chat.messages = chat.messages.map((each) => structuredClone(each));
  assert.deepEqual(keys(), [b, a, x, user, assistant]);
  assert.equal(new Set(keys()).size, 5);
});

test("an id that comes late does not change the key", async () => {
  const chat = new Chat({ transport: new ScriptedChatTransport([answer("late")]), throttle: 0 });
  const seen = new Set();
  const ids = new Set();
  chat.subscribe(() => {
    const last = chat.lastMessage;
    if (last?.role !== "assistant") return;
    seen.add(chat.keyOf(last));
    ids.add(last.id);
  });
  await chat.sendMessage({ text: "go" });
  assert.equal(seen.size, 1);
  assert.ok(ids.has("late"));
});
