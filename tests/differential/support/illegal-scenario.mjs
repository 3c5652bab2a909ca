// One legal stream with one thing in it that is not allowed, or with its end cut off.

import { AGREED, comparableLog, Mismatch, withoutEmptyStep } from "./comparison.mjs";
import { eventOf } from "./events.mjs";
import { randomFault } from "./faults.mjs";
import { rulingOn } from "./illegal-rules.mjs";
import { isSameJson } from "./json.mjs";
import { Ids, LegalStream } from "./legal-stream.mjs";
import { Random } from "./random.mjs";
import { Side, settle } from "./side.mjs";
import { copyOf } from "./stream-state.mjs";

const WITHOUT_MARK = { "content-type": "text/event-stream" };

export class IllegalScenario {
  #seed;
  #random;
  #tally;
  #items;
  #history = [];
  /** @type {Side} */
  #plain;
  /** @type {Side} */
  #ours;
  /** The AI SDK's client on the stream as it should be. @type {Side} */
  #reference;
  /** Whether the last event comes to light with the end, so that `streaming` is never shown. */
  #isAtOnce = false;

  /** @param {number} seed @param {import("./comparison.mjs").Tally} tally */
  constructor(seed, tally) {
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#tally = tally;
    this.#items = plainStream(this.#random);
  }

