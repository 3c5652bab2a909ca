/**
 * The WebSocket transport: requests and responses of all chats as frames over one connection, in the
 * AI SDK's own frame protocol.
 *
 * @module
 */

import type { ChatRequestOptions, ChatTransport } from "./chat-types.js";
import type { UIMessageChunk } from "./chunk-types.js";
import { makeError } from "./errors.js";
import { losslessStringify } from "./lossless.js";
import type { UIMessage } from "./message-types.js";
import { rawTexts } from "./raw-json.js";
import { lowerCaseHeaders, type Resolvable, resolve } from "./transports.js";

/** A frame to the server. */
export type WebSocketChatTransportRequest<UI_MESSAGE extends UIMessage = UIMessage> =
  | {
      type: "send";
      requestId: string;
      id: string;
      trigger: "submit-message" | "regenerate-message";
      messageId: string | undefined;
      messages: UI_MESSAGE[];
      headers: Record<string, string>;
      body: object;
      metadata: unknown;
    }
  | {
      type: "resume";
      requestId: string;
      id: string;
      /** Never given: the response is wanted from its beginning. */
      lastSequence: number | undefined;
      headers: Record<string, string>;
      body: object;
      metadata: unknown;
    }
  | { type: "abort"; requestId: string };

/** A frame from the server. */
export type WebSocketChatTransportResponse =
  | { type: "start"; requestId: string }
  /** `sequence` counts the chunks of a request from 0 without gaps. */
  | { type: "chunk"; requestId: string; sequence: number; chunk: UIMessageChunk }
  | { type: "end"; requestId: string }
  | { type: "error"; requestId: string; errorText?: string }
  /** Answers `resume`: nothing is running. */
  | { type: "no-active"; requestId: string };

/** What the transport needs of a WebSocket; the browser's and that of the package `ws` have it. */
export interface WebSocketLike {
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "open" | "error" | "close", listener: () => void): void;
}

type HeadersInput = Record<string, string> | Headers;

/** Options of {@link WebSocketChatTransport}. */
export interface WebSocketChatTransportInitOptions<UI_MESSAGE extends UIMessage> {
  /** Where to connect: `ws(s):`, `http(s):` or relative to the page. */
  url: string;
  /** Subprotocols of the handshake. Default: none. */
  protocols?: string | string[];
  /** Added to the query of each new connection. Default: none. */
  params?: Resolvable<Record<string, string>>;
  /** Sent in each frame; a browser cannot set headers of the handshake. Default: none. */
  headers?: Resolvable<HeadersInput>;
  /** Sent in each frame. Default: none. */
  body?: Resolvable<object>;
  /** The WebSocket to use. Default: the global one, which Node 20 does not have. */
  webSocket?: new (url: string, protocols?: string | string[]) => WebSocketLike;
  /** Makes send frames the app's own way. */
  prepareSendMessagesRequest?: (options: {
    id: string;
    messages: UI_MESSAGE[];
    requestMetadata: unknown;
    body: object;
    headers: Record<string, string>;
    trigger: "submit-message" | "regenerate-message";
    messageId: string | undefined;
  }) => PreparedFrame<UI_MESSAGE> | PromiseLike<PreparedFrame<UI_MESSAGE>>;
  /** Makes resume frames the app's own way. */
  prepareReconnectToStreamRequest?: (options: {
    id: string;
    requestMetadata: unknown;
    body: object;
    headers: Record<string, string>;
  }) =>
    | Omit<PreparedFrame<UI_MESSAGE>, "messages">
    | PromiseLike<Omit<PreparedFrame<UI_MESSAGE>, "messages">>;
}

/** What a hook may replace in a frame. */
export interface PreparedFrame<UI_MESSAGE extends UIMessage> {
  messages?: UI_MESSAGE[];
  body?: object;
  headers?: HeadersInput;
}

/** A request whose response is coming. */
interface ActiveRequest {
  readonly controller: ReadableStreamDefaultController<UIMessageChunk>;
  /** The sequence of the last chunk, -1 before the first. */
  sequence: number;
  /** The first frame says whether there is something to resume. */
  readonly opened: (hasStream: boolean) => void;
  readonly failed: (error: Error) => void;
}

/** Bytes that may wait in a socket before the next frame waits, too. */
const MAX_BUFFERED = 1024 * 1024;
/** Milliseconds between looks at a socket whose buffer is full. */
const BUFFER_POLL = 20;
const OPEN = 1;
const ANY_CLOSE = 1000;
const INTERNAL_ERROR = 1011;

