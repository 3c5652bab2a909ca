// One client under observation: what it is told, what it asks of the server, and all that an app
// sees of it.

import { chatwire, peer, PeerChat } from "./clients.mjs";
import { eventOf } from "./events.mjs";
import { roundTrip } from "./json.mjs";

const encoder = new TextEncoder();

/** Lets everything happen that waits for no timer and no network. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));

/** The answer to one request, given piece by piece. */
class ServedRequest {
  /** @type {ReadableStreamDefaultController} */
  #controller;
  isOpen = true;

  constructor(url, init, responseId, headers) {
    this.url = url;
    this.init = init;
    /** The id that the client made for the response. */
    this.responseId = responseId;
    const body = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.isOpen = false;
      },
    });
    init.signal?.addEventListener("abort", () => this.fail(init.signal.reason));
    this.response = new Response(body, { headers });
  }

  /** What the client sent, as a server sees it. */
  get sent() {
    const { method, headers, body, credentials } = this.init;
    return {
      url: this.url,
      method,
      headers: roundTrip(headers),
      credentials,
      body: body === undefined ? undefined : JSON.parse(body),
    };
  }

  /** @param {string | Uint8Array} piece delivered as one read */
  push(piece) {
    if (this.isOpen) {
      this.#controller.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece);
    }
  }

  close() {
    if (this.isOpen) this.#controller.close();
    this.isOpen = false;
  }

  fail(error) {
    if (this.isOpen) this.#controller.error(error);
    this.isOpen = false;
  }

  /** Sends chunks, each as one event that is read by itself. */
  async send(...chunks) {
    for (const chunk of chunks) {
      this.push(eventOf(chunk));
      await settle();
    }
  }

  /** Sends chunks and ends as a server does. */
  async finish(...chunks) {
    await this.send(...chunks, { type: "finish" });
    this.push("data: [DONE]\n\n");
    this.close();
    await settle();
  }

  /** Ends without a word, or with a failure of the connection. @param {Error} [failure] */
  async cut(failure) {
    if (failure) this.fail(failure);
    else this.close();
    await settle();
  }
}

const RULES = {
  toolCalls: "lastAssistantMessageIsCompleteWithToolCalls",
  approvals: "lastAssistantMessageIsCompleteWithApprovalResponses",
};

/**
 * What both clients are made with.
 * @typedef {object} SideOptions
 * @property {object[]} [messages]
 * @property {keyof typeof RULES} [rule] when to send by itself
 * @property {string} [responseId] of every response; default: ids are counted
 * @property {Record<string, string>} [headers] of the answers
 * @property {(url: string, init: RequestInit) => Response | undefined} [respond] instead of a stream
 * @property {(toolCall: object, chat: object) => void} [onToolCall]
 * @property {object} [transport] options of the transport
 * @property {object} [init] more options of the chat
 */

export class Side {
  /** The requests, oldest first. @type {ServedRequest[]} */
  requests = [];
  /** Rejections of commands. @type {Error[]} */
  rejections = [];
  /** Warnings, which only chatwire gives. @type {{ code: string }[]} */
  warnings = [];
  #log = [];
  #status = "ready";
  #ids = 0;
  #lastId = "";

  /** @param {"peer" | "chatwire"} client @param {SideOptions} options */
  constructor(client, options = {}) {
    const { messages = [], rule, responseId, headers, respond, onToolCall, transport, init } = options;
    const library = client === "peer" ? peer : chatwire;
    const fetch = async (url, request) => {
      const served = new ServedRequest(url, request, this.#lastId, headers ?? UI_STREAM);
      this.requests.push(served);
      return respond?.(url, request) ?? served.response;
    };
    const shared = {
      id: "chat",
      messages: structuredClone(messages),
      generateId: () => (this.#lastId = responseId ?? `id-${++this.#ids}`),
      transport: new library.DefaultChatTransport({ fetch, ...transport }),
      onToolCall: ({ toolCall }) => {
        this.#note({ toolCall });
        onToolCall?.(toolCall, this.chat);
      },
      onData: (data) => this.#note({ data }),
      onFinish: (finish) => this.#note({ finish }),
      onError: ({ name, message }) => this.#note({ error: { name, message } }),
      ...(rule && { sendAutomaticallyWhen: library[RULES[rule]] }),
      ...init,
    };
    if (client === "peer") {
      this.chat = new PeerChat({ ...shared, onStatus: (status) => this.#noteStatus(status) });
    } else {
      this.chat = new chatwire.Chat({
        throttle: 0,
        ...shared,
        onWarning: (warning) => this.warnings.push(warning),
      });
      this.chat.subscribe(() => this.#noteStatus(this.chat.status));
    }
  }

  /** The request whose answer is awaited or under way. */
  get request() {
    const last = this.requests.at(-1);
    return last?.isOpen ? last : undefined;
  }

  /** What a page shows now. */
  get shown() {
    const { status, error, messages } = this.chat;
    return { status, error: error && { name: error.name }, messages: roundTrip(messages) };
  }

  /** Callbacks and changes of the status since the last call, in order. */
  takeLog() {
    const log = this.#log;
    this.#log = [];
    return log;
  }

  /** Gives a command whose promise nobody waits for. @param {(chat: object) => unknown} give */
  command(give) {
    void (async () => {
      try {
        await give(this.chat);
      } catch (error) {
        this.rejections.push(error);
      }
    })();
  }

  /** The last message. */
  get last() {
    return this.shown.messages.at(-1);
  }

  /** Sends a message and waits until the request is made. */
  async ask(text = "Hi", options) {
    this.command((chat) => chat.sendMessage({ text }, options));
    await settle();
    return this.request;
  }

  /** Ends what is under way. */
  async end() {
    await this.chat.dispose();
  }

  #note(entry) {
    this.#log.push(roundTrip(entry));
  }

  #noteStatus(status) {
    if (status === this.#status) return;
    this.#status = status;
    this.#log.push({ status });
  }
}

const UI_STREAM = {
  "content-type": "text/event-stream",
  "x-vercel-ai-ui-message-stream": "v1",
};