  async play() {
    const random = this.#random;
    try {
      const way = random.weighted([
        [6, () => this.#playFault()],
        [1.5, () => this.#playCut()],
        [1, () => this.#playUnterminated()],
      ]);
      await way();
      await Promise.all([this.#plain.end(), this.#ours.end(), this.#reference.end()]);
    } catch (error) {
      error.message = `seed ${this.#seed}: ${error.message}`;
      throw error;
    }
  }

  // The three ways to go wrong

  async #playFault() {
    await this.#begin();
    const fault = randomFault(this.#random, this.#items);
    const { at, data, replaces } = fault;
    await this.#pushLegal(0, at);
    const ruling = rulingOn(data, this.#items[at].state);
    this.#history.push(`wrong: ${data} ${JSON.stringify(ruling)}`);
    this.#tally.add(ruling.difference ?? AGREED);
    if (ruling.error) return this.#expectFailure(data, ruling);
    if (ruling.abort) return this.#expectAbort(data, ruling.abort);
    const before = this.#ours.warnings.length;
    await this.#push([`data: ${data}\n\n`], [this.#plain, this.#ours]);
    await this.#push(ruling.repaired.map(eventOf), [this.#reference]);
    if (this.#plain.chat.status !== "error")
      throw this.#mismatch("the AI SDK's client accepts it", "error", this.#plain.chat.status);
    this.#compareWithReference();
    const warnings = this.#ours.warnings.slice(before).map(({ code }) => code);
    const expected = ruling.warning ? [ruling.warning] : [];
    if (!isSameJson(warnings, expected)) throw this.#mismatch("warnings", expected, warnings);
    await this.#pushRest(at + (replaces ? 1 : 0));
  }

  async #playCut() {
    const random = this.#random;
    const isMarked = random.chance(0.6);
    await this.#begin(isMarked ? {} : { headers: WITHOUT_MARK });
    const at = random.below(this.#items.length + 1);
    await this.#pushLegal(0, at);
    const isEnded = this.#items
      .slice(0, at)
      .some(({ chunk }) => chunk.type === "finish" || chunk.type === "error");
    const failure = random.chance(0.3)
      ? new TypeError(random.pick(["network error", "terminated"]))
      : undefined;
    const seemsWhole = !isMarked && !failure && seemsComplete(this.#plain, at, this.#items);
    this.#history.push(`cut ${failure?.message ?? ""}`);
    await this.#end(this.#plain, failure);
    await this.#end(this.#ours, failure);
    if (isEnded && !failure) return this.#compare(this.#plain);
    if (seemsWhole) {
      this.#compare(this.#plain);
      return this.#expectOutcome("complete");
    }
    this.#tally.add("1");
    if (isEnded) return this.#expectOutcome(this.#items[at - 1].chunk.type === "error" ? "error" : undefined);
    this.#expectCut(this.#plain, failure);
  }

  /** The last event lacks its blank line. */
  async #playUnterminated() {
    const random = this.#random;
    await this.#begin();
    const at = random.below(this.#items.length);
    const { chunk } = this.#items[at];
    await this.#pushLegal(0, at);
    const event = `data: ${JSON.stringify(chunk)}`;
    this.#history.push(`without its blank line: ${event}`);
    await this.#push([event + random.pick(["", "\n", "\r", "\r\n"])], [this.#plain, this.#ours]);
    await this.#push([eventOf(chunk)], [this.#reference]);
    for (const side of [this.#plain, this.#ours, this.#reference]) await this.#end(side);
    if (!isSameJson(this.#plain.shown, this.#reference.shown)) this.#tally.add("2");
    this.#isAtOnce = true;
    if (chunk.type === "finish" || chunk.type === "error") this.#compare(this.#reference);
    else this.#expectCut(this.#reference);
  }

  // What must come of it

  /** Both fail, with the same error. */
  async #expectFailure(data, { error }) {
    await this.#push([`data: ${data}\n\n`], [this.#plain, this.#ours]);
    if (this.#plain.chat.error?.name !== error)
      throw this.#mismatch("the rule is wrong", error, this.#plain.chat.error?.name);
    this.#compare(this.#plain);
    this.#expectOutcome("error");
    await this.#push(
      this.#items.map(({ chunk }) => eventOf(chunk)),
      [this.#plain, this.#ours],
    );
    this.#compare(this.#plain);
  }

  async #expectAbort(data, { reason }) {
    await this.#push([`data: ${data}\n\n`], [this.#plain, this.#ours]);
    this.#plain.takeLog();
    const messages = withTextsClosed(this.#plain.shown.messages);
    const expected = { status: "ready", messages: withoutEmptyStep(messages) };
    if (!isSameJson(expected, shownBy(this.#ours)))
      throw this.#mismatch("aborted", expected, shownBy(this.#ours));
    const [finish] = this.#ours.takeLog().filter((entry) => entry.finish);
    const { isAbort, isError, isDisconnect, outcome, reason: given } = finish?.finish ?? {};
    const flags = { isAbort, isError, isDisconnect, outcome, reason: given };
    const expectedFlags = { isAbort: true, isError: false, isDisconnect: false, outcome: "aborted", reason };
    if (!isSameJson(flags, expectedFlags)) throw this.#mismatch("aborted", expectedFlags, flags);
    await this.#push(
      this.#items.map(({ chunk }) => eventOf(chunk)),
      [this.#ours],
    );
    if (!isSameJson(expected, shownBy(this.#ours)))
      throw this.#mismatch("after the abort", expected, shownBy(this.#ours));
  }

  /** The reference took the cut for an end, or a failure for one that cannot be resumed. */
  #expectCut(reference, failure) {
    const { messages } = reference.shown;
    const error = { name: failure ? "TypeError" : "ChatwireError" };
    const expected = { status: "error", error, messages: withoutEmptyStep(withTextsClosed(messages)) };
    if (!isSameJson(expected, shownBy(this.#ours)))
      throw this.#mismatch("cut", expected, shownBy(this.#ours));
    const code = failure ? "network_error" : "truncated";
    if (this.#ours.chat.error.code !== code) throw this.#mismatch("code", code, this.#ours.chat.error.code);
    const flags = { isAbort: false, isDisconnect: true, isError: true };
    const expectedLog = this.#logOf(reference).flatMap((entry) => {
      if (entry.error) return [];
      if (entry.status === "ready" || entry.status === "error") return [{ status: "error" }, "error"];
      if (!entry.finish) return [entry];
      const { message } = entry.finish;
      const finish = { ...entry.finish, ...flags, message: withTextsClosed([message])[0] };
      return [{ finish: { ...finish, messages: expected.messages } }];
    });
    const actualLog = this.#logOf(this.#ours).map((entry) => (entry.error ? "error" : entry));
    if (!isSameJson(expectedLog, actualLog))
      throw this.#mismatch("callbacks of the cut", expectedLog, actualLog);
    this.#expectOutcome(failure ? "disconnect" : "truncated");
  }

  #expectOutcome(outcome) {
    const expected = outcome ?? "complete";
    if (this.#ours.chat.outcome !== expected)
      throw this.#mismatch("outcome", expected, this.#ours.chat.outcome);
  }

  // The parts of it

  async #begin(options = {}) {
    this.#plain = new Side("peer", options);
    this.#ours = new Side("chatwire", options);
    this.#reference = new Side("peer", options);
    for (const side of [this.#plain, this.#ours, this.#reference]) {
      side.command((chat) => chat.sendMessage({ text: "Hi" }));
    }
    await settle();
    this.#compare(this.#plain);
  }

  /** Events that are legal. */
  async #pushLegal(from, to) {
    for (const { chunk } of this.#items.slice(from, to)) {
      this.#history.push(JSON.stringify(chunk));
      await this.#push([eventOf(chunk)], [this.#plain, this.#ours, this.#reference]);
      this.#compare(this.#plain);
    }
    this.#reference.takeLog();
  }

  /** What follows on a fault that chatwire put right. */
  async #pushRest(from) {
    for (const { chunk } of this.#items.slice(from)) {
      this.#history.push(JSON.stringify(chunk));
      await this.#push([eventOf(chunk)], [this.#ours, this.#reference]);
      this.#compareWithReference();
    }
    await this.#push(["data: [DONE]\n\n"], [this.#ours, this.#reference]);
    await this.#end(this.#ours);
    await this.#end(this.#reference);
    this.#compareWithReference();
    this.#expectOutcome(this.#items.at(-1).chunk.type === "error" ? "error" : "complete");
  }

  async #push(events, sides) {
    for (const side of sides) side.request?.push(events.join(""));
    await settle();
  }

  async #end(side, failure) {
    if (failure) side.request?.fail(failure);
    else side.request?.close();
    await settle();
  }

  #compareWithReference() {
    this.#plain.takeLog();
    this.#compare(this.#reference);
  }

  #compare(reference) {
    const [expectedLog, actualLog] = [reference, this.#ours].map((side) => this.#logOf(side));
    if (!isSameJson(expectedLog, actualLog)) throw this.#mismatch("callbacks", expectedLog, actualLog);
    if (!isSameJson(shownBy(reference), shownBy(this.#ours))) {
      throw this.#mismatch("state", shownBy(reference), shownBy(this.#ours));
    }
  }

  #logOf(side) {
    const log = comparableLog(side.takeLog());
    return this.#isAtOnce ? log.filter(({ status }) => status !== "streaming") : log;
  }

  #mismatch(what, expected, actual) {
    return new Mismatch(what, expected, actual, this.#history.join("\n"));
  }
}

/** A legal stream with the state before each chunk. @param {Random} random */
function plainStream(random) {
  const stream = new LegalStream(random, { ids: new Ids(), isPlain: true });
  const chunks = stream.chunks();
  const items = [];
  for (;;) {
    const state = copyOf(stream.state);
    const { value: chunk, done } = chunks.next();
    if (done) return items;
    items.push({ chunk, state });
  }
}

function shownBy(side) {
  const { messages, ...rest } = side.shown;
  return { ...rest, messages: withoutEmptyStep(messages) };
}

function withTextsClosed(messages) {
  const close = (part) =>
    (part.type === "text" || part.type === "reasoning") && part.state === "streaming"
      ? { ...part, state: "done" }
      : part;
  return messages.map((message) => ({ ...message, parts: message.parts.map(close) }));
}

/** Whether a stream that nothing marks as one of the protocol ended where a response may end. */
function seemsComplete(side, count, items) {
  const state = items[count]?.state;
  if (!state?.hasContent || state.isAnythingOpen) return false;
  const { parts } = side.shown.messages.at(-1);
  const isTool = ({ toolCallId }) => toolCallId !== undefined;
  const step = parts.slice(parts.findLastIndex(({ type }) => type === "step-start") + 1);
  const endsInResults =
    step.length > 0 && step.every((part) => isTool(part) && part.state.startsWith("output-"));
  const lacksOutput = parts.some((part) => part.state === "input-available" && part.providerExecuted);
  return !endsInResults && !lacksOutput;
}
