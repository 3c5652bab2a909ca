/**
 * The HTTP transport: turns a request of the chat into the arguments of `fetch`. The runtime makes
 * the call and reads the response.
 *
 * @module
 */

import type { ChatRequestOptions, ChatTransport } from "./chat-types.js";
import type { UIMessageChunk } from "./chunk-types.js";
import type { CoreGlue } from "./core-host.js";
import { makeError } from "./errors.js";
import { losslessStringify, type RawText } from "./lossless.js";
import type { UIMessage } from "./message-types.js";
import { rawTexts } from "./raw-json.js";
import { eventChunks, textChunks } from "./response-chunks.js";
import { emptyBody, failedResponse } from "./response-error.js";
import type { RuntimeLoader } from "./runtime.js";

type SendMessagesOptions<UI_MESSAGE extends UIMessage> = Parameters<
  ChatTransport<UI_MESSAGE>["sendMessages"]
>[0];
type ReconnectOptions<UI_MESSAGE extends UIMessage> = Parameters<
  ChatTransport<UI_MESSAGE>["reconnectToStream"]
>[0];

type Credentials = NonNullable<RequestInit["credentials"]>;
type HeadersInput = NonNullable<RequestInit["headers"]>;

/** A value, a promise of it, or a function that gives either; asked again for each request. */
export type Resolvable<T> = T | PromiseLike<T> | (() => T | PromiseLike<T>);

/**
 * Makes a send request the app's own way. What it returns replaces what it was given: `body` as a
 * whole, `headers` (`content-type` stays), `credentials`, `api`.
 */
export type PrepareSendMessagesRequest<UI_MESSAGE extends UIMessage> = (options: {
  /** Id of the chat. */
  id: string;
  /** The whole history. Parts of it that are put into the body are sent exactly as received. */
  messages: UI_MESSAGE[];
  /** `metadata` of the call that caused the request. */
  requestMetadata: unknown;
  /** The transport's body with the request's. */
  body: Record<string, unknown> | undefined;
  credentials: Credentials | undefined;
  /** The transport's headers with the request's. */
  headers: HeadersInput | undefined;
  /** Where the request goes. */
  api: string;
  trigger: "submit-message" | "regenerate-message";
  messageId: string | undefined;
}) => PreparedSendRequest | PromiseLike<PreparedSendRequest>;

/** See {@link PrepareSendMessagesRequest}. */
export interface PreparedSendRequest {
  body: object;
  headers?: HeadersInput;
  credentials?: Credentials;
  api?: string;
}

/** Makes a reconnect request the app's own way. */
export type PrepareReconnectToStreamRequest = (options: {
  /** Id of the chat. */
  id: string;
  /** `metadata` of the call that caused the request. */
  requestMetadata: unknown;
  /** The transport's body with the request's. A reconnect request has no body: for the address. */
  body: Record<string, unknown> | undefined;
  credentials: Credentials | undefined;
  /** The transport's headers with the request's. */
  headers: HeadersInput | undefined;
  /** Where send requests go. */
  api: string;
}) => PreparedReconnectRequest | PromiseLike<PreparedReconnectRequest>;

/** See {@link PrepareReconnectToStreamRequest}. */
export interface PreparedReconnectRequest {
  headers?: HeadersInput;
  credentials?: Credentials;
  api?: string;
}

/** Options of the HTTP transports. All are optional. */
export interface HttpChatTransportInitOptions<UI_MESSAGE extends UIMessage> {
  /** Where requests go. Default: `/api/chat`. */
  api?: string;
  /** Default: the browser's, which is `same-origin`. */
  credentials?: Resolvable<Credentials>;
  /** Headers of each request. Default: none but `content-type`. */
  headers?: Resolvable<Record<string, string> | Headers>;
  /** Keys added to the body of each send request. Default: none. */
  body?: Resolvable<object>;
  /** Default: `globalThis.fetch` at the time of the request. */
  fetch?: typeof globalThis.fetch;
  /** See {@link PrepareSendMessagesRequest}. */
  prepareSendMessagesRequest?: PrepareSendMessagesRequest<UI_MESSAGE>;
  /** See {@link PrepareReconnectToStreamRequest}. */
  prepareReconnectToStreamRequest?: PrepareReconnectToStreamRequest;
}

/** Options of `DefaultChatTransport`. All are optional. */
export interface DefaultChatTransportOptions<UI_MESSAGE extends UIMessage>
  extends HttpChatTransportInitOptions<UI_MESSAGE> {
  /**
   * Whether a reconnect gives the response from its beginning. False for servers that only continue
   * it. Default: true.
   */
  resumeStreamIsReplay?: boolean;
}

/** What the response body is. */
export type HttpProtocol = "ui-stream" | "text";

/** Key of what the chat needs to know of its transport; a symbol, so that it is not offered to users. */
export const transportInternals: unique symbol = Symbol.for("chatwire.transport") as never;

/** The arguments of `fetch`, and the `fetch` to call: `plan.fetch(plan.url, plan.init)`. */
export interface HttpRequestPlan {
  readonly url: string;
  readonly init: RequestInit;
  readonly fetch: typeof globalThis.fetch;
}

