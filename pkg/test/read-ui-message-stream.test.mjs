// readUIMessageStream beside the AI SDK's: on the streams of the core's fixtures and on random ones,
// every state that each of them gives.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as peer from "ai";
import { ChatwireError, rawJson, readUIMessageStream } from "chatwire";
import { jsonObject, jsonValue } from "./support/messages.mjs";
import { Random } from "./support/random.mjs";

function streamOf(chunks, { fails } = {}) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < chunks.length) controller.enqueue(chunks[at++]);
      else if (fails) controller.error(fails);
      else controller.close();
    },
  });
}

const json = (value) => JSON.parse(JSON.stringify(value));

/** The states, the errors that were told, and the one that ended the states. */
async function read(reader, chunks, { fails, message, ...options } = {}) {
  const states = [];
  const errors = [];
  let thrown;
  try {
    const stream = reader({
      ...options,
      // The AI SDK writes into the message that it is given.
      ...(message && { message: json(message) }),
      stream: streamOf(chunks, { fails }),
      onError: (error) => errors.push(error.message),
    });
    for await (const state of stream) states.push(json(state));
  } catch (error) {
    thrown = error.message;
  }
  return { states, errors, thrown };
}

async function compare(chunks, options, label) {
  const ours = await read(readUIMessageStream, chunks, options);
  const theirs = await read(peer.readUIMessageStream, chunks, options);
  assert.deepEqual(ours, theirs, label);
  return ours;
}

const fixtures = new URL("../../tests/fixtures/streams/", import.meta.url);

function chunksOf(name) {
  const text = readFileSync(new URL(`${name}.sse`, fixtures), "utf8");
  const events = text.split(/\r\n?\r\n?|\n\n/).map((event) =>
    [...event.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => data).join("\n"),
  );
  return events.filter((data) => data !== "" && data !== "[DONE]").map((data) => JSON.parse(data));
}

test("the streams that both clients read alike", async () => {
  // These begin with a history, or end with a marker that only a body has.
  const needMore = /^(continuation|resume|start_of_known_id)/;
  let states = 0;
  let compared = 0;
  for (const file of readdirSync(fixtures).filter((file) => file.endsWith(".json"))) {
    const name = file.slice(0, -".json".length);
    const fixture = JSON.parse(readFileSync(new URL(file, fixtures), "utf8"));
    if (fixture.peer !== "same" || needMore.test(name)) continue;
    const ours = await compare(chunksOf(name), {}, name);
    states += ours.states.length;
    compared++;
  }
  assert.ok(compared > 30 && states > 200, `${states} states of ${compared} streams`);
});

/** A legal stream: steps of texts, reasoning, tool calls and whole parts, one part after the other. */
function randomChunks(random) {
  const chunks = [{ type: "start", messageId: "m", messageMetadata: jsonObject(random) }];
  let number = 0;
  for (let steps = 1 + random.below(3); steps > 0; steps--) {
    chunks.push({ type: "start-step" });
    for (let parts = random.below(4); parts > 0; parts--) {
      const id = `${number++}`;
      chunks.push(...random.pick([text, text, toolCall, toolCall, data, whole])(random, id));
    }
    if (random.chance(0.1)) chunks.push({ type: "error", errorText: "overloaded" });
    if (random.chance(0.1)) chunks.push({ type: "reset-step" });
    chunks.push({ type: "finish-step" });
  }
  if (random.chance(0.5)) chunks.push({ type: "message-metadata", messageMetadata: jsonObject(random) });
  chunks.push({ type: "finish", finishReason: "stop" });
  return chunks;
}

function text(random, id) {
  const kind = random.pick(["text", "reasoning"]);
  const deltas = random.list(4, () => ({
    type: `${kind}-delta`,
    id,
    delta: random.pick(["a", "", "é😀", "\ud83d", "\ude00"]),
  }));
  const providerMetadata = { p: jsonObject(random) };
  return [
    { type: `${kind}-start`, id, ...(random.chance(0.3) && { providerMetadata }) },
    ...deltas,
    ...(random.chance(0.8) ? [{ type: `${kind}-end`, id }] : []),
  ];
}