/** Reaches a server over one WebSocket, opened when it is first needed and again after it was lost. */
export class WebSocketChatTransport<UI_MESSAGE extends UIMessage = UIMessage>
  implements ChatTransport<UI_MESSAGE>
{
  readonly resumeStreamIsReplay = true;
  readonly #options: WebSocketChatTransportInitOptions<UI_MESSAGE>;
  readonly #active = new Map<string, ActiveRequest>();
  /** The connection, from when it is begun. */
  #socket: Promise<WebSocketLike> | undefined;
  /** The socket whose events count. */
  #current: WebSocketLike | undefined;
  #lastFrame: Promise<unknown> = Promise.resolve();
  #nextRequest = 1;

  constructor(options: WebSocketChatTransportInitOptions<UI_MESSAGE>) {
    this.#options = options;
  }

  sendMessages: ChatTransport<UI_MESSAGE>["sendMessages"] = async (options) => {
    const { chatId: id, trigger, messageId, messages, metadata, abortSignal } = options;
    const { headers, body } = await this.#resolve(options);
    const prepared = await this.#options.prepareSendMessagesRequest?.({
      id,
      messages,
      requestMetadata: metadata,
      body,
      headers,
      trigger,
      messageId,
    });
    const request = this.#request(abortSignal);
    await request.send({
      type: "send",
      requestId: request.id,
      id,
      trigger,
      messageId,
      messages: prepared?.messages ?? messages,
      headers: prepared?.headers ? lowerCaseHeaders(prepared.headers) : headers,
      body: prepared?.body ?? body,
      metadata,
    });
    return request.stream;
  };

  reconnectToStream: ChatTransport<UI_MESSAGE>["reconnectToStream"] = async (options) => {
    const { chatId: id, metadata, abortSignal } = options;
    const { headers, body } = await this.#resolve(options);
    const prepared = await this.#options.prepareReconnectToStreamRequest?.({
      id,
      requestMetadata: metadata,
      body,
      headers,
    });
    const request = this.#request(abortSignal);
    await request.send({
      type: "resume",
      requestId: request.id,
      id,
      lastSequence: undefined,
      headers: prepared?.headers ? lowerCaseHeaders(prepared.headers) : headers,
      body: prepared?.body ?? body,
      metadata,
    });
    return (await request.opened) ? request.stream : null;
  };

  /** Closes the connection and fails what is under way. A later request connects again. */
  close(): void {
    void this.#drop(new Error("WebSocket chat transport was closed."), ANY_CLOSE);
  }

  async #resolve(request: ChatRequestOptions) {
    const headers = await resolve(this.#options.headers);
    const body = await resolve(this.#options.body);
    return {
      headers: { ...lowerCaseHeaders(headers), ...lowerCaseHeaders(request.headers) },
      body: { ...body, ...request.body },
    };
  }

  /** A request that has not been sent: its stream, and how to send its frame. */
  #request(signal: AbortSignal | undefined) {
    signal?.throwIfAborted();
    const id = `request-${this.#nextRequest++}`;
    let opened!: ActiveRequest["opened"];
    let failed!: ActiveRequest["failed"];
    const hasStream = new Promise<boolean>((resolve, reject) => {
      opened = resolve;
      failed = reject;
    });
    // Only a resume waits for it.
    hasStream.catch(() => {});
    const abort = () => {
      const reason = new DOMException("The request was aborted.", "AbortError");
      this.#fail(id, reason);
      this.#sendFrame({ type: "abort", requestId: id }).catch(() => {});
    };
    const stream = new ReadableStream<UIMessageChunk>({
      start: (controller) => {
        this.#active.set(id, { controller, sequence: -1, opened, failed });
      },
      cancel: () => {
        if (this.#active.delete(id)) this.#sendFrame({ type: "abort", requestId: id }).catch(() => {});
      },
    });
    signal?.addEventListener("abort", abort, { once: true });
    const send = async (frame: WebSocketChatTransportRequest<UI_MESSAGE>) => {
      try {
        await this.#sendFrame(frame);
      } catch (error) {
        this.#active.delete(id);
        throw error;
      }
    };
    return { id, stream, opened: hasStream, send };
  }

  /** Frames go out one after the other, in the order of their requests. */
  #sendFrame(frame: WebSocketChatTransportRequest<UI_MESSAGE>): Promise<void> {
    const text = losslessStringify(frame, (value) => rawTexts.get(value)) ?? "null";
    const sent = this.#lastFrame.then(async () => {
      // There is nothing to abort on a connection that is not there.
      if (frame.type === "abort" && !this.#socket) return;
      const socket = await (this.#socket ??= this.#connect());
      while (socket.bufferedAmount > MAX_BUFFERED && socket.readyState === OPEN) {
        await new Promise((done) => setTimeout(done, BUFFER_POLL));
      }
      socket.send(text);
    });
    this.#lastFrame = sent.catch(() => {});
    return sent;
  }

  async #connect(): Promise<WebSocketLike> {
    try {
      const { protocols, params } = this.#options;
      const url = socketUrl(this.#options.url, await resolve(params));
      const WebSocket = this.#options.webSocket ?? globalThis.WebSocket;
      if (!WebSocket) {
        throw makeError({
          code: "unsupported",
          message: "This environment has no WebSocket. Give one in the option webSocket.",
        });
      }
      return await this.#open(protocols ? new WebSocket(url, protocols) : new WebSocket(url));
    } catch (error) {
      this.#socket = undefined;
      throw error;
    }
  }

  #open(socket: WebSocketLike): Promise<WebSocketLike> {
    this.#current = socket;
    return new Promise((opened, failed) => {
      const lost = (what: string) => {
        const error = new TypeError(`WebSocket chat network connection ${what}.`);
        failed(error);
        // One that was dropped before says so late, when there may be another.
        if (this.#current === socket) void this.#drop(error, undefined);
      };
      socket.addEventListener("open", () => opened(socket));
      socket.addEventListener("error", () => lost("failed"));
      socket.addEventListener("close", () => lost("closed"));
      socket.addEventListener("message", ({ data }) => {
        if (this.#current === socket) this.#receive(data);
      });
    });
  }

  /** Forgets the connection and fails every request on it. */
  async #drop(error: Error, closeCode: number | undefined): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#current = undefined;
    for (const id of [...this.#active.keys()]) this.#fail(id, error);
    if (closeCode !== undefined) (await socket?.catch(() => undefined))?.close(closeCode);
  }

  #fail(id: string, error: Error): void {
    const request = this.#active.get(id);
    if (!request) return;
    this.#active.delete(id);
    request.failed(error);
    request.controller.error(error);
  }

  #receive(data: unknown): void {
    const frame = parseFrame(data);
    if (!frame) {
      return this.#violate("a frame that is not of the protocol");
    }
    const request = this.#active.get(frame.requestId);
    // Late frames of a request that was aborted.
    if (!request) return;
    switch (frame.type) {
      case "start":
        return request.opened(true);
      case "chunk":
        return this.#receiveChunk(request, frame.sequence, frame.chunk);
      case "end":
        request.opened(true);
        this.#active.delete(frame.requestId);
        return request.controller.close();
      case "error":
        return this.#fail(frame.requestId, new Error(frame.errorText ?? "The server reported an error."));
      case "no-active":
        this.#active.delete(frame.requestId);
        request.opened(false);
        return request.controller.close();
      default:
        return this.#violate("a frame of an unknown type");
    }
  }

  #receiveChunk(request: ActiveRequest, sequence: number, chunk: UIMessageChunk): void {
    request.opened(true);
    if (sequence <= request.sequence) return;
    if (sequence !== request.sequence + 1) {
      return this.#violate(`chunk ${sequence} where ${request.sequence + 1} was due`);
    }
    request.sequence = sequence;
    request.controller.enqueue(chunk);
  }

  /** After a frame that cannot be trusted, no later one can. */
  #violate(what: string): void {
    const message = `WebSocket chat network connection closed: the server sent ${what}.`;
    void this.#drop(new TypeError(message), INTERNAL_ERROR);
  }
}

