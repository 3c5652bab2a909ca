// What a trap of the WebAssembly does to the chats, and how they go on.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Chat, ChatwireError, DefaultChatTransport, init } from "chatwire";
import { plantTrap } from "./support/trap.mjs";

const module = await WebAssembly.compile(
  readFileSync(fileURLToPath(import.meta.resolve("chatwire/core.wasm"))),
);
const loader = new DefaultChatTransport()[Symbol.for("chatwire.transport")].loader;

function streamOf(text, { ends = true } = {}) {
  const events = [
    { type: "start" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: text },
    { type: "text-end", id: "1" },
    { type: "finish" },
  ];
  const bytes = new TextEncoder().encode(
    [...events.map((event) => JSON.stringify(event)), "[DONE]"].map((e) => `data: ${e}\n\n`).join(""),
  );
  let isCancelled = false;
  const body = new ReadableStream({
    start(controller) {
      if (!ends) return;
      controller.enqueue(bytes);
      controller.close();
    },
    cancel() {
      isCancelled = true;
    },
  });
  const headers = { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" };
  return {
    response: new Response(body, { headers }),
    isCancelled: () => isCancelled,
  };
}

const texts = (chat) => chat.messages.map(({ role, parts }) => [role, parts.at(-1)?.text]);

test("a trap ends in runtime_crashed for every chat; the next command goes on from what is shown", async (t) => {
  const trap = plantTrap(t);
  await init({ module });
  const bodies = [];
  const answers = ["One.", "Two.", "Three."];
  const errors = [];
  const create = (fetch) =>
    new Chat({
      transport: new DefaultChatTransport({ fetch }),
      onError: (error) => errors.push(error),
    });

  const crashing = create(async (_, request) => {
    bodies.push(JSON.parse(request.body));
    return streamOf(answers[bodies.length - 1]).response;
  });
  const held = streamOf("Held.", { ends: false });
  const bystander = create(async () => held.response);

  await crashing.sendMessage({ text: "First" });
  assert.deepEqual(texts(crashing), [["user", "First"], ["assistant", "One."]]);
  const waiting = bystander.sendMessage({ text: "Wait" }).catch((error) => error);
  await new Promise((done) => setTimeout(done, 20));
  assert.equal(bystander.status, "submitted");

  trap.name = "chatcore_feed";
  const rejection = await crashing.sendMessage({ text: "Second" }).catch((error) => error);
  trap.name = undefined;
  for (const chat of [crashing, bystander]) {
    assert.equal(chat.status, "error");
    assert.ok(chat.error instanceof ChatwireError);
    assert.equal(chat.error.code, "runtime_crashed");
    assert.ok(chat.error.cause instanceof WebAssembly.RuntimeError);
  }
  assert.deepEqual(errors.map(({ code }) => code), ["runtime_crashed", "runtime_crashed"]);
  if (rejection) assert.equal(rejection.code, "runtime_crashed");
  assert.equal((await waiting)?.code ?? "runtime_crashed", "runtime_crashed");
  assert.deepEqual(texts(crashing).slice(0, 3), [
    ["user", "First"],
    ["assistant", "One."],
    ["user", "Second"],
  ]);
  assert.deepEqual(texts(bystander)[0], ["user", "Wait"]);
  assert.equal(loader.current.generation, 1);

  await crashing.sendMessage({ text: "Third" });
  assert.equal(loader.current.generation, 2);
  assert.equal(crashing.status, "ready");
  assert.deepEqual(texts(crashing).at(-1), ["assistant", "Three."]);
  assert.deepEqual(
    bodies[2].messages.filter(({ role }) => role === "user").map(({ parts }) => parts[0].text),
    ["First", "Second", "Third"],
  );

  // The stream of before belongs to an instance that is gone: nothing may come of it.
  assert.ok(held.isCancelled());
  assert.equal(bystander.status, "error");
  const again = create(async () => streamOf("Again.").response);
  await again.sendMessage({ text: "New" });
  assert.deepEqual(texts(again).at(-1), ["assistant", "Again."]);
  assert.equal(loader.current.generation, 2);
});