function toolCall(random, id) {
  const call = { toolCallId: id };
  const name = { ...call, toolName: "search", ...(random.chance(0.3) && { dynamic: true }) };
  // The AI SDK misreads exponents with a sign while they arrive (tests/differences.md, 17).
  const whole = JSON.stringify(jsonObject(random)).replaceAll("e+", "e");
  const input = JSON.parse(whole);
  const cut = random.below(whole.length);
  const chunks = [];
  if (random.chance(0.6)) {
    chunks.push({ type: "tool-input-start", ...name, ...(random.chance(0.3) && { title: "t" }) });
    for (const inputTextDelta of [whole.slice(0, cut), whole.slice(cut)]) {
      chunks.push({ type: "tool-input-delta", ...call, inputTextDelta });
    }
  }
  if (random.chance(0.1)) return [...chunks, { type: "tool-input-error", ...name, input, errorText: "e" }];
  chunks.push({ type: "tool-input-available", ...name, input });
  if (random.chance(0.3)) {
    chunks.push({ type: "tool-approval-request", ...call, approvalId: `a${id}`, reason: "r" });
    if (random.chance(0.5)) {
      chunks.push({ type: "tool-approval-response", approvalId: `a${id}`, approved: random.chance(0.5) });
    }
  }
  if (random.chance(0.3)) {
    chunks.push({ type: "tool-output-available", ...call, output: jsonValue(random), preliminary: true });
  }
  const end = random.pick(["tool-output-available", "tool-output-error", "tool-output-denied"]);
  if (random.chance(0.7)) chunks.push({ type: end, ...call, output: jsonValue(random), errorText: "e" });
  return chunks;
}

function data(random) {
  const id = random.pick(["d", "e"]);
  return random.list(3, () => ({
    type: `data-${random.pick(["x", "y"])}`,
    data: jsonValue(random),
    ...(random.chance(0.5) && { id }),
    ...(random.chance(0.2) && { transient: true }),
  }));
}

function whole(random) {
  return [
    random.pick([
      { type: "source-url", sourceId: "s", url: "u", title: "t" },
      { type: "source-document", sourceId: "s", mediaType: "m", title: "t", filename: "f" },
      { type: "file", url: "u", mediaType: "m" },
      { type: "reasoning-file", url: "u", mediaType: "m" },
      { type: "custom", kind: "a.b", providerMetadata: { p: jsonObject(random) } },
      { type: "steering-message", id: "u2", parts: [{ type: "text", text: "stop" }] },
      { type: "something-new", x: 1 },
    ]),
  ];
}

const question = { id: "u", role: "user", parts: [{ type: "text", text: "?" }] };

test("random streams: the same states and errors", async () => {
  let states = 0;
  for (let seed = 1; seed <= 600; seed++) {
    const random = new Random(seed);
    const chunks = randomChunks(random);
    const fails = random.chance(0.1) ? new Error("gone") : undefined;
    const message = random.chance(0.2) ? question : undefined;
    const terminateOnError = random.chance(0.2);
    const ours = await compare(chunks, { fails, message, terminateOnError }, `seed ${seed}`);
    states += ours.states.length;
  }
  assert.ok(states > 4_000, `${states} states`);
});

test("an assistant's message is continued, and stays as it was given", async () => {
  const message = {
    id: "a",
    role: "assistant",
    metadata: { n: 1 },
    parts: [{ type: "step-start" }, { type: "tool-x", toolCallId: "t", state: "input-available", input: 1 }],
  };
  const chunks = [
    { type: "start", messageMetadata: { m: 2 } },
    { type: "tool-output-available", toolCallId: "t", output: 2 },
    { type: "start-step" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "ok" },
  ];
  const { states } = await compare(chunks, { message });
  assert.equal(states.at(-1).parts.length, 4);
  await compare([{ ...chunks[0], messageId: "a" }, ...chunks.slice(1)], { message });
  const before = json(message);
  for await (const state of readUIMessageStream({ message, stream: streamOf(chunks) })) {
    assert.notEqual(state, message);
  }
  assert.deepEqual(message, before);
});

