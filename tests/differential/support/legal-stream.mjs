// Random streams of the UI message stream protocol, as a server of the AI SDK may send them.

import { randomObject, randomString, randomValue, spell } from "./json.mjs";
import { StreamState } from "./stream-state.mjs";

/** @import { Random } from "./random.mjs" */

/** Legal, but not taken alike by the two clients: what a stream may be asked to contain. */
export const ODDITIES = /** @type {const} */ ([
  "kind-changes", // 6: a tool call that begins static and goes on dynamic, or the other way
  "later-step", // 6: a tool call that is named again in a later step
  "late-delta", // 7: an input delta behind the complete input
  "late-start", // 8: a start that names the message after content
  "new-message", // 8: a continuation whose start names another message
]);

/** A tool that the app may run by itself; not called by odd streams. */
export const CLIENT_TOOL = "run";
const TOOLS = ["weather", "search-web", "ask_user"];
const DATA_TYPES = ["data-weather", "data-", "data-a-b"];
const FINISH_REASONS = ["stop", "length", "content-filter", "tool-calls", "error", "other"];
const TERMINAL = ["output-available", "output-error", "output-denied"];

/** Makes ids that no other message of the chat has. */
export class Ids {
  #next = 1;

  make(prefix) {
    return `${prefix}-${this.#next++}`;
  }
}

/**
 * What a stream may contain.
 * @typedef {object} StreamOptions
 * @property {Ids} ids
 * @property {object} [continued] the message that it continues
 * @property {(typeof ODDITIES)[number]} [oddity]
 * @property {boolean} [endsInResult] its last step is a tool call with the server's result
 * @property {boolean} [isPlain] nothing that leaves parts behind or takes them back
 */

/** A random stream, chunk by chunk: it follows what was really sent. */
export class LegalStream {
  #random;
  #ids;
  #oddity;
  #endsInResult;
  #isPlain;
  #continued;
  /** Chunks that are decided. @type {object[]} */
  #next = [];
  /** Ends of a tool input whose deltas are under way, by tool call. @type {Map<string, string[]>} */
  #inputs = new Map();
  /** Tool calls that the client answers. */
  #clientToolCalls = new Set();
  #textIds = 0;
  #tools;

  /** @param {Random} random @param {StreamOptions} options */
  constructor(random, { ids, continued, oddity, endsInResult = false, isPlain = false }) {
    this.#random = random;
    this.#ids = ids;
    this.#oddity = oddity;
    this.#endsInResult = endsInResult;
    this.#isPlain = isPlain;
    this.#continued = continued;
    this.#tools = oddity ? TOOLS : [...TOOLS, CLIENT_TOOL];
    this.state = new StreamState(continued);
  }

