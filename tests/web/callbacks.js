// What the app's callbacks see, what they may do, and what becomes of what they throw.

import { assert, assertEqual, assertSame, settle } from "./check.js";
import { AUTO_SEND, TestChat, WHILE_BUSY, withChat } from "./host.js";

const call = (toolCallId, input = { q: 1 }) => ({
  type: "tool-input-available",
  toolCallId,
  toolName: "ask",
  input,
});
const text = (delta) => [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta }];

/** A tool callback may answer at once: it sees the call, and sees its answer. */
export function toolCallsAreAnsweredInsideTheirCallback(start) {
  let seen;
  const on = {
    toolCall: ({ toolCallId, input }, chat) => {
      const [part] = chat.parts;
      seen = { part, count: chat.parts.length, publications: chat.published.length };
      chat.driver.addToolOutput(toolCallId, { sum: input.q + 1 }, undefined);
      seen.answered = chat.parts[0];
      seen.publicationsAfter = chat.published.length;
    },
  };
  return withChat(start, { on }, async (chat) => {
    const request = await chat.ask("Q");
    await request.read(call("c"), ...text("after"));
    assertEqual(seen.part, { type: "tool-ask", toolCallId: "c", state: "input-available", input: { q: 1 } });
    assertSame(seen.count, 1, "parts at the time of the callback");
    assertSame(seen.answered.state, "output-available", "the state inside the callback");
    assertEqual(seen.answered.output, { sum: 2 });
    assertSame(seen.publicationsAfter, seen.publications + 1, "publications inside the callback");
    assertSame(chat.parts[0], seen.answered, "the answered part");
    assertSame(chat.parts[1].text, "after", "what came behind the call");
    const [toolCall] = chat.callsOf("toolCall");
    assertEqual(toolCall, call("c"), "the argument");
    await request.finish();
    assertSame(chat.callsOf("toolCall").length, 1, "calls");
  });
}

/** No callback holds up the stream, whatever it waits for. */
export function asynchronousCallbacksDoNotHoldUpTheStream(start) {
  const never = new Promise(() => {});
  const on = { toolCall: () => never, data: () => never, finish: () => never };
  return withChat(start, { on }, async (chat) => {
    const request = await chat.ask("Q");
    await request.finish(call("c"), { type: "data-a", data: 1 }, ...text("done"));
    await request.done;
    assertSame(chat.parts[2].text, "done", "the text");
  });
}

/** What callbacks throw goes to onError; the stream goes on. */
export async function faultsOfCallbacksGoToOnError(start) {
  const throwing = (name) => () => {
    throw new RangeError(name);
  };
  const rejecting = (name) => async () => {
    throw name;
  };
  for (const [fault, kind] of [[throwing, "RangeError"], [rejecting, "Error"]]) {
    const names = ["toolCall", "data", "warning", "finish"];
    const on = Object.fromEntries(names.map((name) => [name, fault(name)]));
    await withChat(start, { on }, async (chat) => {
      const request = await chat.ask("Q");
      await request.read({ type: "unheard-of" }, call("c"), { type: "data-a", data: 1 }, ...text("ok"));
      await request.finish();
      await request.done;
      assertSame(chat.parts[2].text, "ok", "the text");
      assertSame(chat.snapshot.status, "ready", "the status");
      assertSame(chat.snapshot.error, undefined, "the error of the chat");
      const errors = chat.callsOf("error");
      assertEqual(errors.map(({ message }) => message).sort(), [...names].sort(), "what onError heard");
      assert(errors.every(({ name }) => name === kind), "what onError was given");
    });
  }
}

export async function finishSaysHowItEnded(start) {
  const cases = [
    ["complete", (r) => r.finish({ type: "finish", finishReason: "stop" }), {}, { finishReason: "stop" }],
    ["complete", (r) => r.read("[DONE]").then(() => r.end()), {}],
    ["complete", (r) => r.read({ type: "finish" }).then(() => r.breakOff()), {}],
    ["aborted", (r) => r.read({ type: "abort", reason: "why" }), { isAbort: true }, { reason: "why" }],
    ["stopped", (r, chat) => chat.driver.stop(undefined), { isAbort: true }],
    ["stopped", (r, chat) => chat.driver.stop("bored"), { isAbort: true }, { reason: "bored" }],
    ["truncated", (r) => r.end(), { isDisconnect: true, isError: true }],
    ["disconnect", (r) => r.breakOff(), { isDisconnect: true, isError: true }],
    ["error", (r) => r.read({ type: "error", errorText: "no" }), { isError: true }],
    ["interrupted", (r) => r.finish({ type: "finish", finishReason: "interrupted" }), {}, { finishReason: "interrupted" }],
  ];
  for (const [outcome, end, flags, more = {}] of cases) {
    await withChat(start, {}, async (chat) => {
      const request = await chat.ask("Q");
      await request.read(...text("a"));
      await end(request, chat);
      const [finish, ...others] = chat.callsOf("finish");
      assertSame(others.length, 0, `further ends after ${outcome}`);
      const { message, messages, ...rest } = finish;
      assertSame(message, chat.messages[1], `the message of ${outcome}`);
      assertSame(messages, chat.messages, `the messages of ${outcome}`);
      assertEqual(rest, { outcome, isAbort: false, isDisconnect: false, isError: false, ...flags, ...more });
      assertSame(chat.snapshot.outcome, outcome, "the outcome of the chat");
      assertSame(chat.snapshot.reason, more.reason, "the reason");
      assertSame(chat.parts[0].state, outcome === "complete" || outcome === "error" || outcome === "interrupted" ? "streaming" : "done", "the text");
    });
  }
}