/** A send request of the chat. */
export interface SendRequest extends ChatRequestOptions {
  readonly chatId: string;
  readonly trigger: "submit-message" | "regenerate-message";
  readonly messageId: string | undefined;
  /** The history as objects, for the app's hook. */
  readonly messages: readonly UIMessage[];
  /** The history as its exact JSON text. */
  readonly messagesText: string;
  /** The exact text behind an object of the history. */
  readonly rawText: RawText;
  readonly abortSignal: AbortSignal | undefined;
}

/** A reconnect request of the chat. */
export interface ReconnectRequest extends ChatRequestOptions {
  readonly chatId: string;
  readonly abortSignal?: AbortSignal;
}

/** What the chat needs to know of a transport that the core can read. */
export interface TransportInternals {
  /** An app's class has methods of its own, which must be called. */
  readonly isChanged: boolean;
  readonly protocol: HttpProtocol;
  /** Loads the WebAssembly build that reads this protocol. */
  readonly loader: RuntimeLoader<CoreGlue>;
  readonly planSend: (request: SendRequest) => Promise<HttpRequestPlan>;
  readonly planReconnect: (request: ReconnectRequest) => Promise<HttpRequestPlan>;
  /** Any other request of the chat, with the transport's headers and credentials. */
  readonly planPost: typeof planPost;
}

/**
 * Base of the HTTP transports. An app's own class gives `processResponseStream`, to read another
 * protocol; a chat takes what it makes as it takes the chunks of any {@link ChatTransport}.
 */
export abstract class HttpChatTransport<UI_MESSAGE extends UIMessage = UIMessage>
  implements ChatTransport<UI_MESSAGE>
{
  /** As given. */
  protected readonly options: HttpChatTransportInitOptions<UI_MESSAGE>;

  constructor(options: HttpChatTransportInitOptions<UI_MESSAGE>) {
    this.options = options;
  }

  /** Makes the request and gives the chunks of its response. For transports that wrap this one. */
  async sendMessages({
    messages,
    ...request
  }: SendMessagesOptions<UI_MESSAGE>): Promise<ReadableStream<UIMessageChunk>> {
    const rawText = (value: object) => rawTexts.get(value);
    const messagesText = losslessStringify(messages, rawText) as string;
    const response = await run(
      await planSend(this.options, { ...request, messages, messagesText, rawText }),
    );
    if (!response.body) throw emptyBody();
    return this.processResponseStream(response.body);
  }

  /** The same for a response that is running; `null` when the server says that there is none. */
  async reconnectToStream(
    request: ReconnectOptions<UI_MESSAGE>,
  ): Promise<ReadableStream<UIMessageChunk> | null> {
    const response = await run(await planReconnect(this.options, request));
    if (response.status === 204) return null;
    if (!response.body) throw emptyBody();
    return this.processResponseStream(response.body);
  }

  /** Reads the chunks of a body. */
  protected abstract processResponseStream(
    stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  ): ReadableStream<UIMessageChunk>;
}

/**
 * The base of the transports that the core can read: a chat hands it the bytes, and no chunk becomes
 * an object, unless an app's class changes a method.
 */
export abstract class CoreChatTransport<
  UI_MESSAGE extends UIMessage,
> extends HttpChatTransport<UI_MESSAGE> {
  /** Whether a reconnect gives the response from its beginning. */
  readonly resumeStreamIsReplay: boolean;
  readonly #protocol: HttpProtocol;
  readonly #loader: RuntimeLoader<CoreGlue>;

  constructor(
    { resumeStreamIsReplay, ...options }: DefaultChatTransportOptions<UI_MESSAGE>,
    protocol: HttpProtocol,
    loader: RuntimeLoader<CoreGlue>,
  ) {
    super(options);
    // A text stream has no event that would tell a replay from a continuation.
    this.resumeStreamIsReplay = resumeStreamIsReplay ?? protocol === "ui-stream";
    this.#protocol = protocol;
    this.#loader = loader;
  }

  protected processResponseStream(
    stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  ): ReadableStream<UIMessageChunk> {
    return this.#protocol === "text" ? textChunks(stream) : eventChunks(this.#loader, stream);
  }

  /** @internal */
  get [transportInternals](): TransportInternals {
    const own = CoreChatTransport.prototype;
    return {
      isChanged:
        this.sendMessages !== own.sendMessages ||
        this.reconnectToStream !== own.reconnectToStream ||
        this.processResponseStream !== own.processResponseStream,
      protocol: this.#protocol,
      loader: this.#loader,
      planSend: (request) => planSend(this.options, request),
      planReconnect: (request) => planReconnect(this.options, request),
      planPost: (url, body, signal) => planPost(url, body, signal, this.options),
    };
  }
}

async function run({ fetch, url, init }: HttpRequestPlan): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.ok) throw await failedResponse(response, url);
  return response;
}

