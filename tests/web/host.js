// A chat on the bindings with a scripted world around it: network, ids and callbacks are the test's.
//
// Whatever a test is about, these hold for every chat and are checked at every publication and at
// the end: published values never change, a value is the one before it if and only if both are
// deeply equal, what is handed out is frozen, and nothing is published in which nothing changed.

import { assert, brokenSharing, equal, settle, unfrozen } from "./check.js";

const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "x-vercel-ai-ui-message-stream": "v1",
};

/** How `startChat` numbers them. */
export const WHILE_BUSY = { queue: 0, interrupt: 1, reject: 2 };
export const AUTO_SEND = { never: 0, toolCalls: 1, approvals: 2, host: 3 };
export const FRAME = Number.NaN;

/**
 * @typedef {(host: object, throttle: number, whileBusy: number, autoSend: number, maxEventBytes: number, flags: number) => any} StartChat
 * starts a chat on the crate's bindings and gives its driver
 */

export class TestChat {
  /** Each publication: the snapshot and a copy of what it said at the time. */
  published = [];
  deltas = [];
  traffic = [];
  /** What the app was told, in order: `[callback, argument]`. */
  calls = [];
  /** @type {TestRequest[]} */
  requests = [];
  texts = new WeakMap();
  #appObjects = new Set();
  #faults = [];
  #nextId = 1;
  #sharingIsOff = false;
  #isText;

  /**
   * @param {StartChat} start
   * @param {object} [options]
   * @param {number} [options.throttle] milliseconds; default 0, a publication per read
   * @param {number} [options.whileBusy] one of `WHILE_BUSY`
   * @param {number} [options.autoSend] one of `AUTO_SEND`
   * @param {number} [options.maxEventBytes] default 0, the core's own
   * @param {boolean} [options.resume] default false
   * @param {boolean} [options.smooth] default false
   * @param {boolean} [options.freezes] default true
   * @param {object} [options.on] callbacks, run after the call was recorded
   * @param {() => string} [options.generateId] default: id-1, id-2, …
   * @param {boolean} [options.isText] responses are plain text
   * @param {(context: object) => unknown} [options.open] takes the place of the scripted network
   */
  constructor(start, options = {}) {
    const { throttle = 0, whileBusy = 0, autoSend = 0, maxEventBytes = 0, resume = false } = options;
    const { smooth = false, freezes = true, on = {} } = options;
    const callback = (name) => (argument) => {
      this.calls.push([name, argument]);
      return on[name]?.(argument, this);
    };
    const host = {
      freezes,
      texts: this.texts,
      generateId: options.generateId ?? (() => `id-${this.#nextId++}`),
      makeError: (payload) => Object.assign(new Error(payload.message), payload),
      stringify: losslessStringify,
      open: options.open ?? ((context) => this.scripted(context)),
      timeouts: () => options.timeouts,
      has: (name) => (name === "onData" ? "data" : "warning") in on,
      onToolCall: callback("toolCall"),
      onData: callback("data"),
      onFinish: callback("finish"),
      onError: callback("error"),
      onWarning: callback("warning"),
      shouldSend: callback("shouldSend"),
      onPublish: (snapshot, deltas) => this.#onPublish(snapshot, deltas, freezes, on.publish),
      onTraffic: (traffic) => this.traffic.push(traffic),
      onCrash: (error) => error,
    };
    this.#isText = options.isText ?? false;
    this.driver = start(host, throttle, whileBusy, autoSend, maxEventBytes, (resume ? 1 : 0) + (smooth ? 8 : 0));
    this.first = this.driver.snapshot;
  }

  /** What the app sees now. */
  get snapshot() {
    return this.driver.snapshot;
  }

  get messages() {
    return this.snapshot.messages;
  }

  /** The parts of the last message. */
  get parts() {
    return this.messages.at(-1).parts;
  }

  /** The arguments of the calls of one callback. */
  callsOf(name) {
    return this.calls.filter(([called]) => called === name).map(([, argument]) => argument);
  }

  /** A message of the app's own. */
  userMessage(text = "Hi") {
    const message = { id: `user-${this.#nextId++}`, role: "user", parts: [{ type: "text", text }] };
    return this.own(message);
  }

  /** Notes an object as the app's own: the view shows it as it is. */
  own(message) {
    this.#appObjects.add(message);
    return message;
  }

  /** The app puts objects of its own in the place of equal ones: they are not shared, and need not be. */
  replacesObjects() {
    this.#sharingIsOff = true;
  }

  /** Sends a message and gives its request, whose answer has begun. */
  async ask(text, options) {
    const done = this.driver.sendMessage(this.userMessage(text), undefined, options);
    const request = this.requests.at(-1);
    request.respond();
    request.done = done;
    await settle();
    return request;
  }

