/**
 * Between a chat and the core's driver: what the driver needs from the package (callbacks, ids,
 * requests, errors), and which chats live on which instance.
 *
 * @module
 */

import { type AutoSendReport, limitsOf, nudgeOf, policyOf } from "./auto-send.js";
import { attempt } from "./callbacks.js";
import type {
  ChatDelta,
  ChatInit,
  ChatOnFinishCallback,
  ChatRequestOptions,
  ChatSnapshot,
  ChatTraffic,
  ChatTransport,
  ClientTool,
  WhileBusy,
} from "./chat-types.js";
import type { ClientToolRuns } from "./client-tool-runs.js";
import { type ChatwireError, type ErrorPayload, makeError } from "./errors.js";
import { losslessStringify } from "./lossless.js";
import type { ToolCall, UIMessage } from "./message-types.js";
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "./predicates.js";
import { rawTexts } from "./raw-json.js";
import type { CoreMessageReader } from "./read-ui-message-stream.js";
import type { CoreEventReader } from "./response-chunks.js";
import type { Runtime, WasmGlue } from "./runtime.js";
import type { OutgoingMessages } from "./send-check.js";
import { CoreChatTransport, transportInternals } from "./transports.js";

/** The driver of one chat (`Driver` in the crate's `src/web/driver.js`). */
export interface CoreDriver {
  readonly isBusy: boolean;
  wantsDeltas: boolean;
  keyOf(message: object): number | undefined;
  exportMessages(): string;
  setMessages(messages: readonly object[]): void;
  loadMessages(text: string, messages: readonly object[]): void;
  restoreStopped(): void;
  limitAutoSend(limits: readonly number[]): void;
  sendMessage(
    message: object | undefined,
    replaces: string | undefined,
    options: ChatRequestOptions | undefined,
  ): Promise<void>;
  regenerate(messageId: string | undefined, options: ChatRequestOptions | undefined): Promise<void>;
  resume(options: ChatRequestOptions | undefined): Promise<void>;
  stop(label: string | undefined): Promise<void>;
  detach(): Promise<void>;
  addToolOutput(
    toolCallId: string,
    output: unknown,
    options: ChatRequestOptions | undefined,
  ): Promise<void>;
  addToolError(
    toolCallId: string,
    errorText: string,
    options: ChatRequestOptions | undefined,
  ): Promise<void>;
  addApprovalResponse(
    id: string,
    approved: boolean,
    reason: string | undefined,
    options: ChatRequestOptions | undefined,
  ): Promise<void>;
  clearError(): void;
  removeQueued(id: string): void;
  sendQueuedNow(id: string): void;
  resumeQueue(): void;
  dispose(): void;
  free(): void;
  abandon(error: Error): void;
}

/** What the core's build exports, as far as a chat needs it (`startChat` in the crate's `src/web/mod.rs`). */
export interface CoreGlue extends WasmGlue {
  startChat(
    host: object,
    throttle: number,
    whileBusy: number,
    autoSend: number,
    maxEventBytes: number,
    flags: number,
  ): unknown;
  /** `{ total, issues: { path, code, expected }[] }` as JSON text. */
  validateMessages(messages: string): string;
  completeJson(wtf8: Uint8Array): string | undefined;
  readonly EventReader: new () => CoreEventReader;
  readMessage(
    last: string | undefined,
    freezes: boolean,
    texts: WeakMap<object, string>,
  ): CoreMessageReader;
}

/** How a transport answers the driver. */
type Opened =
  | { url: string; init: RequestInit; fetch: typeof globalThis.fetch; isText: boolean }
  | { stream: ReadableStream<unknown> }
  | null;

/** A request, as the driver describes it. */
interface RequestContext extends OutgoingMessages {
  readonly trigger: "submit-message" | "regenerate-message" | "resume-stream";
  readonly messageId: string | undefined;
  readonly lastEventId: string | undefined;
  readonly options: ChatRequestOptions | undefined;
  readonly abortSignal: AbortSignal;
}

