// What decides whether a chat continues by itself: combined predicates, bounds, and what is told.

import assert from "node:assert/strict";
import test from "node:test";
import {
  all,
  any,
  approvalsAnswered,
  autoSend,
  Chat,
  continueOnLength,
  lastAssistantMessageIsCompleteWithToolCalls,
  maxSteps,
  not,
  nudgeOnEmpty,
  retryStreamOnce,
  tokenCeiling,
  toolCallsComplete,
} from "chatwire";
import { ScriptedChatTransport } from "chatwire/testing";

const yes = () => true;
const no = () => false;
const later = (predicate) => async () => predicate();

test("any, all and not, of what answers at once and of what does not", async () => {
  for (const [first, second] of [[yes, yes], [yes, no], [no, yes], [no, no]]) {
    for (const wrap of [(predicate) => predicate, later]) {
      for (const other of [(predicate) => predicate, later]) {
        const predicates = [wrap(first), other(second)];
        assert.equal(await any(...predicates)({ messages: [] }), first() || second());
        assert.equal(await all(...predicates)({ messages: [] }), first() && second());
        assert.equal(await not(predicates[0])({ messages: [] }), !first());
      }
    }
  }
  assert.equal(any()({ messages: [] }), false);
  assert.equal(all()({ messages: [] }), true);
});

test("what decides at once is asked at once, and the rest is not asked", () => {
  const fails = () => assert.fail("it was asked");
  assert.equal(any(no, yes, fails)({ messages: [] }), true);
  assert.equal(all(yes, no, fails)({ messages: [] }), false);
});

test("a limit is a whole number from 1 up", () => {
  for (const count of [0, -1, 1.5, Number.NaN, 2 ** 32]) {
    assert.throws(() => maxSteps(count), RangeError);
    assert.throws(() => tokenCeiling(count), RangeError);
    assert.throws(() => continueOnLength({ max: count }), RangeError);
    assert.throws(() => nudgeOnEmpty({ text: "?", max: count }), RangeError);
  }
  assert.equal(toolCallsComplete, lastAssistantMessageIsCompleteWithToolCalls);
});

/** A chat whose server calls a tool of the page in every answer, until it has sent `rounds` requests. */
async function rounds(sendAutomaticallyWhen, count) {
  let call = 0;
  const transport = new ScriptedChatTransport([
    () => [
      { type: "start", messageId: "a" },
      { type: "start-step" },
      { type: "tool-input-available", toolCallId: `c${++call}`, toolName: "look", input: {} },
      { type: "finish", messageMetadata: { usage: { totalTokens: 100 } } },
    ],
  ]);
  const reports = [];
  const chat = new Chat({
    transport,
    sendAutomaticallyWhen,
    clientTools: { look: { execute: () => "seen" } },
    onAutoSend: (report) => reports.push(report),
  });
  await chat.sendMessage({ text: "Go" });
  for (let tries = 0; reports.at(-1)?.rule !== count; tries++) {
    assert.ok(tries < 300, `told: ${JSON.stringify(reports.at(-1))}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { requests: transport.requests.length, reports };
}

test("steps and tokens bound what is sent; each decision is told", async () => {
  const when = any(approvalsAnswered, toolCallsComplete);
  const bySteps = await rounds(autoSend({ when, limits: [maxSteps(3)] }), "max-steps");
  assert.equal(bySteps.requests, 3);
  const sent = bySteps.reports.filter(({ send }) => send);
  assert.deepEqual(sent.map(({ rule }) => rule), ["predicate", "predicate"]);
  for (const { reason } of bySteps.reports) assert.match(reason, /^[A-Z].*\.$/);

  const byTokens = await rounds(
    autoSend({ when: toolCallsComplete, limits: [maxSteps(20), tokenCeiling(400)] }),
    "token-ceiling",
  );
  assert.equal(byTokens.requests, 4);
  assert.ok(byTokens.reports.some(({ rule, send }) => send && rule === "tool-calls-complete"));
});

test("without bounds the chat ends after 25 requests of its own", async () => {
  assert.equal((await rounds(toolCallsComplete, "auto-send-limit")).requests, 26);
});

test("the rules of recovery go on, each as often as it may", async () => {
  const answer = (...chunks) => [{ type: "start", messageId: "a" }, { type: "start-step" }, ...chunks];
  const text = [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "Half" },
    { type: "text-end", id: "t" },
  ];
  const transport = new ScriptedChatTransport([
    answer(...text, { type: "finish", finishReason: "length" }),
    answer(...text, { type: "finish", finishReason: "stop" }),
    [{ type: "start", messageId: "b" }, { type: "finish", finishReason: "stop" }],
    [{ type: "start", messageId: "c" }, ...text, { fail: new TypeError("network error") }],
    [{ type: "start", messageId: "d" }, ...text, { type: "finish", finishReason: "stop" }],
  ]);
  const reports = [];
  const errors = [];
  const chat = new Chat({
    transport,
    sendAutomaticallyWhen: autoSend({
      when: toolCallsComplete,
      recover: [continueOnLength(), nudgeOnEmpty({ text: "Go on, please." }), retryStreamOnce()],
    }),
    onAutoSend: ({ send, rule }) => send && reports.push(rule),
    onError: (error) => errors.push(error),
  });
  await chat.sendMessage({ text: "One" });
  assert.deepEqual(reports, ["continue-on-length"]);
  await chat.sendMessage({ text: "Two" });
  assert.deepEqual(reports, ["continue-on-length", "nudge-on-empty", "retry-stream"]);
  assert.deepEqual(
    chat.messages.map(({ role, parts }) => [role, parts.map(({ text }) => text).join("")]),
    [["user", "One"], ["assistant", "HalfHalf"], ["user", "Two"], ["user", "Go on, please."], ["assistant", "Half"]],
  );
  assert.deepEqual(errors, []);
  assert.equal(chat.outcome, "complete");
});
