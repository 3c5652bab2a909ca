// `chatwire/telemetry`: what is recorded of responses, steps and tool calls.

import assert from "node:assert/strict";
import test from "node:test";
import { Chat, DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } from "chatwire";
import { recordTelemetry } from "chatwire/telemetry";
import { ScriptedChatTransport } from "chatwire/testing";

const usage = { inputTokens: 7, outputTokens: 5, totalTokens: 12 };

/** Starts recording; `of(type)` gives the records of one type. */
function record(chat, options) {
  const records = [];
  const end = recordTelemetry(chat, { ...options, onRecord: (record) => records.push(record) });
  return { records, end, of: (type) => records.filter((record) => record.type === type) };
}

test("a response: bytes, events, flushes, times and usage", async () => {
  const events = [
    { type: "start", messageId: "a" },
    { type: "start-step" },
    { type: "text-start", id: "1" },
    ...Array.from({ length: 40 }, () => ({ type: "text-delta", id: "1", delta: "word " })),
    { type: "text-end", id: "1" },
    { type: "finish-step" },
    { type: "finish", messageMetadata: { totalUsage: usage } },
  ];
  const body = [...events.map((event) => JSON.stringify(event)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
  const fetch = async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const chat = new Chat({ id: "c", transport: new DefaultChatTransport({ fetch }) });
  const { records, of } = record(chat);
  await chat.sendMessage({ text: "Go" });

  const [response] = of("response");
  assert.deepEqual(records.map(({ type }) => type), ["step", "response"]);
  assert.equal(response.chatId, "c");
  assert.equal(response.messageId, "a");
  assert.equal(response.outcome, "complete");
  assert.equal(response.bytes, new TextEncoder().encode(body).length);
  assert.equal(response.events, events.length + 1);
  assert.ok(response.flushes >= 3 && response.flushes < 10, `${response.flushes} flushes`);
  assert.deepEqual(response.usage, usage);
  const { timeToFirstByte, timeToFirstOutput, duration } = response;
  assert.ok(timeToFirstByte >= 45, `the first byte came after ${timeToFirstByte} ms`);
  assert.ok(timeToFirstByte <= timeToFirstOutput && timeToFirstOutput <= duration);
  assert.ok(Math.abs(response.startedAt + duration - performance.now()) < 1000);
});

test("steps and tool calls of a server", async () => {
  const chat = new Chat({
    throttle: 0,
    transport: new ScriptedChatTransport([
      [
        { type: "start", messageId: "a" },
        { type: "start-step" },
        { wait: 30 },
        { type: "tool-input-start", toolCallId: "t", toolName: "look" },
        { wait: 40 },
        { type: "tool-input-available", toolCallId: "t", toolName: "look", input: {} },
        { wait: 60 },
        { type: "tool-output-available", toolCallId: "t", output: 1, preliminary: true },
        { wait: 20 },
        { type: "tool-output-available", toolCallId: "t", output: 2 },
        { type: "finish-step" },
        { type: "start-step" },
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "Done" },
        { wait: 50 },
        { type: "finish" },
      ],
    ]),
  });
  const { of } = record(chat);
  await chat.sendMessage({ text: "Go" });

  const [tool, ...otherTools] = of("tool");
  assert.deepEqual(otherTools, []);
  assert.deepEqual([tool.toolName, tool.toolCallId, tool.state], ["look", "t", "output-available"]);
  assert.ok(tool.inputDuration >= 35 && tool.inputDuration < 60 + 35, `input: ${tool.inputDuration}`);
  assert.ok(tool.executionDuration >= 70, `execution: ${tool.executionDuration}`);
  assert.equal(tool.approvalDuration, undefined);
  const steps = of("step");
  assert.deepEqual(steps.map(({ step }) => step), [0, 1]);
  assert.ok(steps[0].duration >= 140 && steps[1].duration >= 45, `${steps.map(({ duration }) => duration)}`);
});

test("a client's tool is waited for between two responses, each of which is recorded", async () => {
  const chat = new Chat({
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    transport: new ScriptedChatTransport([
      [
        { type: "start", messageId: "a" },
        { type: "start-step" },
        { type: "tool-input-available", toolCallId: "t", toolName: "ask", input: {} },
        { type: "finish" },
      ],
      [
        { type: "start", messageId: "a" },
        { type: "start-step" },
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "Thanks" },
        { type: "finish" },
      ],
    ]),
  });
  const { of } = record(chat);
  await chat.sendMessage({ text: "Go" });
  await new Promise((resolve) => setTimeout(resolve, 80));
  await chat.addToolOutput({ tool: "ask", toolCallId: "t", output: "yes" });
  await until(() => of("response").length === 2);

  assert.ok(of("tool")[0].executionDuration >= 75);
  assert.deepEqual(of("response").map(({ outcome }) => outcome), ["complete", "complete"]);
  assert.deepEqual(of("step").map(({ step }) => step), [0, 1]);
});

test("an approval is told apart from what is executed after it", async () => {
  const chat = new Chat({
    transport: new ScriptedChatTransport([
      [
        { type: "start", messageId: "a" },
        { type: "tool-input-available", toolCallId: "t", toolName: "pay", input: {} },
        { type: "tool-approval-request", approvalId: "p", toolCallId: "t" },
        { type: "finish" },
      ],
      [
        { type: "start", messageId: "a" },
        { wait: 60 },
        { type: "tool-output-available", toolCallId: "t", output: "paid" },
        { type: "finish" },
      ],
    ]),
  });
  const { of } = record(chat);
  await chat.sendMessage({ text: "Go" });
  await new Promise((resolve) => setTimeout(resolve, 100));
  await chat.addToolApprovalResponse({ id: "p", approved: true });
  await chat.sendMessage();
  const [tool] = of("tool");
  assert.ok(tool.approvalDuration >= 95 && tool.approvalDuration < 95 + 60, `approval: ${tool.approvalDuration}`);
  assert.ok(tool.executionDuration >= 55 && tool.executionDuration < 95, `execution: ${tool.executionDuration}`);
});

test("records are entries of the performance timeline where that is wanted, and end when told", async (context) => {
  context.after(() => performance.clearMeasures());
  const answer = [{ type: "start", messageId: "a" }, { type: "start-step" }, { type: "finish" }];
  const chat = new Chat({ transport: new ScriptedChatTransport([answer]) });
  const { records, end } = record(chat, { measure: true });
  await chat.sendMessage({ text: "Go" });
  const entries = performance.getEntriesByType("measure");
  assert.deepEqual(entries.map(({ name }) => name).sort(), records.map(({ type }) => `chatwire ${type}`).sort());
  assert.ok(entries.some(({ detail }) => detail === records.at(-1) || detail.type === "response"));
  end();
  const { length } = records;
  await chat.sendMessage({ text: "Again" });
  assert.equal(records.length, length);
});

test("what is there before the recording is not recorded", async () => {
  const chat = new Chat({
    messages: [
      { id: "u", role: "user", parts: [{ type: "text", text: "Go" }] },
      {
        id: "a",
        role: "assistant",
        parts: [
          { type: "step-start" },
          { type: "tool-ask", toolCallId: "t", state: "input-available", input: {} },
        ],
      },
    ],
    transport: new ScriptedChatTransport([[{ type: "finish" }]]),
  });
  const { records } = record(chat);
  await chat.addToolOutput({ tool: "ask", toolCallId: "t", output: 1 });
  assert.deepEqual(records, []);
});

async function until(condition) {
  for (let tries = 0; !condition(); tries++) {
    assert.ok(tries < 200, "it did not happen within two seconds");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