async function planSend<UI_MESSAGE extends UIMessage>(
  options: HttpChatTransportInitOptions<UI_MESSAGE>,
  request: SendRequest,
): Promise<HttpRequestPlan> {
  const { body, headers, credentials, api } = await resolveOptions(options, request);
  const prepared = await options.prepareSendMessagesRequest?.({
    api,
    id: request.chatId,
    // A copy: the hook may change the list, the chat's own list is shared with subscribers.
    messages: [...request.messages] as UI_MESSAGE[],
    body,
    headers,
    credentials,
    requestMetadata: request.metadata,
    trigger: request.trigger,
    messageId: request.messageId,
  });
  return {
    url: prepared?.api ?? api,
    init: {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(prepared?.headers === undefined ? headers : lowerCaseHeaders(prepared.headers)),
      },
      body:
        prepared?.body === undefined
          ? defaultBody(body, request)
          : losslessStringify(prepared.body, request.rawText),
      credentials: prepared?.credentials ?? credentials,
      signal: request.abortSignal,
    } as RequestInit,
    fetch: detachedFetch(options.fetch),
  };
}

/** The four keys of the protocol keep a position that the app's keys gave them, as an object does. */
function defaultBody(body: Record<string, unknown>, request: SendRequest): string | undefined {
  const messages: object = request.messages;
  return losslessStringify(
    {
      ...body,
      id: request.chatId,
      messages,
      trigger: request.trigger,
      messageId: request.messageId,
    },
    (value) => (value === messages ? request.messagesText : request.rawText(value)),
  );
}

async function planReconnect<UI_MESSAGE extends UIMessage>(
  options: HttpChatTransportInitOptions<UI_MESSAGE>,
  request: ReconnectRequest,
): Promise<HttpRequestPlan> {
  const { body, headers, credentials, api } = await resolveOptions(options, request);
  const prepared = await options.prepareReconnectToStreamRequest?.({
    api,
    id: request.chatId,
    body,
    headers,
    credentials,
    requestMetadata: request.metadata,
  });
  return {
    url: prepared?.api ?? reconnectUrl(api, request.chatId),
    init: {
      method: "GET",
      headers: prepared?.headers === undefined ? headers : lowerCaseHeaders(prepared.headers),
      credentials: prepared?.credentials ?? credentials,
      signal: request.abortSignal,
    } as RequestInit,
    fetch: detachedFetch(options.fetch),
  };
}

/** A request with a JSON body, as a transport with these options makes it. */
export async function planPost(
  url: string,
  body: string,
  signal: AbortSignal,
  options: Pick<HttpChatTransportInitOptions<UIMessage>, "headers" | "credentials" | "fetch"> = {},
): Promise<HttpRequestPlan> {
  const headers = lowerCaseHeaders(await resolve(options.headers));
  const credentials = await resolve(options.credentials);
  return {
    url,
    init: {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      credentials,
      signal,
    } as RequestInit,
    fetch: detachedFetch(options.fetch),
  };
}

/** Browsers refuse `fetch` as a method of anything but the window, so it is called as a function. */
function detachedFetch(given: typeof globalThis.fetch | undefined): typeof globalThis.fetch {
  return (url, init) => (given ?? globalThis.fetch)(url, init);
}

/** The transport's options with the request's. Resolved in this order, one after the other. */
async function resolveOptions<UI_MESSAGE extends UIMessage>(
  options: HttpChatTransportInitOptions<UI_MESSAGE>,
  request: ChatRequestOptions,
) {
  const body = await resolve(options.body);
  const headers = await resolve(options.headers);
  const credentials = await resolve(options.credentials);
  return {
    api: options.api ?? "/api/chat",
    body: { ...body, ...request.body } as Record<string, unknown>,
    headers: { ...lowerCaseHeaders(headers), ...lowerCaseHeaders(request.headers) },
    credentials,
  };
}

/** The value that an option stands for. */
export async function resolve<T>(value: Resolvable<T>): Promise<T> {
  return typeof value === "function" ? (value as () => T | PromiseLike<T>)() : value;
}

/** Headers as a plain object with lower-case names; those without a value are left out. */
export function lowerCaseHeaders(headers: HeadersInput | undefined | null): Record<string, string> {
  if (headers === undefined || headers === null) return {};
  const entries: Iterable<readonly string[]> =
    headers instanceof Headers || Array.isArray(headers) ? headers : Object.entries(headers);
  const lowerCase: Record<string, string> = {};
  for (const [name, value] of entries) {
    // Apps leave out a header by giving it no value.
    if (name !== undefined && value !== undefined && value !== null) {
      lowerCase[name.toLowerCase()] = value;
    }
  }
  return lowerCase;
}

/** `<api>/<chat id>/stream`, before the query and the fragment. */
function reconnectUrl(api: string, chatId: string): string {
  if (chatId === "." || chatId === "..") {
    throw makeError({
      code: "invalid_argument",
      name: "AI_InvalidArgumentError",
      message: `The chat id "${chatId}" would change the path of the reconnect request.`,
      parameter: "chatId",
      value: chatId,
    });
  }
  const pathEnd = api.search(/[?#]|$/);
  const path = api.slice(0, pathEnd).replace(/\/$/, "");
  return `${path}/${encodeURIComponent(chatId)}/stream${api.slice(pathEnd)}`;
}