test("what has not changed in a state is the same object as before", async () => {
  const chunks = [
    { type: "start", messageId: "m", messageMetadata: { a: {} } },
    { type: "data-x", data: { big: [1, 2, 3] } },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "a" },
    { type: "text-delta", id: "1", delta: "b" },
  ];
  const states = [];
  for await (const state of readUIMessageStream({ stream: streamOf(chunks) })) states.push(state);
  assert.equal(states.length, 5);
  assert.equal(states[4].parts[0], states[1].parts[0]);
  assert.equal(states[4].metadata, states[0].metadata);
  assert.notEqual(states[4].parts[1], states[3].parts[1]);
  assert.deepEqual(states[3].parts[1], { type: "text", text: "a", state: "streaming" });
  assert.equal(rawJson(states[4].parts[0].data), '{"big":[1,2,3]}');
});

test("what cannot be read ends the states, with the error when that is wanted", async () => {
  const bad = [
    { type: "text-start", id: "1" },
    { type: "tool-output-available", toolCallId: "t", output: 1 },
    { type: "text-delta", id: "1", delta: "never read" },
  ];
  const told = await compare(bad, {});
  assert.deepEqual([told.states.length, told.errors.length, told.thrown], [1, 1, undefined]);
  const thrown = await compare(bad, { terminateOnError: true });
  assert.equal(thrown.thrown, thrown.errors[0]);
  // Chunks that are none: the AI SDK does not look.
  const { states, errors } = await read(readUIMessageStream, [bad[0], { type: "text-delta", id: 1 }]);
  assert.deepEqual([states.length, errors.length], [1, 1]);
  const failure = await read(readUIMessageStream, [{ type: "start", messageId: 10n }]);
  assert.match(failure.errors[0], /BigInt/);
  const unusable = await read(readUIMessageStream, bad, { message: { id: "a", role: "assistant" } });
  assert.deepEqual([unusable.states.length, unusable.errors.length], [0, 1]);
});

test("an abort ends the states: what was open is closed", async () => {
  const chunks = [
    { type: "start", messageId: "m" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "a" },
    { type: "abort", reason: "because" },
    { type: "text-delta", id: "1", delta: "b" },
  ];
  const { states, errors } = await read(readUIMessageStream, chunks);
  assert.deepEqual(states.at(-1).parts, [{ type: "text", text: "a", state: "done" }]);
  assert.deepEqual(errors, []);
  const theirs = await read(peer.readUIMessageStream, chunks);
  assert.deepEqual(theirs.states.at(-1).parts, [{ type: "text", text: "ab", state: "streaming" }]);
});

test("a start that comes late, or names another message, loses nothing", async () => {
  const late = [
    { type: "data-x", data: 1 },
    { type: "start", messageId: "m" },
  ];
  const expected = [{ type: "data-x", data: 1 }];
  assert.deepEqual((await read(readUIMessageStream, late)).states.at(-1).parts, expected);
  assert.deepEqual((await read(peer.readUIMessageStream, late)).states.at(-1).parts, []);
  const message = { id: "a", role: "assistant", parts: [{ type: "text", text: "old", state: "done" }] };
  const other = await read(readUIMessageStream, late, { message });
  assert.deepEqual(other.states.at(-1), { id: "m", role: "assistant", parts: expected });
});

test("who stops reading stops the stream", async () => {
  let cancelled;
  const stream = new ReadableStream({
    pull: (controller) => controller.enqueue({ type: "data-x", data: 1 }),
    cancel: (reason) => (cancelled = { reason }),
  });
  for await (const { parts } of readUIMessageStream({ stream })) if (parts.length === 3) break;
  assert.deepEqual(cancelled, { reason: undefined });
  const locked = streamOf([]);
  locked.getReader();
  assert.throws(() => readUIMessageStream({ stream: locked }), TypeError);
});

test("an error handler at fault does not end the states", async (t) => {
  // How its error gets to the environment's own report.
  const later = t.mock.method(globalThis, "queueMicrotask", () => {});
  const chunks = [{ type: "error", errorText: "e" }, { type: "data-x", data: 1 }];
  const states = [];
  const stream = readUIMessageStream({
    stream: streamOf(chunks),
    onError: (error) => {
      assert.ok(ChatwireError.isInstance(error));
      assert.equal(error.code, "stream_error");
      throw new Error("of the handler");
    },
  });
  for await (const state of stream) states.push(state);
  assert.equal(states.length, 1);
  assert.throws(later.mock.calls[0].arguments[0], { message: "of the handler" });
});
