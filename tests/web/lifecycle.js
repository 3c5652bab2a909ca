// The end of a chat, at any time.

import { assert, assertEqual, assertSame, settle, thrownBy } from "./check.js";
import { FRAME, TestChat, withChat } from "./host.js";

const text = (delta) => [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta }];

/** A chat in the middle of an answer, with a message that waits and a frame that is waited for. */
async function streaming(start) {
  const chat = new TestChat(start, { throttle: FRAME });
  const request = await chat.ask("1");
  await request.read({ type: "start", messageId: "a" }, ...text("abc"));
  const queued = chat.driver.sendMessage(chat.userMessage("2"), undefined, undefined);
  await request.read({ type: "text-delta", id: "1", delta: "def" });
  return { chat, request, queued };
}

export async function disposeWhileStreaming(start) {
  const { chat, request, queued } = await streaming(start);
  chat.driver.dispose();
  assert(request.context.abortSignal.aborted, "the request is still open");
  assert(request.isCancelled, "the body is still open");
  await request.done;
  await queued;
  const { snapshot } = chat;
  assertSame(snapshot.status, "ready", "the status");
  assertSame(snapshot.outcome, "stopped", "the outcome");
  assertSame(snapshot.messages[1].parts[0].text, "abcdef", "the text");
  assertEqual(chat.callsOf("finish").map(({ outcome }) => outcome), ["stopped"]);
  const publications = chat.published.length;
  await new Promise((resolve) => setTimeout(resolve, 150));
  assertSame(chat.published.length, publications, "publications afterwards");
  assertSame(chat.snapshot, snapshot, "the snapshot afterwards");
  chat.driver.dispose();
  chat.driver.free();
  chat.check();
}

/** Freeing is for chats at rest, but does no harm to others. */
export async function freeWhileStreaming(start) {
  const { chat, request } = await streaming(start);
  const { snapshot } = chat;
  // What the transport delivered before it heard of the end.
  const late = request.read({ type: "text-delta", id: "1", delta: "late" });
  chat.driver.free();
  await late;
  assertSame(request.isCancelled, true, "whether the body was cancelled");
  await new Promise((resolve) => setTimeout(resolve, 150));
  assertSame(chat.snapshot, snapshot, "the snapshot");
  assertEqual(chat.callsOf("error"), [], "errors");
  chat.driver.free();
  chat.driver.dispose();
  chat.check();
}

export async function commandsAfterTheEnd(start) {
  const chat = new TestChat(start);
  const request = await chat.ask("Q");
  await request.finish(...text("a"));
  const [user, answer] = chat.messages;
  chat.driver.dispose();
  for (const command of [
    () => chat.driver.sendMessage(chat.userMessage(), undefined, undefined),
    () => chat.driver.regenerate(undefined, undefined),
    () => chat.driver.resume(undefined),
    () => chat.driver.stop(undefined),
    () => chat.driver.addToolOutput("c", 1, undefined),
    () => chat.driver.addToolError("c", "e", undefined),
    () => chat.driver.addApprovalResponse("p", true, undefined, undefined),
    () => chat.driver.setMessages([user]),
    () => chat.driver.exportMessages(),
    () => chat.driver.clearError(),
    () => chat.driver.resumeQueue(),
  ]) {
    const error = await thrownBy(command, String(command));
    assertSame(error.code, "disposed", `the code of ${command}`);
  }
  assertEqual(chat.messages, [user, answer]);
  assertSame(chat.driver.keyOf(user), 1, "the key of a message");
  chat.check();
}

/** Several chats on one instance do not know of each other. */
export async function chatsAreApart(start) {
  const chats = [1, 2, 3].map(() => new TestChat(start));
  const requests = [];
  for (const [index, chat] of chats.entries()) requests.push(await chat.ask(`Q${index}`));
  for (const [index, request] of requests.entries()) {
    await request.read({ type: "start", messageId: `a${index}` }, ...text(`answer ${index}`));
  }
  chats[1].driver.dispose();
  const replacement = new TestChat(start);
  requests[1] = await replacement.ask("again");
  chats[1] = replacement;
  for (const [index, request] of requests.entries()) await request.finish({ type: "text-delta", id: "1", delta: "." });
  assertEqual(
    chats.map((chat) => chat.messages.map(({ parts }) => parts[0].text)),
    [["Q0", "answer 0."], ["again", "."], ["Q2", "answer 2."]],
  );
  for (const chat of chats) {
    chat.check();
    chat.driver.dispose();
  }
}

/** An app that does not wait for a command need not fear its failure. */
export function ignoredRejectionsAreNotReported(start) {
  const reported = [];
  const listen = (event) => {
    event.preventDefault();
    reported.push(event.reason);
  };
  globalThis.addEventListener("unhandledrejection", listen);
  return withChat(start, {}, async (chat) => {
    chat.driver.addToolOutput("nobody", 1, undefined);
    chat.driver.regenerate("nobody", undefined);
    chat.driver.stop(undefined);
    // The browser reports at the end of a task.
    await settle();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assertEqual(reported, []);
  }).finally(() => globalThis.removeEventListener("unhandledrejection", listen));
}

/** Large answers grow the memory of WebAssembly: what was looked at before is elsewhere then. */
export function memoryMayGrow(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.read({ type: "start", messageId: "a" }, { type: "text-start", id: "1" });
    const block = "0123456789abcdef".repeat(1 << 16);
    for (let round = 0; round < 8; round++) {
      await request.read({ type: "text-delta", id: "1", delta: block }, { type: "data-block", id: `d${round}`, data: block });
      assertSame(chat.parts[0].text.length, (round + 1) * block.length, "the length of the text");
    }
    await request.finish();
    assert(chat.parts[0].text === block.repeat(8), "the text is another one");
    assert(chat.parts.slice(1).every(({ data }) => data === block), "data is another one");
    assertSame(JSON.parse(chat.driver.exportMessages())[1].parts.length, 9, "parts in the export");
  });
}