/** An answer of which nothing was shown has a message, too. */
export function finishOfAnEmptyAnswer(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.finish();
    const [{ message, outcome }] = chat.callsOf("finish");
    assertSame(outcome, "complete", "the outcome");
    assertEqual(message, { id: "id-2", role: "assistant", parts: [] });
    assertSame(chat.messages.length, 1, "messages");
  });
}

/** Data is shown before it is told of; transient data is only told of. */
export function dataIsToldInItsPlace(start) {
  const seen = [];
  const on = { data: ({ type }, chat) => void seen.push([type, chat.messages[1]?.parts.length ?? 0]) };
  return withChat(start, { on }, async (chat) => {
    const request = await chat.ask("Q");
    await request.finish(
      { type: "data-a", id: "x", data: { n: 1 } },
      { type: "data-b", data: 2, transient: true },
      { type: "data-a", id: "x", data: { n: 3 } },
      { type: "data-c", data: 4 },
    );
    assertEqual(seen, [["data-a", 1], ["data-b", 1], ["data-a", 1], ["data-c", 2]]);
    assertEqual(chat.parts, [{ type: "data-a", id: "x", data: { n: 3 } }, { type: "data-c", data: 4 }]);
    assertEqual(chat.callsOf("data")[2], { type: "data-a", id: "x", data: { n: 3 } }, "the argument");
  });
}

/** A stop inside a callback ends the response there: the rest of the read is not applied. */
export function stopInsideACallback(start) {
  const on = { data: (_, chat) => void chat.driver.stop(undefined) };
  return withChat(start, { on }, async (chat) => {
    const request = await chat.ask("Q");
    await request.read(...text("a"), { type: "data-stop", data: 1 }, { type: "text-delta", id: "1", delta: "b" });
    await request.done;
    assertSame(chat.parts[0].text, "a", "the text");
    assertSame(chat.snapshot.outcome, "stopped", "the outcome");
    assert(request.context.abortSignal.aborted, "the signal was not aborted");
  });
}

/** Callbacks and subscribers may go on with the chat; nothing is done twice or forgotten. */
export function commandsInsideCallbacks(start) {
  const on = {
    finish: ({ outcome }, chat) => {
      if (outcome === "complete" && chat.requests.length === 1) chat.driver.sendMessage(chat.userMessage("2"));
    },
    error: (_, chat) => chat.driver.regenerate(undefined, undefined),
  };
  return withChat(start, { on }, async (chat) => {
    const first = await chat.ask("1");
    await first.finish({ type: "start", messageId: "a1" }, ...text("one"));
    assertSame(chat.requests.length, 2, "requests after the message of onFinish");
    const [, second] = chat.requests;
    second.respond();
    await second.read({ type: "start", messageId: "a2" }, { type: "error", errorText: "no" });
    const [, , third] = chat.requests;
    assertSame(third.context.trigger, "regenerate-message", "the request of onError");
    assertSame(chat.snapshot.status, "submitted", "the status");
    third.respond();
    await third.finish({ type: "start", messageId: "a3" }, ...text("three"));
    assertEqual(chat.messages.map(({ id }) => id), ["user-1", "a1", "user-3", "a3"]);
    assertSame(chat.snapshot.status, "ready", "the status");
  });
}

export function commandsInsideSubscribers(start) {
  const on = {
    publish: ({ status, messages }, chat) => {
      if (status === "ready" && messages.length === 2) chat.driver.setMessages([]);
    },
  };
  return withChat(start, { on }, async (chat) => {
    const request = await chat.ask("Q");
    await request.finish(...text("a"));
    await request.done;
    assertEqual(chat.messages, []);
    assertSame(chat.published.at(-1).snapshot, chat.snapshot, "the last publication");
  });
}

/** To dispose inside a callback is to stop: the request is closed, the command settles. */
export async function disposeInsideACallback(start) {
  for (const name of ["toolCall", "finish"]) {
    const on = { [name]: (_, chat) => chat.driver.dispose() };
    const chat = new TestChat(start, { on });
    const request = await chat.ask("Q");
    let isSettled = false;
    request.done.finally(() => (isSettled = true)).catch(() => {});
    if (name === "toolCall") await request.read(call("c"), ...text("late"));
    else await request.finish(...text("a"));
    assert(isSettled, `the command of a chat disposed in ${name} is still open`);
    assert(name === "finish" || request.context.abortSignal.aborted, "the request is still open");
    const again = await chat.driver.sendMessage(chat.userMessage()).catch((error) => error);
    assertSame(again?.code, "disposed", "the code of a later command");
    assertSame(chat.parts.length, 1, "parts");
    chat.check();
  }
}

