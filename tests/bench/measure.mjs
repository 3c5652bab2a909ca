// What is measured, in whatever engine this runs in: Node, or a page.

import { chatwire, chatwireDefault } from "./contenders/chatwire.mjs";
import { floor } from "./contenders/floor.mjs";
import { peer } from "./contenders/peer.mjs";
import { difference, median, Stub } from "./stub.mjs";
import * as workloads from "./workloads.mjs";

/**
 * A client of the response, by its public API.
 *
 * @typedef {object} Contender
 * @property {() => Promise<unknown>} load called once, before anything is timed
 * @property {(chat: { history: object[], fetch: typeof fetch, onMessages: (messages: object[]) => void }) =>
 *   Promise<{ messages: object[], release: () => void }>} run makes a chat, sends a message and waits
 *   for the end of the response; `onMessages` is its one subscriber
 */

/**
 * A workload by its name in workloads.mjs, its size, and how its bytes arrive.
 *
 * @typedef {{ make: keyof typeof workloads, size: object, delivery: "reads" | "events" }} Load
 */

const contenders = { chatwire, chatwireDefault, peer, floor };
/**
 * Milliseconds that each contender runs before it is timed. Engines compile hot code in the background,
 * WebAssembly too, and on a busy machine that takes a while.
 */
const WARM_UP = 600;
/** A sample is the mean of as many runs as take so many milliseconds: collections fall on all alike. */
const SAMPLE = 5;

/**
 * Runs contenders in turn on the same bytes.
 *
 * @param {object} task
 * @param {Load} task.load
 * @param {(keyof typeof contenders)[]} task.names
 * @param {number} task.rounds
 * @param {number} [task.budget] milliseconds after which the peer sits out; it has three rounds in any case
 */
export async function compare({ load, names, rounds, budget = Number.POSITIVE_INFINITY }) {
  const workload = prepare(load);
  await loadAll(names);
  const first = await warmUp(names, workload);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  let spent = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      if (name === "peer" && round >= 3 && spent > budget) continue;
      const sample = await takeSample(name, workload, first.message);
      samples[name].push(sample);
      if (name === "peer") spent += sample;
    }
  }
  return {
    events: workload.events.length,
    reads: workload.reads.length,
    bytes: workload.reads.reduce((sum, { length }) => sum + length, 0),
    medians: mapValues(samples, median),
    rounds: mapValues(samples, ({ length }) => length),
    notifications: first.notifications,
  };
}

/**
 * Microseconds that chatwire takes for an event at each of some sizes, the sizes in turn. Counted from
 * the first event whose number varies.
 *
 * @param {{ loads: Load[], rounds: number }} task
 */
export async function perEvent({ loads, rounds }) {
  await loadAll(["chatwire"]);
  const prepared = loads.map((load) => prepare(load, true));
  for (const workload of prepared) await warmUp(["chatwire"], workload);
  const samples = prepared.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, workload] of prepared.entries()) {
      const milliseconds = await takeSample("chatwire", workload);
      samples[index].push((milliseconds * 1000) / workload.timedEvents);
    }
  }
  return {
    microseconds: samples.map(median),
    timedEvents: prepared.map(({ timedEvents }) => timedEvents),
    timedReads: prepared.map(({ reads, timedFrom }) => reads.length - timedFrom),
  };
}

/**
 * By how many bytes a contender's memory grows in its first long response: the heap after forced
 * collection (the engine has to offer `gc`) and the WebAssembly's memory, at most (of ten looks) and at the end, with the chat still
 * there. For an engine that has run nothing else.
 *
 * @param {{ load: Load, name: keyof typeof contenders }} task
 */
export async function memory({ load, name }) {
  const wasm = watchWasmMemory();
  const used = () => {
    gc();
    return usedHeap() + wasm();
  };
  const workload = prepare(load);
  await loadAll([name]);
  // What an engine compiles and caches at the first use is not the response's.
  const small = prepare({ make: "text", size: { deltas: 30 }, delivery: "reads" });
  (await contenders[name].run({ history: [], fetch: new Stub(small).fetch, onMessages: look })).release();
  const before = used();
  let most = before;
  const stub = new Stub(workload);
  const every = Math.ceil(workload.reads.length / 10);
  stub.onRead = (read) => {
    if (read % every === 0) most = Math.max(most, used());
  };
  const run = await contenders[name].run({ history: workload.history, fetch: stub.fetch, onMessages: look });
  const end = used();
  run.release();
  return { peak: Math.max(most, end) - before, end: end - before };
}

/**
 * @param {Load} load
 * @param {boolean} [growthOnly] time from the first of the events whose number varies
 */
function prepare({ make, size, delivery }, growthOnly = false) {
  const workload = workloads[make](size);
  const { events } = workload;
  const timedEvents = growthOnly ? events.slice(workload.growsFrom) : events;
  const before = events.slice(0, events.length - timedEvents.length);
  // A read ends where the timing begins.
  const [untimed, timed] =
    delivery === "reads" ? [workloads.inReads(before), workloads.inReads(timedEvents)] : [before, timedEvents];
  return { ...workload, timedEvents: timedEvents.length, reads: [...untimed, ...timed], timedFrom: untimed.length };
}

async function loadAll(names) {
  for (const name of names) await contenders[name].load();
}

/** Lets the engine compile what is to be timed, and sees that all contenders end with the same message. */
async function warmUp(names, workload) {
  const first = { message: undefined, notifications: {} };
  for (const name of names) {
    let spent = 0;
    while (spent < WARM_UP) {
      const run = await runOnce(name, workload, first.message);
      spent += run.milliseconds;
      first.message ??= run.message;
      first.notifications[name] = run.notifications;
    }
  }
  return first;
}

/** The mean milliseconds of some runs. */
async function takeSample(name, workload, expected) {
  let spent = 0;
  let runs = 0;
  while (spent < SAMPLE) {
    spent += (await runOnce(name, workload, expected)).milliseconds;
    runs += 1;
  }
  return spent / runs;
}

/** @param {keyof typeof contenders} name @param {object} [expected] the final message */
async function runOnce(name, workload, expected) {
  let notifications = 0;
  let endedAt = 0;
  const stub = new Stub(workload);
  const onMessages = (messages) => {
    look(messages);
    notifications += 1;
    endedAt = performance.now();
  };
  const { messages, release } = await contenders[name].run({
    history: workload.history,
    fetch: stub.fetch,
    onMessages,
  });
  release();
  const message = messages.at(-1);
  const found = expected && difference(message, expected);
  if (found) throw new Error(`${name} ends with another message at ${found}`);
  return { milliseconds: endedAt - stub.startedAt, notifications, message };
}

/** What the subscriber does: reads the messages, as a page would to render the last part. */
let seen = 0;
function look(messages) {
  const part = messages.at(-1).parts.at(-1);
  seen += messages.length + (part?.text?.length ?? 0);
}

/** The bytes of JavaScript's heap. */
function usedHeap() {
  return globalThis.process?.memoryUsage?.().heapUsed ?? performance.memory.usedJSHeapSize;
}

/** The bytes of the memories of all WebAssembly that is started from now on. */
function watchWasmMemory() {
  const memories = [];
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (...args) => {
    const result = await instantiate(...args);
    const { exports } = result.instance ?? result;
    memories.push(...Object.values(exports).filter((value) => value instanceof WebAssembly.Memory));
    return result;
  };
  return () => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}

function mapValues(object, map) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
