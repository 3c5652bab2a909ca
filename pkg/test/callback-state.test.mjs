// What callbacks see, and what a stop leaves: the state of that moment, however seldom it is published.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Chat } from "chatwire";
import { ScriptedChatTransport } from "chatwire/testing";

const text = (id) => [
  { type: "text-start", id },
  { type: "text-delta", id, delta: `text ${id}` },
  { type: "text-end", id },
];
const data = (value, rest) => ({ type: "data-note", data: value, ...rest });
const unknown = { type: "from-the-future" };
const script = [...text("1"), data(1), ...text("2"), unknown, data(2, { transient: true }), ...text("3"), { type: "finish" }];

async function run(callbacks) {
  const chat = new Chat({ transport: new ScriptedChatTransport([script]), throttle: 10_000, ...callbacks(() => chat) });
  let published = 0;
  chat.subscribe(() => published++);
  await chat.sendMessage({ text: "Hello" });
  return published;
}

const partsOf = (chat) => chat.lastMessage.parts.map((part) => part.text ?? part.data);

test("onData and onWarning see what has come so far, and nothing later", async () => {
  const seen = [];
  await run((chat) => ({
    onData: (part) => seen.push([part.data, partsOf(chat())]),
    onWarning: ({ code }) => seen.push([code, partsOf(chat())]),
  }));
  assert.deepEqual(seen, [
    [1, ["text 1", 1]],
    ["unknown_chunk", ["text 1", 1, "text 2"]],
    [2, ["text 1", 1, "text 2"]],
  ]);
});

test("without these callbacks nothing is published for them", async () => {
  const some = await run((chat) => ({ onData: () => chat() }));
  const none = await run(() => ({}));
  assert.ok(none < some, `${none} publications without, ${some} with onData`);
});

test("a tool call that a stop left open is reported as stopped, also after the memory was given back", async () => {
  for (const pause of [0, 1_300]) {
    const transport = new ScriptedChatTransport([
      [
        { type: "tool-input-available", toolCallId: "c", toolName: "search", input: {} },
        { wait: 60_000 },
      ],
      [...text("1"), { type: "finish" }],
    ]);
    const chat = new Chat({ transport });
    const sent = chat.sendMessage({ text: "Hello" });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await chat.stop();
    await sent;
    assert.equal(chat.lastMessage.parts[0].state, "input-available");
    await new Promise((resolve) => setTimeout(resolve, pause));
    await chat.sendMessage({ text: "And now?" });
    const [part] = transport.requests[1].messages[1].parts;
    assert.equal(part.state, "output-error");
    assert.equal(part.errorText, "stopped by the user");
  }
});
