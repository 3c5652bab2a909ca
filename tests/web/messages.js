// Messages appear, shaped as the AI SDK's.

import { assert, assertEqual, assertNotSame, assertSame, settle } from "./check.js";
import { streamOf, withChat } from "./host.js";

export function textAppears(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Hello");
    const [user] = chat.messages;
    assertEqual(chat.published.map(({ snapshot }) => snapshot.status), ["submitted"], "statuses");
    await request.read({ type: "start", messageId: "a1" }, { type: "start-step" });
    assertSame(chat.snapshot.status, "submitted", "the status before content");
    await request.read({ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "Hi" });
    assertSame(chat.snapshot.status, "streaming", "the status with content");
    assertEqual(chat.parts.at(-1), { type: "text", text: "Hi", state: "streaming" });
    await request.read({ type: "text-delta", id: "1", delta: " there" });
    assertEqual(chat.parts.at(-1), { type: "text", text: "Hi there", state: "streaming" });
    await request.finish({ type: "text-end", id: "1" }, { type: "finish-step" });
    assertSame(chat.messages[0], user, "the app's message");
    assertEqual(chat.messages[1], {
      id: "a1",
      role: "assistant",
      parts: [{ type: "step-start" }, { type: "text", text: "Hi there", state: "done" }],
    });
    assertSame(chat.snapshot.status, "ready", "the status at the end");
    assertSame(chat.snapshot.outcome, "complete", "the outcome");
    await request.done;
  });
}

const META = { test: { a: 1 } };
/** Every chunk type but those that end a response, with every member that it declares. */
const EVERY_CHUNK = [
  { type: "start", messageId: "a1", messageMetadata: { model: "m", usage: { input: 3 } } },
  { type: "start-step" },
  { type: "reasoning-start", id: "r", providerMetadata: META },
  { type: "reasoning-delta", id: "r", delta: "Let me" },
  { type: "reasoning-delta", id: "r", delta: " think", providerMetadata: { test: { b: 2 } } },
  { type: "reasoning-end", id: "r", providerMetadata: META },
  { type: "text-start", id: "t", providerMetadata: META },
  { type: "text-delta", id: "t", delta: "Wait" },
  { type: "reset-step" },
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "So", providerMetadata: META },
  { type: "text-end", id: "t", providerMetadata: { test: {} } },
  { type: "tool-input-start", toolCallId: "c1", toolName: "search", title: "Search", toolMetadata: { icon: "x" } },
  { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: '{"query":"a' },
  { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: 'b","limit":[1,2' },
  { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: "0]}" },
  { type: "tool-input-available", toolCallId: "c1", toolName: "search", input: { query: "ab", limit: [1, 20] }, providerMetadata: META },
  { type: "tool-output-available", toolCallId: "c1", output: { hits: 0 }, preliminary: true },
  { type: "tool-output-available", toolCallId: "c1", output: { hits: [{ title: "A" }] }, providerMetadata: META },
  { type: "tool-input-start", toolCallId: "c2", toolName: "shell", dynamic: true, inputEncoding: "text", providerExecuted: true },
  { type: "tool-input-delta", toolCallId: "c2", inputTextDelta: "ls" },
  { type: "tool-input-available", toolCallId: "c2", toolName: "shell", dynamic: true, input: "ls -l", providerExecuted: true },
  { type: "tool-output-error", toolCallId: "c2", errorText: "no shell", providerExecuted: true },
  { type: "tool-input-error", toolCallId: "c3", toolName: "search", input: { q: 1 }, errorText: "no query" },
  { type: "finish-step" },
  { type: "start-step" },
  { type: "tool-input-available", toolCallId: "c4", toolName: "patch", input: { path: "/a" } },
  { type: "tool-approval-request", approvalId: "p1", toolCallId: "c4", reason: "writes", signature: "s", inputSchemaInput: { path: "/a" } },
  { type: "tool-approval-response", approvalId: "p1", approved: false, reason: "no" },
  { type: "tool-output-denied", toolCallId: "c4" },
  { type: "source-url", sourceId: "s1", url: "https://example.com/", title: "Example", providerMetadata: META },
  { type: "source-document", sourceId: "s2", mediaType: "text/plain", title: "Notes", filename: "notes.txt" },
  { type: "file", url: "data:text/plain,a", mediaType: "text/plain" },
  { type: "reasoning-file", url: "data:image/png;base64,AA==", mediaType: "image/png" },
  { type: "custom", kind: "test.kind", providerMetadata: META },
  { type: "steering-message", id: "m", parts: [{ type: "text", text: "faster" }] },
  { type: "data-weather", id: "w", data: { city: "Rome", degrees: 20 } },
  { type: "data-weather", id: "w", data: { city: "Rome", degrees: 21 } },
  { type: "data-note", data: "unnamed" },
  { type: "data-note", data: { passing: true }, transient: true },
  { type: "message-metadata", messageMetadata: { usage: { output: 4 } } },
  { type: "finish-step" },
  { type: "finish", finishReason: "stop", messageMetadata: { total: 7 } },
];
/** Chunks after which the AI SDK's reader shows nothing new. */
const SILENT = new Set(["start-step", "finish-step"]);