/** Starts the driver of a chat. */
export function startDriver<UI_MESSAGE extends UIMessage>(
  glue: CoreGlue,
  init: ChatInit<UI_MESSAGE>,
  host: object,
): CoreDriver {
  const policy = policyOf(init.sendAutomaticallyWhen);
  const driver = glue.startChat(
    host,
    init.throttle ?? Number.NaN,
    ["queue", "interrupt", "reject"].indexOf(whileBusy(init)),
    autoSendRule(policy?.when),
    init.maxEventBytes ?? 0,
    (init.resume ? 1 : 0) +
      (init.dataPartSchemas ? 2 : 0) +
      (init.messageMetadataSchema ? 4 : 0) +
      (init.smooth && !prefersReducedMotion() ? 8 : 0) +
      (init.onAutoSend ? 16 : 0) +
      (init.onConflict === "attach" ? 32 : 0) +
      (init.onUnfinishedTool === "keep" ? 64 : 0),
  ) as CoreDriver;
  if (policy?.limits || policy?.recover) driver.limitAutoSend(limitsOf(policy));
  return driver;
}

/** What moves on its own is not for everybody. */
function prefersReducedMotion(): boolean {
  return (
    typeof matchMedia === "function" && matchMedia("(prefers-reduced-motion: reduce)").matches
  );
}

/** What a message does that is sent while a response is under way. */
export function whileBusy<UI_MESSAGE extends UIMessage>({
  whileBusy,
  experimental_queue: queues = true,
}: ChatInit<UI_MESSAGE>): WhileBusy {
  return whileBusy ?? (queues ? "queue" : "interrupt");
}

/** The two predicates of the package run in the core; any other one is asked. */
function autoSendRule(predicate: unknown): number {
  switch (predicate) {
    case undefined:
      return 0;
    case lastAssistantMessageIsCompleteWithToolCalls:
      return 1;
    case lastAssistantMessageIsCompleteWithApprovalResponses:
      return 2;
    default:
      return 3;
  }
}

/** What a chat is to its host object. */
interface HostedChat<UI_MESSAGE extends UIMessage> {
  readonly init: ChatInit<UI_MESSAGE>;
  readonly chatId: () => string;
  readonly generateId: () => string;
  readonly transport: () => ChatTransport<UI_MESSAGE>;
  readonly toolRuns: ClientToolRuns<UI_MESSAGE>;
  readonly onFinish: (event: Parameters<ChatOnFinishCallback<UI_MESSAGE>>[0]) => void;
  readonly onTraffic: (traffic: ChatTraffic) => void;
  readonly onPublish: (snapshot: ChatSnapshot<UI_MESSAGE>, deltas: readonly ChatDelta[]) => void;
  readonly onCrash: (cause: unknown) => ChatwireError;
  /** Throws when the messages must not be sent. */
  readonly checkMessages: (messages: OutgoingMessages) => void;
}

/** The `Host` of the driver. */
export function chatHost<UI_MESSAGE extends UIMessage>(chat: HostedChat<UI_MESSAGE>): object {
  const { init } = chat;
  return {
    freezes: isDevelopment(),
    texts: rawTexts,
    generateId: chat.generateId,
    makeError: (payload: ErrorPayload) => makeError(payload),
    stringify: losslessStringify,
    open: (context: RequestContext) => open(chat, context),
    timeouts: () => init.timeouts,
    has: (callback: "onData" | "onWarning") => init[callback] !== undefined,
    onToolCall: (toolCall: ToolCall<string, unknown>) => {
      if (init.readOnly) return;
      const tool = clientTool(init.clientTools, toolCall.toolName);
      if (tool?.execute) return chat.toolRuns.run(tool, toolCall);
      return init.onToolCall?.({ toolCall: toolCall as never });
    },
    onData: (dataPart: never) => init.onData?.(dataPart),
    onFinish: chat.onFinish,
    onError: (error: Error) => init.onError?.(error),
    onWarning: (warning: never) => init.onWarning?.(warning),
    // By itself, so that chats without schemas do not load it.
    checkValue: (type: string | undefined, value: unknown) =>
      attempt(async () => {
        const { checkStreamedValue } = await import("./streamed-value.js");
        await checkStreamedValue(init, type, value);
      }),
    shouldSend: (messages: UI_MESSAGE[]) =>
      policyOf(init.sendAutomaticallyWhen)?.when({ messages }) ?? false,
    nudge: () => ({
      id: chat.generateId(),
      role: "user",
      parts: [{ type: "text", text: nudgeOf(policyOf(init.sendAutomaticallyWhen) as never) }],
    }),
    onAutoSend: (report: AutoSendReport) => init.onAutoSend?.(report),
    onPublish: chat.onPublish,
    onTraffic: chat.onTraffic,
    onCrash: chat.onCrash,
  };
}