  /** The chunks, made when they are asked for. */
  *chunks() {
    const random = this.#random;
    const start = this.#start();
    const isLate = this.#oddity === "late-start" || (this.#oddity === "new-message" && random.chance(0.4));
    let owesStart = isLate ? start : undefined;
    if (!isLate && start) yield this.#send(start);
    const steps = random.weighted([
      [5, 1],
      [4, 2],
      [2, 3],
      [1, 0],
    ]);
    for (let step = 0; step < Math.max(steps, this.#oddity ? 2 : 0); step++) {
      if (this.#isPlain || random.chance(0.95)) yield this.#send({ type: "start-step" });
      for (let left = random.between(0, 9); left > 0; left--) {
        for (const chunk of this.#content()) yield this.#send(chunk);
        if (owesStart && this.state.isShown && random.chance(0.4)) {
          yield this.#send(owesStart);
          owesStart = undefined;
        }
      }
      if (this.#mayReset && random.chance(0.03)) yield this.#send({ type: "reset-step" });
      if (random.chance(0.7)) for (const chunk of this.#closings()) yield this.#send(chunk);
      if (random.chance(0.95)) yield this.#send({ type: "finish-step" });
    }
    if (owesStart) {
      for (const chunk of this.#text("text")) yield this.#send(chunk);
      yield this.#send(owesStart);
    }
    if (random.chance(0.8)) for (const chunk of this.#closings()) yield this.#send(chunk);
    if (this.#endsInResult) for (const chunk of this.#stepOfServer()) yield this.#send(chunk);
    // A step in which nothing comes is difference 20, which has a test of its own.
    if (this.state.step > 0 && this.state.partsInStep === 0) yield this.#send(this.#wholePart());
    yield this.#send(this.#finish());
    if (!this.#isPlain && random.chance(0.04)) yield this.#send(this.#data());
  }

  /** Notes what the client did to a tool call meanwhile. */
  clientAnswered(toolCallId, state) {
    const call = this.state.toolCalls.get(toolCallId);
    if (call) call.state = state;
    this.state.isCopied = true;
    this.#inputs.delete(toolCallId);
    this.#clientToolCalls.add(toolCallId);
  }

  #send(chunk) {
    const sent = Object.fromEntries(Object.entries(chunk).filter(([, value]) => value !== undefined));
    this.state.apply(sent);
    return sent;
  }

  #maybe(probability, make) {
    return this.#random.chance(probability) ? make() : undefined;
  }

  #providerMetadata(probability = 0.15) {
    return this.#maybe(probability, () => ({
      provider: randomObject(this.#random, 1),
      ...(this.#random.chance(0.3) && { openai: { itemId: "item" } }),
    }));
  }

  #metadata(probability) {
    const random = this.#random;
    return this.#maybe(probability, () =>
      random.chance(0.1) ? null : { ...randomObject(random), usage: { tokens: random.below(100) } },
    );
  }

  #start() {
    const random = this.#random;
    const isOdd = this.#oddity === "late-start" || this.#oddity === "new-message";
    if (!isOdd && random.chance(0.15)) return undefined;
    return {
      type: "start",
      messageId:
        isOdd || random.chance(this.#continued ? 0 : 0.7) ? this.#ids.make("message") : this.#sameId(),
      messageMetadata: isOdd ? undefined : this.#metadata(0.3),
    };
  }

  #sameId() {
    return this.#continued && this.#random.chance(0.7) ? this.#continued.id : undefined;
  }

  #finish() {
    const random = this.#random;
    if (random.chance(0.06)) return { type: "error", errorText: random.pick(["Overloaded", "größe", ""]) };
    const reasons = this.#isPlain ? FINISH_REASONS : [...FINISH_REASONS, "interrupted"];
    return {
      type: "finish",
      finishReason: this.#maybe(0.8, () => random.pick(reasons)),
      messageMetadata: this.#metadata(0.3),
    };
  }

  /** A message of its own has nothing to take back of the step before it. */
  get #mayReset() {
    const isInEarlierStep = this.state.step === this.state.stepsBefore;
    return !this.#isPlain && !(this.#oddity === "new-message" && isInEarlierStep);
  }

