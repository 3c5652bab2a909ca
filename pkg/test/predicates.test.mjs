// The guards and predicates beside the AI SDK's.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as peer from "ai";
import * as chatwire from "chatwire";
import { Random } from "./support/random.mjs";

const guards = [
  "isTextUIPart",
  "isReasoningUIPart",
  "isFileUIPart",
  "isReasoningFileUIPart",
  "isCustomContentUIPart",
  "isDataUIPart",
  "isStaticToolUIPart",
  "isDynamicToolUIPart",
  "isToolUIPart",
  "isToolOutputErrorUIPart",
];
const predicates = [
  "lastAssistantMessageIsCompleteWithToolCalls",
  "lastAssistantMessageIsCompleteWithApprovalResponses",
];
const types = [
  "text",
  "reasoning",
  "reasoning-file",
  "file",
  "custom",
  "source-url",
  "source-document",
  "steering-message",
  "step-start",
  "data-",
  "data-weather",
  "data-a-b",
  "tool-",
  "tool-weather",
  "tool-a-b-c",
  "dynamic-tool",
  "dynamic-tool-x",
  "tool",
  "data",
  "",
];
const states = [
  undefined,
  "streaming",
  "done",
  "input-streaming",
  "input-available",
  "approval-requested",
  "approval-responded",
  "output-available",
  "output-error",
  "output-denied",
];

test("guards: every type and state", () => {
  const found = new Map(guards.map((guard) => [guard, 0]));
  for (const type of types) {
    for (const state of states) {
      const part = { type, state };
      for (const guard of guards) {
        const expected = peer[guard](part);
        assert.equal(chatwire[guard](part), expected, `${guard} of ${type}, ${state}`);
        if (expected) found.set(guard, found.get(guard) + 1);
      }
    }
  }
  for (const [guard, count] of found) assert.ok(count > 0, `${guard} was never true`);
});

test("tool names", () => {
  for (const type of ["tool-weather", "tool-a-b-c", "tool-", "tool--x"]) {
    const part = { type, toolCallId: "t" };
    assert.equal(chatwire.getStaticToolName(part), peer.getStaticToolName(part));
    assert.equal(chatwire.getToolName(part), peer.getToolName(part));
    assert.equal(chatwire.getToolOrDynamicToolName(part), peer.getToolOrDynamicToolName(part));
  }
  const part = { type: "dynamic-tool", toolName: "a-b", toolCallId: "t" };
  assert.equal(chatwire.getToolName(part), "a-b");
  assert.equal(chatwire.getToolName(part), peer.getToolName(part));
});

const tool = (state, more = {}) => ({ type: "tool-a", toolCallId: "t", state, ...more });
const text = (state) => ({ type: "text", text: "x", state });
const step = { type: "step-start" };
// Parts of the last assistant message; whether tool calls, whether approvals are complete.
const cases = [
  [[], false, false],
  [[text("done")], false, false],
  [[tool("output-available")], true, false],
  [[tool("output-error")], true, false],
  [[tool("output-denied")], false, false],
  [[tool("input-available")], false, false],
  [[tool("output-available", { preliminary: true })], false, false],
  [[tool("output-available", { providerExecuted: true })], false, false],
  [[tool("output-available"), text("done")], true, false],
  [[tool("output-available"), text("streaming")], false, false],
  [[tool("output-available"), text(undefined)], false, false],
  [[text("streaming"), tool("output-available")], true, false],
  [[tool("output-available"), text("done"), tool("input-available")], false, false],
  [[tool("input-available"), step, tool("output-available")], true, false],
  [[tool("output-available"), step], false, false],
  [[tool("approval-responded")], false, true],
  [[tool("approval-responded", { providerExecuted: true })], false, true],
  [[tool("approval-responded"), tool("approval-requested")], false, false],
  [[tool("approval-responded"), tool("output-denied"), tool("output-error")], false, true],
  [[tool("approval-responded"), tool("output-available", { preliminary: true })], false, false],
  [[tool("approval-responded"), step, text("done")], false, false],
];

test("completion predicates: table", () => {
  for (const [parts, tools, approvals] of cases) {
    const messages = [{ id: "m", role: "assistant", parts }];
    const label = JSON.stringify(parts);
    assert.equal(chatwire[predicates[0]]({ messages }), tools, label);
    assert.equal(chatwire[predicates[1]]({ messages }), approvals, label);
    for (const predicate of predicates) {
      assert.equal(chatwire[predicate]({ messages }), peer[predicate]({ messages }), label);
      for (const role of ["user", "system"]) {
        assert.equal(chatwire[predicate]({ messages: [...messages, { role, parts }] }), false);
      }
    }
  }
  for (const predicate of predicates) assert.equal(chatwire[predicate]({ messages: [] }), false);
});

test("completion predicates: random messages", () => {
  const agreed = { true: 0, false: 0 };
  for (let seed = 1; seed <= 20000; seed++) {
    const random = new Random(seed);
    const parts = random.list(6, () => ({
      type: random.pick(["text", "tool-a", "tool-a", "dynamic-tool", "step-start", "reasoning"]),
      state: random.pick(["done", "output-available", "output-error", "approval-responded", ...states]),
      preliminary: random.pick([undefined, undefined, false, true]),
      providerExecuted: random.pick([undefined, undefined, false, true]),
    }));
    const messages = [{ id: "m", role: random.pick(["assistant", "assistant", "user"]), parts }];
    for (const predicate of predicates) {
      const expected = peer[predicate]({ messages });
      assert.equal(chatwire[predicate]({ messages }), expected, `${predicate}, seed ${seed}`);
      agreed[expected]++;
    }
  }
  assert.ok(agreed.true > 1000 && agreed.false > 1000, JSON.stringify(agreed));
});
