// What a request is told, and what happens to one that is over.

import { assert, assertEqual, assertSame, settle } from "./check.js";
import { WHILE_BUSY, withChat } from "./host.js";

const text = (delta) => [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta }];

export function requestsAreDescribed(start) {
  return withChat(start, {}, async (chat) => {
    const options = { headers: { a: "1" }, body: new Map(), metadata: Symbol("any") };
    const first = await chat.ask("Q", options);
    assertSame(first.context.trigger, "submit-message", "the trigger");
    assertSame(first.context.messageId, undefined, "the message id");
    assertSame(first.context.options, options, "the app's options");
    assertSame(first.context.messages, chat.messages, "the messages");
    assertEqual(JSON.parse(first.context.messagesText), chat.messages, "the messages as text");
    assertSame(first.context.rawText(chat.messages[0]), JSON.stringify(chat.messages[0]), "a text");
    const [url, init] = first.fetched;
    assertSame(first.fetched.length, 2, "arguments of fetch");
    assertSame(url, "/api/chat", "the address");
    assertSame(init.signal, first.context.abortSignal, "the signal");
    assert(!init.signal.aborted, "the signal was aborted");
    await first.finish({ type: "start", messageId: "a" });

    chat.driver.regenerate("a", undefined);
    const second = chat.requests[1];
    assertSame(second.context.trigger, "regenerate-message", "the trigger");
    assertSame(second.context.messageId, "a", "the message id");
    assertSame(second.context.options, undefined, "no options");
    assertEqual(JSON.parse(second.context.messagesText), [chat.messages[0]], "the messages as text");
  });
}

export function anEditReplacesWhatFollows(start) {
  return withChat(start, {}, async (chat) => {
    const first = await chat.ask("Q");
    await first.finish({ type: "start", messageId: "a" });
    const edited = chat.userMessage("Q2");
    const { id } = chat.messages[0];
    chat.driver.sendMessage(edited, id, undefined);
    assertEqual(chat.messages, [edited]);
    const { trigger, messageId } = chat.requests[1].context;
    assertEqual([trigger, messageId], ["submit-message", id]);
    const unknown = chat.driver.sendMessage(chat.userMessage(), "nobody", undefined);
    const error = await unknown.catch((error) => error);
    assertSame(error.code, "invalid_argument", "the code for an unknown message");
    assertSame(error.name, "AI_InvalidArgumentError", "its name");
    assertEqual(chat.messages, [edited], "the messages after a refused edit");
  });
}

export function stopAbortsAndIgnoresWhatComesLate(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.read({ type: "start", messageId: "a" }, ...text("abc"));
    const { abortSignal } = request.context;
    let settled = false;
    request.done.then(() => (settled = true));
    const late = request.read({ type: "text-delta", id: "1", delta: "late" });
    chat.driver.stop("enough");
    assert(abortSignal.aborted, "the signal was not aborted");
    assertSame(chat.snapshot.status, "ready", "the status at once");
    assertSame(chat.snapshot.outcome, "stopped", "the outcome at once");
    assertSame(chat.snapshot.reason, "enough", "the reason");
    assertEqual(chat.parts, [{ type: "text", text: "abc", state: "done" }]);
    const stopped = chat.snapshot;
    await late;
    assertSame(chat.snapshot, stopped, "the snapshot after late bytes");
    assert(settled, "the command did not settle");
    assertEqual(chat.callsOf("error"), [], "errors");
    assertSame(chat.driver.isBusy, false, "busy");
  });
}

/** A body that is not wanted any more is not read any more. */
export function bodiesAreCancelled(start) {
  return withChat(start, { whileBusy: WHILE_BUSY.interrupt }, async (chat) => {
    const first = await chat.ask("1");
    await first.read(...text("a"));
    const second = await chat.ask("2");
    assert(first.isCancelled, "an interrupted body is still open");
    await second.read({ type: "abort", reason: "server" });
    assert(second.isCancelled, "an aborted body is still open");
    const third = await chat.ask("3");
    await third.read("{broken");
    assert(third.isCancelled, "a broken body is still open");
    const fourth = await chat.ask("4");
    await chat.driver.stop(undefined);
    await settle();
    assert(fourth.isCancelled, "a stopped body is still open");
  });
}