/** Ids are made by the app's function; a fault of it is one of the request. */
export async function faultsOfGenerateId(start) {
  const chat = new TestChat(start, {
    generateId: () => {
      throw new RangeError("no ids left");
    },
  });
  const failed = chat.driver.sendMessage(chat.own({ id: "u", role: "user", parts: [] }));
  await failed.catch(() => {});
  assertSame(chat.snapshot.status, "error", "the status");
  assertSame(chat.snapshot.error.message, "no ids left", "the error");
  assertSame(chat.driver.isBusy, false, "busy");
  chat.driver.dispose();
}

// Continuing by itself

/** The predicate is asked after an answer, with the state of the time; what it says counts. */
export async function thePredicateDecides(start) {
  const cases = [
    ["yes", () => true, 2],
    ["no", () => false, 1],
    ["something", () => "truthy", 2],
    ["yes, later", () => Promise.resolve(true), 2],
    ["no, later", async () => false, 1],
  ];
  for (const [what, shouldSend, requests] of cases) {
    await withChat(start, { autoSend: AUTO_SEND.host, on: { shouldSend } }, async (chat) => {
      const request = await chat.ask("Q");
      await request.finish({ type: "start", messageId: "a" }, call("c"));
      assertSame(chat.callsOf("shouldSend").length, 0, "questions before an answer");
      chat.driver.addToolOutput("c", "out", undefined);
      await settle();
      assertSame(chat.requests.length, requests, `requests after "${what}"`);
      const questions = chat.callsOf("shouldSend");
      assertSame(questions.length, 1, "questions");
      assertSame(questions[0][1].parts[0].state, "output-available", "what the predicate was shown");
      if (requests === 1) return;
      const [, next] = chat.requests;
      assertEqual([next.context.trigger, next.context.messageId], ["submit-message", "a"]);
      next.respond();
      await next.finish({ type: "start-step" }, ...text("so"));
      assertEqual(chat.messages.map(({ id }) => id), ["user-1", "a"]);
      assertEqual(chat.parts.map(({ type }) => type), ["tool-ask", "step-start", "text"]);
      assertSame(chat.callsOf("shouldSend").length, 1, "questions without news");
    });
  }
}

export async function faultsOfThePredicate(start) {
  const faults = [
    () => {
      throw new RangeError("predicate");
    },
    () => Promise.reject(new RangeError("predicate")),
  ];
  for (const shouldSend of faults) {
    await withChat(start, { autoSend: AUTO_SEND.host, on: { shouldSend } }, async (chat) => {
      const request = await chat.ask("Q");
      await request.finish(call("c"));
      await chat.driver.addToolOutput("c", 1, undefined);
      assertSame(chat.requests.length, 1, "requests");
      assertEqual(chat.callsOf("error").map(({ name, message }) => [name, message]), [["RangeError", "predicate"]]);
      assertSame(chat.snapshot.status, "ready", "the status");
      const next = await chat.ask("Next");
      await next.finish();
      assertSame(chat.snapshot.outcome, "complete", "the outcome of the next request");
    });
  }
}

/** A stop, or a new message, overtakes a question that is still open. */
export function anOpenQuestionCanBeOvertaken(start) {
  const answers = [];
  const on = { shouldSend: () => new Promise((resolve) => answers.push(resolve)) };
  const options = { autoSend: AUTO_SEND.host, on, whileBusy: WHILE_BUSY.interrupt };
  return withChat(start, options, async (chat) => {
    const request = await chat.ask("Q");
    await request.finish(call("c"));
    const given = chat.driver.addToolOutput("c", 1, undefined);
    await settle();
    assertSame(answers.length, 1, "questions");
    chat.driver.stop(undefined);
    await given;
    answers[0](true);
    await settle();
    assertSame(chat.requests.length, 1, "requests after a stop");
  });
}

/** The core's own rule continues when all calls of the step have results. */
export function theRuleForToolCalls(start) {
  return withChat(start, { autoSend: AUTO_SEND.toolCalls }, async (chat) => {
    const request = await chat.ask("Q");
    await request.finish({ type: "start", messageId: "a" }, { type: "start-step" }, call("c1"), call("c2"));
    chat.driver.addToolOutput("c1", 1, { metadata: "first" });
    await settle();
    assertSame(chat.requests.length, 1, "requests while a call is open");
    chat.driver.addToolError("c2", "no", { metadata: "second" });
    assertSame(chat.requests.length, 2, "requests when all calls are answered");
    assertSame(chat.snapshot.status, "submitted", "the status at once");
    assertEqual(chat.requests[1].context.options, { metadata: "second" }, "the options");
    assertEqual(
      JSON.parse(chat.requests[1].context.messagesText)[1].parts.map(({ state }) => state),
      [undefined, "output-available", "output-error"],
    );
    assertSame(chat.callsOf("shouldSend").length, 0, "questions to the app");
  });
}