  /** The next chunks of content. */
  #content() {
    const random = this.#random;
    const odd = this.#oddContent();
    if (odd) return odd;
    const make = random.weighted([
      [5, () => this.#text("text")],
      [3, () => this.#text("reasoning")],
      [7, () => this.#toolCall()],
      [1.5, () => [this.#data()]],
      [this.#oddity === "new-message" ? 0 : 0.7, () => [this.#metadataChunk()]],
      [2, () => [this.#wholePart()]],
      [this.#mayReset ? 0.15 : 0, () => [{ type: "reset-step" }]],
      [this.#isPlain ? 0 : 0.1, () => [{ type: "start", messageId: this.#sentId() }]],
    ]);
    return make();
  }

  /** A merged stream brings a second start, of the same message. */
  #sentId() {
    const isNamed = this.state.isShown && this.state.messageId?.startsWith("message-");
    return isNamed && this.#oddity !== "new-message" ? this.state.messageId : undefined;
  }

  #metadataChunk() {
    return { type: "message-metadata", messageMetadata: this.#metadata(1) };
  }

  // Text and reasoning

  /** The next chunk of a text, new or open. @param {"text" | "reasoning"} kind */
  #text(kind) {
    const random = this.#random;
    const open = [...this.state.open[kind]];
    if (open.length === 0 || random.chance(0.15)) return this.#openText(kind, open);
    const id = random.pick(open);
    if (random.chance(0.2)) return [this.#endText(kind, id)];
    return random.list(1, 3, () => this.#textDelta(kind, id));
  }

  #openText(kind, open) {
    const random = this.#random;
    const isOrphaning = !this.#isPlain && open.length > 0 && random.chance(0.1);
    const id = isOrphaning
      ? random.pick(open)
      : random.pick([`${kind}-${++this.#textIds}`, `${this.#textIds}`, `__proto__${this.#textIds}`]);
    return [
      { type: `${kind}-start`, id, providerMetadata: this.#providerMetadata() },
      ...random.list(0, 2, () => this.#textDelta(kind, id)),
    ];
  }

  #textDelta(kind, id) {
    return {
      type: `${kind}-delta`,
      id,
      delta: randomString(this.#random),
      providerMetadata: this.#providerMetadata(0.05),
      ...(this.#random.chance(0.05) && { extra: randomValue(this.#random, 1) }),
    };
  }

  #endText(kind, id) {
    return {
      type: `${kind}-end`,
      id,
      citations: kind === "text" ? this.#maybe(0.15, () => this.#citations()) : undefined,
      providerMetadata: this.#providerMetadata(),
    };
  }

  #citations() {
    const random = this.#random;
    return random.list(0, 2, () => ({
      source: random.chance(0.5)
        ? { type: "source", sourceType: "url", id: "s1", url: "https://example.com/a" }
        : { type: "source", sourceType: "document", id: "s2", mediaType: "a/b", title: "T", filename: "f" },
      ...(random.chance(0.5) && { startIndex: random.below(9), endIndex: 9 + random.below(9) }),
      ...(random.chance(0.5) && { citedText: randomString(random) }),
    }));
  }

  // Parts that come whole

  #data() {
    const random = this.#random;
    const known = [...this.state.dataParts].map((name) => name.split(" "));
    const [type, id] =
      this.#oddity !== "new-message" && known.length > 0 && random.chance(0.5)
        ? random.pick(known)
        : [random.pick(DATA_TYPES), this.#maybe(0.6, () => this.#ids.make("data"))];
    const isTransient = random.chance(0.2);
    return {
      type,
      id,
      data: randomValue(random),
      ...(isTransient && { transient: true, ...(!this.#isPlain && random.chance(0.3) && { extra: 1 }) }),
    };
  }

  #wholePart() {
    const random = this.#random;
    const providerMetadata = this.#providerMetadata();
    const file = { url: "data:text/plain;base64,aGk=", mediaType: "text/plain" };
    return random.pick([
      { type: "custom", kind: random.pick(["acme.chart", "plain"]), providerMetadata },
      {
        type: "source-url",
        sourceId: random.pick(["s1", "s2"]),
        url: "https://example.com/ü?q=1",
        title: this.#maybe(0.5, () => randomString(random)),
        providerMetadata,
      },
      {
        type: "source-document",
        sourceId: "d1",
        mediaType: "application/pdf",
        title: randomString(random),
        filename: this.#maybe(0.5, () => "a.pdf"),
        providerMetadata,
      },
      { type: "file", ...file, providerMetadata, ...(random.chance(0.3) && { filename: "dropped" }) },
      { type: "reasoning-file", ...file, providerMetadata },
      {
        type: "steering-message",
        id: this.#ids.make("steering"),
        parts: random
          .list(0, 2, () =>
            random.pick([
              { type: "text", text: randomString(random), providerMetadata },
              { type: "file", ...file, filename: "kept", providerReference: { a: "b" }, more: [1] },
            ]),
          )
          .map(withoutUndefined),
      },
    ]);
  }

  // Tool calls

  /** The next chunks of a tool call, new or known. */
  #toolCall() {
    const random = this.#random;
    const { state } = this;
    const busy = [...this.#inputs.keys()];
    if (busy.length > 0 && random.chance(0.7)) return this.#inputDelta(random.pick(busy));
    const mine = (...states) => state.toolCallIds(...states).filter((id) => !this.#clientToolCalls.has(id));
    const inStep = (ids) => this.#takingInput(ids);
    const choices = [
      [2, this.#pickFrom([true], () => this.#newToolCall())],
      [2, this.#pickFrom(inStep(mine("input-streaming")), (id) => [this.#inputAvailable(id)])],
      [0.4, this.#pickFrom(inStep(mine("input-streaming")), (id) => [this.#inputError(id)])],
      [
        0.2,
        this.#pickFrom(inStep(mine("input-streaming", "input-available", ...TERMINAL)), (id) =>
          this.#restart(id),
        ),
      ],
      [1, this.#pickFrom(mine("input-available"), (id) => [this.#approvalRequest(id)])],
      [0.7, this.#pickFrom(mine("approval-requested"), (id) => [this.#approvalResponse(id)])],
      [0.3, this.#pickFrom(mine("approval-requested", "approval-responded"), (id) => [this.#denied(id)])],
      [
        3,
        this.#pickFrom(mine("input-available", "approval-responded", "output-preliminary"), (id) => [
          this.#output(id),
        ]),
      ],
      [
        0.1,
        this.#pickFrom(mine("input-streaming", "approval-requested", ...TERMINAL), (id) => [
          this.#output(id),
        ]),
      ],
    ];
    return random.weighted(choices.filter(([, make]) => make))();
  }

  #pickFrom(ids, make) {
    return ids.length > 0 ? () => make(this.#random.pick(ids)) : undefined;
  }

  #newToolCall() {
    const random = this.#random;
    const toolCallId = this.#ids.make("call");
    const call = { name: random.pick(this.#tools), isDynamic: random.chance(0.35) };
    if (random.chance(0.1)) return [this.#inputError(toolCallId, call)];
    if (random.chance(0.25)) return [this.#inputAvailable(toolCallId, call)];
    return [this.#inputStart(toolCallId, call)];
  }

  #callFields({ name, isDynamic }) {
    const random = this.#random;
    return {
      toolName: name,
      dynamic: isDynamic ? true : this.#maybe(0.1, () => false),
      providerExecuted: this.#maybe(0.25, () => random.chance(0.8)),
      providerMetadata: this.#providerMetadata(),
      toolMetadata: this.#maybe(0.1, () => randomObject(random, 1)),
      title: this.#maybe(0.2, () => randomString(random)),
    };
  }

  #inputStart(toolCallId, call) {
    const random = this.#random;
    const isText = random.chance(0.1);
    const text = isText ? randomString(random) : inputText(random);
    this.#inputs.set(toolCallId, random.pieces(text, 6));
    return {
      type: "tool-input-start",
      toolCallId,
      ...this.#callFields(call),
      inputEncoding: isText ? "text" : this.#maybe(0.1, () => "json"),
    };
  }

  #inputDelta(toolCallId) {
    const [delta = "", ...rest] = this.#inputs.get(toolCallId);
    if (rest.length > 0) this.#inputs.set(toolCallId, rest);
    else this.#inputs.delete(toolCallId);
    const call = this.state.toolCalls.get(toolCallId);
    const isPossible =
      call?.state === "input-streaming" &&
      call.takesInput &&
      (call.step === this.state.step || this.#oddity === "later-step");
    if (!isPossible) {
      this.#inputs.delete(toolCallId);
      return [];
    }
    return [{ type: "tool-input-delta", toolCallId, inputTextDelta: delta }];
  }

  #inputAvailable(toolCallId, call = this.state.toolCalls.get(toolCallId)) {
    const random = this.#random;
    this.#inputs.delete(toolCallId);
    const isRepaired = random.chance(0.05);
    return {
      type: "tool-input-available",
      toolCallId,
      ...this.#callFields(isRepaired ? { ...call, name: random.pick(this.#tools) } : call),
      input: randomValue(random),
    };
  }

  #inputError(toolCallId, call = this.state.toolCalls.get(toolCallId)) {
    this.#inputs.delete(toolCallId);
    return {
      type: "tool-input-error",
      toolCallId,
      ...this.#callFields(call),
      input: randomValue(this.#random),
      errorText: randomString(this.#random),
    };
  }

  #restart(toolCallId) {
    return [this.#inputStart(toolCallId, this.state.toolCalls.get(toolCallId))];
  }

  #approvalRequest(toolCallId) {
    const random = this.#random;
    return {
      type: "tool-approval-request",
      toolCallId,
      approvalId: this.#ids.make("approval"),
      approvalDescriptor: this.#maybe(0.2, () => randomValue(random, 1)),
      inputSchemaInput: this.#maybe(0.2, () => randomValue(random, 2)),
      reason: this.#maybe(0.3, () => randomString(random)),
      isAutomatic: this.#maybe(0.3, () => random.chance(0.5)),
      signature: this.#maybe(0.5, () => "c2lnbmF0dXJl"),
    };
  }

  #approvalResponse(toolCallId) {
    const random = this.#random;
    return {
      type: "tool-approval-response",
      approvalId: this.state.toolCalls.get(toolCallId).approvalId,
      approved: random.chance(0.6),
      reason: this.#maybe(0.3, () => randomString(random)),
      providerExecuted: this.#maybe(0.2, () => random.chance(0.5)),
      providerMetadata: this.#providerMetadata(),
    };
  }

  #denied(toolCallId) {
    return { type: "tool-output-denied", toolCallId };
  }

  #output(toolCallId) {
    const random = this.#random;
    const result = random.chance(0.8)
      ? {
          type: "tool-output-available",
          output: randomValue(random),
          preliminary: this.#maybe(0.3, () => random.chance(0.8)),
        }
      : { type: "tool-output-error", errorText: randomString(random) };
    return {
      ...result,
      toolCallId,
      providerExecuted: this.#maybe(0.2, () => random.chance(0.8)),
      providerMetadata: this.#providerMetadata(),
      toolMetadata: this.#maybe(0.1, () => randomObject(random, 1)),
      dynamic: this.#maybe(0.1, () => random.chance(0.5)),
    };
  }

  #stepOfServer() {
    const toolCallId = this.#ids.make("call");
    return [
      { type: "start-step" },
      { type: "tool-input-available", toolCallId, toolName: "weather", input: {} },
      { type: "tool-output-available", toolCallId, output: randomValue(this.#random) },
      { type: "finish-step" },
    ];
  }

  /** The tool calls of the step: input for others is difference 6, or 8 in a message of its own. */
  #takingInput(ids) {
    const isOwn = ({ isEarlier }) => !isEarlier || this.#oddity !== "new-message";
    return ids.filter((id) => {
      const call = this.state.toolCalls.get(id);
      return call.step === this.state.step && isOwn(call);
    });
  }

  // What ends, and what is odd

  /** Ends what is open. */
  #closings() {
    const { open } = this.state;
    const ends = ["text", "reasoning"].flatMap((kind) =>
      [...open[kind]].map((id) => this.#endText(kind, id)),
    );
    const unfinished = this.state
      .toolCallIds("input-streaming")
      .filter((id) => !this.#clientToolCalls.has(id));
    const inputs = this.#takingInput(unfinished).map((id) => this.#inputAvailable(id));
    return this.#random.chance(0.5) ? [...ends, ...inputs] : [...inputs, ...ends];
  }

  #oddContent() {
    const random = this.#random;
    const calls = [...this.state.toolCalls].filter(
      ([id, call]) => !this.#clientToolCalls.has(id) && call.step > this.state.stepsBefore,
    );
    if (calls.length === 0 || random.chance(0.5)) return undefined;
    const [id, call] = random.pick(calls);
    switch (this.#oddity) {
      case "kind-changes": {
        const other = { ...call, isDynamic: !call.isDynamic };
        return [random.chance(0.7) ? this.#inputAvailable(id, other) : this.#inputStart(id, other)];
      }
      case "later-step": {
        if (call.step === this.state.step) return undefined;
        if (this.#inputs.has(id)) return this.#inputDelta(id);
        return [
          random.pick([
            () => this.#inputAvailable(id),
            () => this.#inputError(id),
            () => this.#inputStart(id, call),
          ])(),
        ];
      }
      case "late-delta":
        if (!call.takesInput || call.state === "input-streaming") return undefined;
        return [{ type: "tool-input-delta", toolCallId: id, inputTextDelta: random.pick(["1", "}", "é"]) }];
    }
    return undefined;
  }
}

/** The text of a tool input: mostly JSON, and none of the spellings of difference 17. */
function inputText(random) {
  if (random.chance(0.05)) return random.pick(["", " ", "not json", "{]", "[1 2]", '{"a" 1}', "-", "tru"]);
  return spell(randomObject(random), random).replace(/e\+/g, "e");
}

function withoutUndefined(value) {
  return JSON.parse(JSON.stringify(value));
}