/** After each chunk, what is shown is what the AI SDK's own reader makes of the same chunks. */
export async function everyChunkShowsWhatTheAiSdkShows(start) {
  const { readUIMessageStream } = await import("/tests/web/generated/peer.js");
  await withChat(start, {}, async (chat) => {
    const request = await chat.ask("Hello");
    for (const [index, chunk] of EVERY_CHUNK.entries()) {
      await request.read(chunk);
      if (SILENT.has(chunk.type) || chunk.transient) continue;
      let expected;
      const stream = streamOf(structuredClone(EVERY_CHUNK.slice(0, index + 1)));
      for await (const message of readUIMessageStream({ stream })) expected = message;
      assertEqual(chat.messages.at(-1), JSON.parse(JSON.stringify(expected)), `after ${chunk.type} ${index}`);
    }
    await request.end();
    assertSame(chat.snapshot.outcome, "complete", "the outcome");
    assertEqual(chat.callsOf("warning"), [], "warnings");
  });
}

export function textStreamIsOnePart(start) {
  return withChat(start, { isText: true }, async (chat) => {
    const request = await chat.ask("Hello");
    const bytes = new TextEncoder().encode("a😀b");
    for (const byte of bytes) await request.readBytes(Uint8Array.of(byte));
    assertEqual(chat.parts, [{ type: "step-start" }, { type: "text", text: "a😀b", state: "streaming" }]);
    await request.end();
    assertEqual(chat.parts, [{ type: "step-start" }, { type: "text", text: "a😀b", state: "done" }]);
    assertSame(chat.snapshot.outcome, "complete", "the outcome");
    const cut = chat.published.find(({ copy }) => JSON.stringify(copy.messages).includes("\ufffd"));
    assert(cut === undefined, "half a character was shown");
  });
}

/** Chunk objects that are ready together are shown together; a clean end without open parts is one. */
export function customTransportGivesChunkObjects(start) {
  let controller;
  const stream = new ReadableStream({ start: (given) => (controller = given) });
  return withChat(start, { open: () => Promise.resolve({ stream }) }, async (chat) => {
    const done = chat.driver.sendMessage(chat.userMessage(), undefined, undefined);
    await settle();
    const before = chat.published.length;
    controller.enqueue({ type: "text-start", id: "1" });
    for (const delta of ["a", "\ud83d", "\ude00"]) controller.enqueue({ type: "text-delta", id: "1", delta });
    await settle();
    const publications = chat.published.length - before;
    assert(publications >= 1 && publications < 4, `${publications} publications for four chunks`);
    controller.enqueue({ type: "text-end", id: "1" });
    controller.close();
    await done;
    assertEqual(chat.parts, [{ type: "text", text: "a😀", state: "done" }]);
    assertSame(chat.snapshot.outcome, "complete", "the outcome");
    assertEqual(chat.callsOf("warning").map(({ code }) => code), ["missing_end"], "warnings");
  });
}

/** Messages of the app are shown as the app's own objects, whatever it puts in. */
export function setMessagesShowsTheAppsObjects(start) {
  return withChat(start, {}, async (chat) => {
    const user = chat.own({ id: "u", role: "user", parts: [{ type: "text", text: "Q" }], extra: [1] });
    const answer = chat.own({ id: "a", role: "assistant", parts: [{ type: "unheard-of", x: 1 }] });
    chat.driver.setMessages([user, answer]);
    assertSame(chat.messages[0], user, "the first message");
    assertSame(chat.messages[1], answer, "the second message");
    const key = chat.driver.keyOf(user);
    const { snapshot } = chat;
    chat.driver.setMessages([...chat.messages]);
    assertSame(chat.snapshot, snapshot, "the snapshot when the same messages are set");
    chat.driver.setMessages([user]);
    assertEqual(chat.messages, [user]);
    assertSame(chat.driver.keyOf(chat.messages[0]), key, "the key");
    chat.driver.setMessages([]);
    assertEqual(chat.messages, []);
    assert(!Object.isFrozen(user) && !Object.isFrozen(user.parts), "an object of the app was frozen");
  });
}

