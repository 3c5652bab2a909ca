// Servers of different generations: what `ai` 6 and 7 send, and what each reads from it itself.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as ai7 from "ai";
import { MockLanguageModelV4 } from "ai/test";
import * as ai6 from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import { Chat, DefaultChatTransport, readUIMessageStream } from "chatwire";
import { z } from "zod";

const generations = [
  { version: 6, ai: ai6, Model: MockLanguageModelV3 },
  { version: 7, ai: ai7, Model: MockLanguageModelV4 },
];

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const finish = (unified) => ({ type: "finish", usage, finishReason: { unified, raw: undefined } });

/** What the model says in each of its two steps. */
const steps = [
  [
    { type: "stream-start", warnings: [] },
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "A tool " },
    { type: "reasoning-delta", id: "r", delta: "knows." },
    { type: "reasoning-end", id: "r", providerMetadata: { mock: { signature: "s" } } },
    { type: "tool-input-start", id: "c", toolName: "weather" },
    { type: "tool-input-delta", id: "c", delta: '{"city":' },
    { type: "tool-input-delta", id: "c", delta: '"Zürich"}' },
    { type: "tool-input-end", id: "c" },
    { type: "tool-call", toolCallId: "c", toolName: "weather", input: '{"city":"Zürich"}' },
    finish("tool-calls"),
  ],
  [
    { type: "stream-start", warnings: [] },
    { type: "source", sourceType: "url", id: "s", url: "https://example.com", title: "Weather" },
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "It is " },
    { type: "text-delta", id: "t", delta: "21 °C \u{1f31e}" },
    { type: "text-end", id: "t" },
    finish("stop"),
  ],
];

function modelOf(Model, list) {
  let step = 0;
  return new Model({
    doStream: async () => ({ stream: ReadableStream.from(list[Math.min(step++, list.length - 1)]) }),
  });
}

/** The body of the answer of a server of this generation. */
async function answerOf({ ai, Model }, list = steps) {
  const stream = ai.createUIMessageStream({
    onError: (error) => `Failed: ${error}`,
    execute({ writer }) {
      writer.write({ type: "start" });
      writer.write({ type: "data-notice", id: "n", data: { text: "Looking" } });
      writer.write({ type: "data-notice", id: "n", data: { text: "Found" } });
      const result = ai.streamText({
        model: modelOf(Model, list),
        prompt: "How warm is it?",
        tools: {
          weather: ai.tool({
            inputSchema: z.object({ city: z.string() }),
            execute: async ({ city }) => ({ city, degrees: 21 }),
          }),
        },
        stopWhen: ai.stepCountIs?.(3) ?? ai.isStepCount(3),
        onError: () => {},
      });
      writer.merge(
        result.toUIMessageStream({
          sendStart: false,
          sendSources: true,
          messageMetadata: ({ part }) => (part.type === "finish" ? { total: part.totalUsage.totalTokens } : undefined),
        }),
      );
    },
  });
  return ai.createUIMessageStreamResponse({ stream });
}

const plain = (value) => JSON.parse(JSON.stringify(value));

for (const generation of generations) {
  const { version, ai } = generation;

  test(`a tool loop of ai ${version} is read as it reads it itself`, async () => {
    const body = await (await answerOf(generation)).text();
    const response = () => new Response(body, { headers: { "x-vercel-ai-ui-message-stream": "v1" } });
    const chunks = body
      .split("\n\n")
      .map((event) => event.replace(/^data: /, ""))
      .filter((data) => data && data !== "[DONE]")
      .map((data) => JSON.parse(data));
    assert.ok(chunks.some(({ type }) => type === "tool-output-available"), "the loop ran");

    const chat = new Chat({ transport: new DefaultChatTransport({ fetch: async () => response() }) });
    await chat.sendMessage({ text: "How warm is it?" });
    let theirs;
    for await (const message of ai.readUIMessageStream({ stream: ReadableStream.from(chunks) })) theirs = message;
    let ours;
    for await (const message of readUIMessageStream({ stream: ReadableStream.from(chunks) })) ours = message;

    assert.equal(chat.status, "ready");
    assert.equal(chat.outcome, "complete");
    const { id: _, ...expected } = plain(theirs);
    for (const message of [chat.lastMessage, ours]) {
      const { id: __, ...actual } = plain(message);
      assert.deepEqual(actual, expected);
    }
    assert.ok(expected.parts.length >= 6 && expected.metadata.total > 0);
  });

  test(`an error in a stream of ai ${version}`, async () => {
    const list = [[steps[0][0], { type: "error", error: new Error("overloaded") }]];
    const response = await answerOf(generation, list);
    const chat = new Chat({ transport: new DefaultChatTransport({ fetch: async () => response }) });
    await chat.sendMessage({ text: "How warm is it?" });
    assert.equal(chat.status, "error");
    assert.equal(chat.error.code, "stream_error");
    assert.equal(chat.outcome, "error");
  });
}
