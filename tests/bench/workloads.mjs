// The responses that are measured: a fixed seed makes the same bytes on every machine.

import { Random } from "../differential/support/random.mjs";

/**
 * A response and what is there before it.
 *
 * @typedef {object} Workload
 * @property {object[]} history messages of the chat before the response
 * @property {Uint8Array[]} events one server-sent event each
 * @property {number} growsFrom index of the first event of those whose number the growth runs vary
 */

const SEED = 20261203;
const READ_BYTES = 1500;
const WORDS = [
  ..." the| of| and| to| in| is| that| for| it| as| with| on| be| by| are| this| from| at| or| an| not".split("|"),
  ..." have| which| one| can| will| each| other| about| value| time| may| only| new| some| could| state".split("|"),
  ...".|,| a| I|s|ed|ing|er|ly|al|tion|ment| (|)| “|”| –|é| 1| 20|\n\n|\n- |**|`|\"".split("|"),
];
const encoder = new TextEncoder();

/** A text answer: `deltas` deltas of about 4 characters. */
export function text({ deltas, history = 0 }) {
  const random = new Random(SEED);
  const response = new Response("answer");
  response.add({ type: "text-start", id: "0" });
  const growsFrom = response.events.length;
  for (let count = 0; count < deltas; count += 1) {
    response.add({ type: "text-delta", id: "0", delta: random.pick(WORDS) });
  }
  response.add({ type: "text-end", id: "0" });
  return response.finish({ history: messages(history, random), growsFrom });
}

/** One tool call whose input is JSON text of about `bytes` bytes, in deltas of about 12 characters. */
export function toolInput({ bytes }) {
  const random = new Random(SEED);
  const response = new Response("call");
  const items = [];
  for (let size = 0; size < bytes; size += JSON.stringify(items.at(-1)).length + 1) {
    items.push({
      id: items.length,
      title: sentence(random, 4),
      body: sentence(random, 24),
      tags: random.list(1, 3, () => random.pick(["draft", "public", "urgent", "later"])),
      place: { line: random.below(5000), ratio: random.below(1000) / 8, isNew: random.chance(0.5) },
    });
  }
  addToolCall(response, "call-0", { document: "notes", items }, random);
  return response.finish({});
}

/** `steps` steps of an agent; the deltas of reasoning, tool input and text take turns. */
export function agent({ steps, deltas = 20 }) {
  const random = new Random(SEED);
  const response = new Response("agent");
  for (let step = 0; step < steps; step += 1) {
    const call = `call-${step}`;
    const input = { query: sentence(random, deltas * 2.5), limit: 20 };
    const inputDeltas = pieces(JSON.stringify(input), random);
    if (step > 0) response.add({ type: "start-step" });
    response.add({ type: "reasoning-start", id: `r${step}` });
    response.add({ type: "tool-input-start", toolCallId: call, toolName: "search" });
    response.add({ type: "text-start", id: `t${step}` });
    for (let count = 0; count < Math.max(deltas, inputDeltas.length); count += 1) {
      response.add({ type: "reasoning-delta", id: `r${step}`, delta: random.pick(WORDS) });
      if (count < inputDeltas.length) {
        response.add({ type: "tool-input-delta", toolCallId: call, inputTextDelta: inputDeltas[count] });
      }
      response.add({ type: "text-delta", id: `t${step}`, delta: random.pick(WORDS) });
    }
    response.add({ type: "reasoning-end", id: `r${step}` });
    response.add({ type: "tool-input-available", toolCallId: call, toolName: "search", input });
    response.add({ type: "tool-output-available", toolCallId: call, output: output(5000, random) });
    response.add({ type: "text-end", id: `t${step}` });
    response.add({ type: "finish-step" });
  }
  return response.finish({ inStep: false });
}

/** `tools` finished tool calls in one message, then a text of `deltas` deltas. */
export function toolParts({ tools, deltas }) {
  const random = new Random(SEED);
  const response = new Response("tools");
  for (let count = 0; count < tools; count += 1) {
    const toolCallId = `call-${count}`;
    response.add({
      type: "tool-input-available",
      toolCallId,
      toolName: "look",
      input: { path: `src/${random.pick(WORDS).trim()}-${count}` },
    });
    response.add({ type: "tool-output-available", toolCallId, output: { lines: random.below(900) } });
  }
  response.add({ type: "text-start", id: "0" });
  const growsFrom = response.events.length;
  for (let count = 0; count < deltas; count += 1) {
    response.add({ type: "text-delta", id: "0", delta: random.pick(WORDS) });
  }
  response.add({ type: "text-end", id: "0" });
  return response.finish({ growsFrom });
}

/** `parts` data parts with ids of their own in one message. */
export function dataParts({ parts }) {
  const random = new Random(SEED);
  const response = new Response("data");
  const growsFrom = response.events.length;
  for (let count = 0; count < parts; count += 1) {
    response.add({ type: "data-row", id: `row-${count}`, data: { name: sentence(random, 2), at: random.below(900) } });
  }
  return response.finish({ growsFrom });
}

/** How the bytes arrive: reads of about 1.5 KB that end anywhere. @param {Uint8Array[]} events */
export function inReads(events) {
  const bytes = new Uint8Array(events.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const event of events) {
    bytes.set(event, end);
    end += event.length;
  }
  const reads = [];
  for (let at = 0; at < end; at += READ_BYTES) reads.push(bytes.slice(at, at + READ_BYTES));
  return reads;
}

/** The events of one response of one message. */
class Response {
  events = [];

  /** @param {string} messageId */
  constructor(messageId) {
    this.add({ type: "start", messageId });
    this.add({ type: "start-step" });
  }

  /** @param {object} chunk */
  add(chunk) {
    this.events.push(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`));
  }

  /** @returns {Workload} */
  finish({ history = [], growsFrom = 0, inStep = true }) {
    if (inStep) this.add({ type: "finish-step" });
    this.add({ type: "finish", finishReason: "stop" });
    this.events.push(encoder.encode("data: [DONE]\n\n"));
    return { history, events: this.events, growsFrom };
  }
}

/** A streamed tool call; gives the input at once at its end, as servers do. */
function addToolCall(response, toolCallId, input, random) {
  response.add({ type: "tool-input-start", toolCallId, toolName: "write" });
  for (const inputTextDelta of pieces(JSON.stringify(input), random)) {
    response.add({ type: "tool-input-delta", toolCallId, inputTextDelta });
  }
  response.add({ type: "tool-input-available", toolCallId, toolName: "write", input });
}

/** The text in pieces of 8 to 16 characters, none of which ends inside a character. */
function pieces(json, random) {
  const found = [];
  for (let at = 0; at < json.length; ) {
    const end = at + random.between(8, 16);
    found.push(json.slice(at, end));
    at = end;
  }
  return found;
}

/** Rows of a table, about `bytes` bytes as JSON. */
function output(bytes, random) {
  const rows = [];
  for (let size = 0; size < bytes; size += JSON.stringify(rows.at(-1)).length + 1) {
    rows.push({ url: `https://example.org/${random.below(1e6)}`, title: sentence(random, 6), score: random.fraction() });
  }
  return { rows };
}

function sentence(random, words) {
  let found = "";
  for (let count = 0; count < words; count += 1) found += random.pick(WORDS);
  return found.trim();
}

/** A conversation. */
function messages(count, random) {
  return Array.from({ length: count }, (_, index) => ({
    id: `message-${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    parts: [{ type: "text", text: sentence(random, 40), ...(index % 2 === 0 ? {} : { state: "done" }) }],
  }));
}
