// `smooth`: text word by word, unless the person prefers reduced motion.

import assert from "node:assert/strict";
import test from "node:test";
import { Chat } from "chatwire";
import { ScriptedChatTransport } from "chatwire/testing";

const text = "one two three four five six seven eight nine ten ".repeat(4);

for (const prefersReducedMotion of [false, true]) {
  test(`with ${prefersReducedMotion ? "reduced" : "full"} motion`, async (context) => {
    globalThis.matchMedia = (query) => ({ matches: prefersReducedMotion && query.includes("reduce") });
    context.after(() => delete globalThis.matchMedia);
    const shown = await textsShown({ smooth: true });
    assert.equal(shown.length > 5, !prefersReducedMotion, `${shown.length} texts were shown`);
  });
}

test("without the option, a read is shown whole", async () => {
  assert.deepEqual(await textsShown({}), [text]);
});

/** The different texts that a subscriber sees of an answer that comes in one read, and then waits. */
async function textsShown(options) {
  const transport = new ScriptedChatTransport([
    [
      { type: "start", messageId: "a" },
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: text },
      { wait: 600 },
      { type: "text-end", id: "1" },
      { type: "finish" },
    ],
  ]);
  const chat = new Chat({ ...options, transport });
  const shown = new Set();
  chat.subscribe(() => shown.add(chat.messages[1]?.parts[0]?.text));
  await chat.sendMessage({ text: "Go" });
  return [...shown].filter(Boolean);
}