/** The same for streams of a transport of the app, which may not know of signals. */
export function streamsOfTransportsAreCancelled(start) {
  const cancelled = [];
  const streamOf = (name, ...chunks) => ({
    stream: new ReadableStream({
      start: (controller) => chunks.forEach((chunk) => controller.enqueue(chunk)),
      cancel: () => void cancelled.push(name),
    }),
  });
  const late = Promise.withResolvers();
  const opened = [
    streamOf("stopped", { type: "text-start", id: "1" }),
    streamOf("unserializable", { type: "data-a", data: 1n }),
    late.promise,
  ];
  return withChat(start, { open: () => opened.shift() }, async (chat) => {
    const send = () => chat.driver.sendMessage(chat.userMessage(), undefined, undefined);
    send();
    await settle();
    assertSame(chat.snapshot.status, "streaming", "the status");
    chat.driver.stop(undefined);
    assertEqual(cancelled, ["stopped"]);
    await send();
    assertSame(chat.snapshot.status, "error", "the status after a chunk that is no JSON");
    assertEqual(cancelled, ["stopped", "unserializable"]);
    send();
    chat.driver.stop(undefined);
    late.resolve(streamOf("late", { type: "text-start", id: "1" }));
    await settle();
    assertEqual(cancelled, ["stopped", "unserializable", "late"]);
    assertSame(chat.snapshot.outcome, "stopped", "the outcome");
  });
}

export function stopBeforeTheAnswer(start) {
  return withChat(start, {}, async (chat) => {
    const done = chat.driver.sendMessage(chat.userMessage(), undefined, undefined);
    chat.driver.stop(undefined);
    await done;
    const [request] = chat.requests;
    assert(request.context.abortSignal.aborted, "the signal was not aborted");
    const stopped = chat.snapshot;
    request.respond();
    await settle();
    assertSame(request.fetched, undefined, "the call of fetch");
    assertSame(chat.snapshot, stopped, "the snapshot");
    assertSame(chat.snapshot.outcome, "stopped", "the outcome");
    assertSame(chat.messages.length, 1, "messages");

    chat.driver.sendMessage(chat.userMessage(), undefined, undefined);
    await settle();
    assertSame(chat.requests[1].fetched?.length, 2, "arguments of fetch");
    chat.driver.stop(undefined);
    const again = chat.snapshot;
    chat.requests[1].refuse(new DOMException("aborted", "AbortError"));
    await settle();
    assertSame(chat.snapshot, again, "the snapshot after fetch was aborted");
  });
}

/** Bytes of one request never reach the next one. */
export function requestsDoNotMix(start) {
  return withChat(start, { whileBusy: WHILE_BUSY.interrupt }, async (chat) => {
    const first = await chat.ask("1");
    await first.read({ type: "start", messageId: "a1" }, ...text("one"));
    // Half an event is left behind in the first body.
    await first.readText('data: {"type":"text-delta","id":"1",');
    const second = await chat.ask("2");
    await second.read({ type: "start", messageId: "a2" }, ...text("two"));
    await second.finish();
    assertEqual(
      chat.messages.map(({ id, parts }) => [id, parts.at(-1).text]),
      [["user-1", "1"], ["a1", "one"], ["user-3", "2"], ["a2", "two"]],
    );
  });
}

export function nothingToResumeChangesNothing(start) {
  return withChat(start, {}, async (chat) => {
    chat.driver.setMessages([chat.userMessage("Q")]);
    const before = chat.messages;
    const resumed = chat.driver.resume({ metadata: 1 });
    const { trigger, messagesText, options } = chat.requests[0].context;
    assertEqual([trigger, messagesText, options], ["resume-stream", "[]", { metadata: 1 }]);
    chat.requests[0].answer(new Response(null, { status: 204 }));
    await resumed;
    assertSame(chat.snapshot.status, "ready", "the status");
    assertSame(chat.messages, before, "the messages");
    assertEqual(chat.callsOf("finish"), [], "ends");
    assertEqual(chat.callsOf("error"), [], "errors");
  });
}

/** What stands for a response in other people's tests. */
export function responsesMayBeImitations(start) {
  return withChat(start, {}, async (chat) => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('data: {"type":"text-start","id":"1"}\n\ndata: [DONE]\n\n'));
        controller.close();
      },
    });
    const done = chat.driver.sendMessage(chat.userMessage(), undefined, undefined);
    chat.requests[0].answer({ ok: true, body });
    await done;
    assertSame(chat.snapshot.outcome, "complete", "the outcome");
    const failed = chat.driver.sendMessage(chat.userMessage(), undefined, undefined);
    chat.requests[1].answer({ ok: false, text: async () => "Sorry" });
    await failed;
    assertSame(chat.snapshot.error.code, "http_error", "the code");
    assertSame(chat.snapshot.error.statusCode, 500, "the status code");
  });
}