/** The frame in a message; `undefined` when it is none. */
function parseFrame(data: unknown): WebSocketChatTransportResponse | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(String(data));
  } catch {
    return undefined;
  }
  if (typeof frame !== "object" || frame === null) return undefined;
  const { type, requestId, sequence, chunk } = frame as Record<string, unknown>;
  if (typeof type !== "string" || typeof requestId !== "string") return undefined;
  const isChunk =
    Number.isInteger(sequence) &&
    typeof chunk === "object" &&
    chunk !== null &&
    typeof (chunk as { type?: unknown }).type === "string";
  return type === "chunk" && !isChunk ? undefined : (frame as WebSocketChatTransportResponse);
}

function socketUrl(given: string, params: Record<string, string> | undefined): string {
  const url = new URL(given, globalThis.location?.href);
  if (url.hash !== "") {
    throw makeError({
      code: "invalid_argument",
      name: "AI_InvalidArgumentError",
      message: "The address of a WebSocket cannot have a fragment (#).",
      parameter: "url",
      value: given,
    });
  }
  if (url.protocol === "http:") url.protocol = "ws:";
  if (url.protocol === "https:") url.protocol = "wss:";
  for (const [name, value] of Object.entries(params ?? {})) url.searchParams.append(name, value);
  return url.href;
}