function clientTool(tools: object | undefined, name: string): ClientTool | undefined {
  return tools && Object.hasOwn(tools, name) ? (tools as Record<string, ClientTool>)[name] : undefined;
}

async function open<UI_MESSAGE extends UIMessage>(
  chat: HostedChat<UI_MESSAGE>,
  {
    trigger,
    messageId,
    lastEventId,
    messages,
    messagesText,
    rawText,
    options,
    abortSignal,
  }: RequestContext,
): Promise<Opened> {
  if (trigger !== "resume-stream") {
    if (chat.init.readOnly) throw readOnly();
    chat.checkMessages({ messages, messagesText, rawText });
  }
  const transport = chat.transport();
  const request = { ...options, chatId: chat.chatId(), abortSignal };
  const internals =
    transport instanceof CoreChatTransport ? transport[transportInternals] : undefined;
  if (internals && !internals.isChanged) {
    const { planSend, planReconnect, protocol } = internals;
    const plan =
      trigger === "resume-stream"
        ? await planReconnect({ ...request, headers: withLastEventId(options?.headers, lastEventId) })
        : await planSend({ ...request, trigger, messageId, messages, messagesText, rawText });
    return { ...plan, isText: protocol === "text" };
  }
  const stream =
    trigger === "resume-stream"
      ? await transport.reconnectToStream(request)
      : await transport.sendMessages({
          ...request,
          trigger,
          messageId,
          messages: [...messages] as UI_MESSAGE[],
        });
  return stream && { stream };
}

/** Whether the app is a development build, as its bundler says by replacing the expression. */
export function isDevelopment(): boolean {
  try {
    // Not after a check for `process`: bundlers leave that check, and a page has no `process`.
    return process.env.NODE_ENV === "development";
  } catch {
    return false; // a page without a bundler
  }
}

/** The error of a chat that only shows. */
export function readOnly(): ChatwireError {
  return makeError({ code: "read_only", message: "The chat is read-only (its option readOnly)." });
}

/** The headers of a reconnect request: a server that numbers its events goes on after this one. */
function withLastEventId(
  headers: ChatRequestOptions["headers"],
  lastEventId: string | undefined,
): Record<string, string> {
  const entries = headers instanceof Headers ? Object.fromEntries(headers) : headers;
  return { ...entries, ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }) };
}

/** A chat that lives on an instance. */
interface InstanceChat {
  abandon(error: ChatwireError): void;
}

const chatsOf = /* @__PURE__ */ new WeakMap<Runtime, Set<InstanceChat>>();
const lostInstances = /* @__PURE__ */ new WeakSet<Runtime>();

/** Notes that a chat has a driver on an instance. */
export function enter(runtime: Runtime, chat: InstanceChat): void {
  const chats = chatsOf.get(runtime) ?? new Set();
  chatsOf.set(runtime, chats.add(chat));
}

/** Notes that a chat has given its driver back. */
export function leave(runtime: Runtime, chat: InstanceChat): void {
  chatsOf.get(runtime)?.delete(chat);
}

/** An instance has failed: all its chats learn of it. */
export function lose(runtime: Runtime, error: ChatwireError): void {
  lostInstances.add(runtime);
  const chats = chatsOf.get(runtime) ?? new Set();
  chatsOf.delete(runtime);
  for (const chat of chats) chat.abandon(error);
}

/** Whether an instance has failed. */
export function isLost(runtime: Runtime): boolean {
  return lostInstances.has(runtime);
}
