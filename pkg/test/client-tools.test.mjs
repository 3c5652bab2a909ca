// `clientTools`: tools that the chat runs in the page.

import assert from "node:assert/strict";
import test from "node:test";
import { Chat, lastAssistantMessageIsCompleteWithToolCalls } from "chatwire";
import { ScriptedChatTransport } from "chatwire/testing";
import { z } from "zod";

const call = (toolCallId, toolName, input = {}) => ({ type: "tool-input-available", toolCallId, toolName, input });

/** A chat whose first answer has these calls, and whose further ones have none. */
function chatThatCalls(calls, options) {
  const transport = new ScriptedChatTransport([
    [{ type: "start", messageId: "a" }, { type: "start-step" }, ...calls, { type: "finish" }],
    [{ type: "start", messageId: "a" }, { type: "start-step" }, { type: "finish" }],
  ]);
  const failures = [];
  const chat = new Chat({
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onError: (error) => failures.push(error),
    ...options,
  });
  return { chat, transport, failures };
}

const parts = (chat) => chat.messages.at(-1).parts.filter(({ type }) => type !== "step-start");
const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function until(condition) {
  for (let tries = 0; !condition(); tries++) {
    assert.ok(tries < 200, "it did not happen within two seconds");
    await later(10);
  }
}

test("tools run at the same time, and the chat goes on once with all outputs", async () => {
  let running = 0;
  let most = 0;
  const told = [];
  const execute = async ({ of }, { toolCallId, messages, abortSignal }) => {
    most = Math.max(most, ++running);
    await later(30);
    running--;
    assert.equal(messages.at(-1).role, "assistant");
    assert.equal(abortSignal.aborted, false);
    return `${of} by ${toolCallId}`;
  };
  const { chat, transport, failures } = chatThatCalls([call("1", "double", { of: 2 }), call("2", "double", { of: 3 })], {
    clientTools: { double: { execute } },
    onToolCall: ({ toolCall }) => told.push(toolCall.toolName),
  });
  await chat.sendMessage({ text: "Go" });
  await until(() => transport.requests.length === 2 && chat.status === "ready");
  assert.equal(most, 2);
  assert.deepEqual(told, []);
  assert.deepEqual(parts(chat).map(({ state, output }) => [state, output]), [
    ["output-available", "2 by 1"],
    ["output-available", "3 by 2"],
  ]);
  await later(50);
  assert.equal(transport.requests.length, 2);
  assert.deepEqual(failures, []);
});

test("what fails is an error of the call", async () => {
  const { chat, transport } = chatThatCalls(
    [call("1", "throws"), call("2", "checks", { n: "two" }), call("3", "sleeps"), call("4", "nothing")],
    {
      clientTools: {
        throws: { execute: () => { throw new Error("no such file"); } },
        checks: { inputSchema: z.object({ n: z.number() }), execute: () => assert.fail("it ran") },
        sleeps: { timeoutMs: 30, execute: () => new Promise(() => {}) },
        nothing: { execute: () => undefined },
      },
    },
  );
  await chat.sendMessage({ text: "Go" });
  await until(() => transport.requests.length === 2);
  const [throws, checks, sleeps, nothing] = parts(chat);
  assert.deepEqual([throws.state, throws.errorText], ["output-error", "no such file"]);
  assert.equal(checks.state, "output-error");
  assert.match(checks.errorText, /\bn\b/);
  assert.deepEqual([sleeps.state, sleeps.errorText], ["output-error", 'The tool "sleeps" gave no output within 30 ms.']);
  assert.deepEqual([nothing.state, nothing.output], ["output-available", null]);
});

test("a schema's own value is what the tool gets", async () => {
  const { chat, transport } = chatThatCalls([call("1", "shout", { word: "hi" })], {
    clientTools: {
      shout: {
        inputSchema: z.object({ word: z.string().transform((word) => word.toUpperCase()) }),
        execute: ({ word }) => word,
      },
    },
  });
  await chat.sendMessage({ text: "Go" });
  await until(() => transport.requests.length === 2);
  assert.equal(parts(chat)[0].output, "HI");
  assert.deepEqual(parts(chat)[0].input, { word: "hi" }, "what the server sent stays");
});

test("other tools are for onToolCall, those of Object.prototype's names too", async () => {
  const told = [];
  const { chat } = chatThatCalls([call("1", "ask"), call("2", "other"), call("3", "constructor")], {
    clientTools: { ask: { inputSchema: z.object({}) } },
    onToolCall: ({ toolCall }) => told.push(toolCall.toolName),
  });
  await chat.sendMessage({ text: "Go" });
  assert.deepEqual(told, ["ask", "other", "constructor"]);
  assert.deepEqual(parts(chat).map(({ state }) => state), Array(3).fill("input-available"));
});

for (const [what, end] of [
  ["stop", (chat) => chat.stop({ label: "enough" })],
  ["dispose", (chat) => chat.dispose()],
]) {
  test(`${what} aborts what runs, and its output is not used`, async () => {
    let reason;
    const execute = (_, { abortSignal }) =>
      new Promise((resolve) => {
        abortSignal.addEventListener("abort", () => {
          reason = abortSignal.reason;
          resolve("late");
        });
      });
    const { chat, transport } = chatThatCalls([call("1", "sleep")], { clientTools: { sleep: { execute } } });
    await chat.sendMessage({ text: "Go" });
    await later(20);
    await end(chat);
    await later(20);
    assert.equal(reason?.name, "AbortError");
    if (what === "stop") assert.equal(reason.message, "enough");
    assert.equal(parts(chat)[0].state, "input-available");
    assert.equal(transport.requests.length, 1);
  });
}

test("a message after a stop tells the server that the tool was stopped", async () => {
  const { chat, transport } = chatThatCalls([call("1", "sleep")], {
    clientTools: { sleep: { execute: () => new Promise(() => {}) } },
  });
  await chat.sendMessage({ text: "Go" });
  await later(20);
  await chat.stop();
  await chat.sendMessage({ text: "Something else" });
  const tool = transport.requests[1].messages[1].parts.find(({ type }) => type === "tool-sleep");
  assert.equal(tool.state, "output-error");
});