  /** Fails if anything that must hold for every chat did not. */
  check() {
    for (const { snapshot, copy } of this.published) {
      if (!equal(snapshot.messages, copy.messages)) this.#faults.push("a published list has changed");
      if (!equal(snapshot.queuedMessages, copy.queuedMessages)) this.#faults.push("a published queue has changed");
    }
    assert(this.#faults.length === 0, this.#faults.join("\n"));
  }

  /** The network of the test: notes a request for it to answer. */
  scripted(context) {
    const request = new TestRequest(context);
    this.requests.push(request);
    const init = { signal: context.abortSignal };
    return { url: "/api/chat", init, fetch: request.fetch, isText: this.#isText };
  }

  #onPublish(snapshot, deltas, freezes, then) {
    const last = this.published.at(-1)?.snapshot ?? this.first;
    const isNews = Object.keys(snapshot).some((key) => !Object.is(snapshot[key], last[key]));
    if (!isNews) this.#faults.push("a publication without a change");
    if (snapshot !== this.driver.snapshot) this.#faults.push("what is published is not the snapshot");
    if (!this.#sharingIsOff) {
      const broken = brokenSharing(last.messages, snapshot.messages);
      if (broken) this.#faults.push(`${broken} (publication ${this.published.length})`);
    }
    const open = freezes ? unfrozen(snapshot.messages, this.#appObjects) : undefined;
    if (open) this.#faults.push(`${open} is not frozen`);
    const { messages, queuedMessages } = snapshot;
    this.published.push({ snapshot, deltas, copy: structuredClone({ messages, queuedMessages }) });
    this.deltas.push(...deltas);
    try {
      then?.(snapshot, this);
    } catch (error) {
      this.#faults.push(error.message);
    }
  }
}

/** A request of a chat, and the test's hold on its answer. */
export class TestRequest {
  /** @type {ReadableStreamDefaultController<Uint8Array>} */
  #controller;
  #answer = Promise.withResolvers();
  /** Arguments of the call of fetch. @type {unknown[] | undefined} */
  fetched = undefined;
  isCancelled = false;

  constructor(context) {
    this.context = context;
  }

  /** Stands for fetch. */
  fetch = (...given) => {
    this.fetched = given;
    return this.#answer.promise;
  };

  /** Answers; what the body says comes by `read`. */
  respond(status = 200, headers = STREAM_HEADERS) {
    const body = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.isCancelled = true;
      },
    });
    this.#answer.resolve(new Response(body, { status, headers }));
  }

  /** Answers with something that is no `Response` of this kind of stream. */
  answer(response) {
    this.#answer.resolve(response);
  }

  /** The request fails before an answer. */
  refuse(error) {
    this.#answer.reject(error);
  }

  /** Delivers chunks (objects, or JSON texts) in one read. */
  async read(...chunks) {
    const text = chunks.map((chunk) => (typeof chunk === "string" ? chunk : JSON.stringify(chunk)));
    await this.readText(text.map((json) => `data: ${json}\n\n`).join(""));
  }

  /** Delivers the text of a read as it is. */
  async readText(text) {
    this.#controller.enqueue(new TextEncoder().encode(text));
    await settle();
  }

  async readBytes(bytes) {
    this.#controller.enqueue(bytes);
    await settle();
  }

  /** Delivers chunks and ends the response as a server does. */
  async finish(...chunks) {
    await this.read(...chunks, { type: "finish" }, "[DONE]");
    await this.end();
  }

  /** The body ends. */
  async end() {
    this.#controller.close();
    await settle();
  }

  /** The connection breaks. */
  async breakOff(error = new TypeError("network error")) {
    this.#controller.error(error);
    await settle();
  }
}

/** `JSON.stringify` that uses the text of what was received. */
function losslessStringify(value, rawText) {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const raw = rawText(value);
  if (raw !== undefined) return raw;
  if (Array.isArray(value)) {
    return `[${value.map((item) => losslessStringify(item, rawText) ?? "null").join(",")}]`;
  }
  const members = Object.entries(value).flatMap(([key, member]) => {
    const json = losslessStringify(member, rawText);
    return json === undefined ? [] : [`${JSON.stringify(key)}:${json}`];
  });
  return `{${members.join(",")}}`;
}

/** A stream that is ready as a whole. @param {unknown[]} values */
export function streamOf(values) {
  return new ReadableStream({
    start(controller) {
      for (const value of values) controller.enqueue(value);
      controller.close();
    },
  });
}

/**
 * Runs a test with one chat, then checks what must hold for every chat and gives the memory back.
 *
 * @param {StartChat} start
 * @param {object} options
 * @param {(chat: TestChat) => Promise<void>} test
 */
export async function withChat(start, options, test) {
  const chat = new TestChat(start, options);
  try {
    await test(chat);
    chat.check();
  } finally {
    chat.driver.dispose();
  }
}
