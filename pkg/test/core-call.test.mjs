// A trap of the WebAssembly in a function that needs no chat: the call and the chats learn of it, the
// next call has a fresh instance.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  Chat,
  DefaultChatTransport,
  init,
  parsePartialJson,
  readUIMessageStream,
  safeValidateUIMessages,
} from "chatwire";
import { plantTrap } from "./support/trap.mjs";

const module = await WebAssembly.compile(
  readFileSync(fileURLToPath(import.meta.resolve("chatwire/core.wasm"))),
);
const messages = [{ id: "1", role: "user", parts: [{ type: "text", text: "Hi" }] }];
const generation = () =>
  new DefaultChatTransport()[Symbol.for("chatwire.transport")].loader.current.generation;

test("a trap outside a chat", async (t) => {
  const trap = plantTrap(t);
  await init({ module });

  // A chat and a reader that live on the instance meanwhile.
  const fetch = () => new Promise(() => {});
  const chat = new Chat({ transport: new DefaultChatTransport({ fetch }) });
  chat.sendMessage({ text: "Wait" }).catch(() => {});
  let deliver;
  const errors = [];
  const states = readUIMessageStream({
    stream: new ReadableStream({ start: (controller) => (deliver = controller) }),
    onError: (error) => errors.push(error.code),
  }).getReader();
  deliver.enqueue({ type: "start", messageId: "m" });
  assert.equal((await states.read()).value.id, "m");
  assert.equal(chat.status, "submitted");

  trap.name = "validateMessages";
  const { error } = await safeValidateUIMessages({ messages });
  assert.equal(error.code, "runtime_crashed");
  assert.ok(error.cause instanceof WebAssembly.RuntimeError);
  assert.equal(chat.status, "error");
  assert.equal(chat.error.code, "runtime_crashed");

  trap.name = undefined;
  assert.equal(generation(), 1);
  assert.equal((await safeValidateUIMessages({ messages })).success, true);
  assert.equal(generation(), 2);

  // What belongs to the instance of before is not used any more.
  deliver.enqueue({ type: "data-x", data: 1 });
  assert.deepEqual(await states.read(), { done: true, value: undefined });
  assert.deepEqual(errors, ["runtime_crashed"]);

  trap.name = "completeJson";
  await assert.rejects(parsePartialJson("[1"), { code: "runtime_crashed" });
  trap.name = undefined;
  assert.deepEqual((await parsePartialJson("[1")).value, [1]);
  assert.equal(generation(), 3);
});

test("a trap in the check before a request", async (t) => {
  const trap = plantTrap(t);
  // A fresh instance, whose exports can be made to trap.
  const { loader } = new DefaultChatTransport()[Symbol.for("chatwire.transport")];
  await loader.restart();
  const requests = [];
  const fetch = async () => {
    requests.push(1);
    return new Response('data: {"type":"finish"}\n\ndata: [DONE]\n\n');
  };
  const chat = new Chat({ transport: new DefaultChatTransport({ fetch }) });
  trap.name = "validateMessages";
  await chat.sendMessage({ text: "Hi" }).catch(() => {});
  assert.equal(chat.error.code, "runtime_crashed");
  assert.equal(requests.length, 0);
  trap.name = undefined;
  await chat.sendMessage({ text: "Again" });
  assert.equal(chat.status, "ready");
  assert.equal(requests.length, 1);
});