export function regenerateTakesTheAnswerAway(start) {
  return withChat(start, {}, async (chat) => {
    const first = await chat.ask("Q");
    await first.finish({ type: "start", messageId: "a1" }, { type: "text-start", id: "1" });
    const [user, answer] = chat.messages;
    chat.driver.regenerate(undefined, undefined);
    assertEqual(chat.messages, [user], "the list at once");
    assertSame(chat.snapshot.status, "submitted", "the status at once");
    const second = chat.requests[1];
    assertSame(second.context.trigger, "regenerate-message", "the trigger");
    second.respond();
    await second.finish({ type: "start", messageId: "a2" }, { type: "text-start", id: "1" });
    assertSame(chat.messages[0], user, "the app's message");
    assertSame(chat.messages[1].id, "a2", "the new answer");
    assertNotSame(chat.messages[1], answer, "the answers");
  });
}

/** What is sent while a response is under way waits in sight, and is sent in its order. */
export function queuedMessagesWaitInSight(start) {
  return withChat(start, {}, async (chat) => {
    const first = await chat.ask("1");
    const [second, third] = [chat.userMessage("2"), chat.userMessage("3")];
    let secondIsDone = false;
    chat.driver.sendMessage(second, undefined, { headers: { n: "2" } }).then(() => (secondIsDone = true));
    chat.driver.sendMessage(third, undefined, { headers: { n: "3" } });
    assertEqual(chat.snapshot.queuedMessages, [second, third], "the queue");
    assertSame(chat.snapshot.queuedMessages[0], second, "the queued object");
    chat.driver.removeQueued(third.id);
    assertEqual(chat.snapshot.queuedMessages, [second], "the queue after a removal");
    await first.finish({ type: "text-start", id: "1" }, { type: "text-end", id: "1" });
    assertEqual(chat.snapshot.queuedMessages, [], "the queue at the end");
    assertSame(chat.messages[2], second, "the sent object");
    assertEqual(chat.requests[1].context.options, { headers: { n: "2" } }, "the options");
    assert(!secondIsDone, "a queued command settled before its response");
    chat.requests[1].respond();
    await chat.requests[1].finish();
    assert(secondIsDone, "a queued command did not settle with its response");
  });
}

/** A queued message that jumps the queue leaves the others what is theirs. */
export function queuedMessagesKeepTheirOptions(start) {
  return withChat(start, {}, async (chat) => {
    await chat.ask("1");
    const [second, third] = [chat.userMessage("2"), chat.userMessage("3")];
    chat.driver.sendMessage(second, undefined, { metadata: 2 });
    chat.driver.sendMessage(third, undefined, { metadata: 3 });
    chat.driver.sendQueuedNow(third.id);
    assertEqual(chat.snapshot.queuedMessages, [second], "the queue");
    chat.requests[1].respond();
    await chat.requests[1].finish();
    assertEqual(chat.requests.map(({ context }) => context.options?.metadata), [undefined, 3, 2]);
    assertSame(chat.messages.at(-1), second, "the last message");
  });
}

/** The id of a response is provisional until the server names it; the key is not. */
export function keysOutliveIds(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.read({ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "a" });
    const before = chat.messages[1];
    assertSame(before.id, "id-2", "the provisional id");
    const key = chat.driver.keyOf(before);
    await request.read({ type: "start", messageId: "named" });
    const after = chat.messages[1];
    assertSame(after.id, "named", "the id");
    assertNotSame(after, before, "the message of another id");
    assertSame(after.parts, before.parts, "the parts");
    assertSame(chat.driver.keyOf(after), key, "the key");
    assertSame(chat.driver.keyOf(before), key, "the key of an object of before");
    assertNotSame(chat.driver.keyOf(chat.messages[0]), key, "the keys of two messages");
    await request.finish();
  });
}
