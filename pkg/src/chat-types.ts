/**
 * Options, callbacks and results of a chat.
 *
 * @module
 */

import type { DraftStatus } from "./approval-state.js";
import type { AutoSendPolicy, AutoSendPredicate, AutoSendReport } from "./auto-send.js";
import type { FinishReason, UIMessageChunk } from "./chunk-types.js";
import type {
  DataUIPart,
  DynamicToolUIPart,
  FileUIPart,
  InferUIMessageData,
  InferUIMessageMetadata,
  InferUIMessageToolCall,
  InferUIMessageTools,
  ToolUIPart,
  UIMessage,
} from "./message-types.js";
import type { FlexibleSchema } from "./schema.js";
import type { TokenUsage } from "./usage-sums.js";

/**
 * Where a chat stands.
 * - `ready`: nothing is under way.
 * - `submitted`: a request was sent, no content has arrived.
 * - `streaming`: content is arriving.
 * - `error`: the last request failed; `error` says why. The messages stay.
 */
export type ChatStatus = "submitted" | "streaming" | "ready" | "error";

/**
 * How the last response ended.
 * - `complete`: the server said that it was finished.
 * - `stopped`: by `stop()`.
 * - `aborted`: the server ended it early.
 * - `truncated`: the stream ended without the server's word that it was finished.
 * - `disconnect`: the connection failed.
 * - `error`: the server reported an error, or its answer could not be read.
 * - `interrupted`: the server waits for a decision.
 * - `cancelled`: the server's run was cancelled.
 */
export type ChatOutcome =
  | "complete"
  | "stopped"
  | "aborted"
  | "truncated"
  | "disconnect"
  | "error"
  | "interrupted"
  | "cancelled";

/**
 * How a chat is connected.
 * - `idle`: no response is under way.
 * - `open`: a request is under way.
 * - `reconnecting`: the connection was lost and is made again (with `resume: true`).
 * - `offline`: the same, and the device is offline.
 */
export type ChatConnection = "idle" | "open" | "reconnecting" | "offline";

/** What goes with one request, in addition to the transport's own options. */
export type ChatRequestOptions = {
  /** Added to the transport's headers; these win. */
  headers?: Record<string, string> | Headers;
  /** Added to the transport's body; these keys win. */
  body?: object;
  /** For `prepareSendMessagesRequest` and custom transports. Not sent by itself. */
  metadata?: unknown;
};

/** A message to send: `id` and `role` (default `user`) are filled in when absent. */
export type CreateUIMessage<UI_MESSAGE extends UIMessage> = Omit<UI_MESSAGE, "id" | "role"> & {
  id?: UI_MESSAGE["id"];
  role?: UI_MESSAGE["role"];
};

/** A browser's `FileList`. Described by its shape, so that servers can compile without the DOM's types. */
export interface FileListLike {
  readonly length: number;
  readonly [index: number]: Blob & { readonly name: string };
  item(index: number): (Blob & { readonly name: string }) | null;
}

/** What `sendMessage` takes: a whole message, or text and files. Files come before the text. */
export type SendMessageInput<UI_MESSAGE extends UIMessage> = {
  /** Replaces the user message with this id and drops everything after it. */
  messageId?: string;
} & (
  | (CreateUIMessage<UI_MESSAGE> & { text?: never; files?: never })
  | {
      text: string;
      files?: FileListLike | FileUIPart[];
      metadata?: InferUIMessageMetadata<UI_MESSAGE>;
      parts?: never;
    }
  | {
      files: FileListLike | FileUIPart[];
      metadata?: InferUIMessageMetadata<UI_MESSAGE>;
      parts?: never;
    }
);

/** Gives the output of a client-side tool, or says that it failed. */
export type ChatAddToolOutputFunction<UI_MESSAGE extends UIMessage> = <
  TOOL extends keyof InferUIMessageTools<UI_MESSAGE>,
>(
  output: {
    /** Name of the tool. */
    tool: TOOL;
    /** From the tool part or `onToolCall`. */
    toolCallId: string;
    /** For the request that follows when `sendAutomaticallyWhen` says so. */
    options?: ChatRequestOptions;
  } & (
    | {
        state?: "output-available";
        output: InferUIMessageTools<UI_MESSAGE>[TOOL]["output"];
        errorText?: never;
      }
    | { state: "output-error"; output?: never; errorText: string }
  ),
) => Promise<void>;

/** Answers an approval request. */
export type ChatAddToolApproveResponseFunction = (response: {
  /** `approval.id` of the tool part. */
  id: string;
  /** The person's decision. */
  approved: boolean;
  /** Shown to the model. */
  reason?: string;
  /** For the request that follows when `sendAutomaticallyWhen` says so. */
  options?: ChatRequestOptions;
}) => Promise<void>;

/** A tool that runs in the page. */
export interface ClientTool<INPUT = unknown, OUTPUT = unknown> {
  /** What the input must match before the tool runs. Default: any. */
  readonly inputSchema?: FlexibleSchema<INPUT>;
  /**
   * Runs the tool. Its result is the output of the call; what it throws becomes the call's error, which
   * the model sees. Without it the call waits for `addToolOutput`, as for what a person has to answer.
   */
  execute?(
    input: INPUT,
    options: {
      readonly toolCallId: string;
      readonly messages: readonly UIMessage[];
      /** Aborts when the chat is stopped and when the time is over. */
      readonly abortSignal: AbortSignal;
    },
  ): OUTPUT | PromiseLike<OUTPUT>;
  /** After so many milliseconds the call gets an error. Default: never. */
  readonly timeoutMs?: number;
}

/** Tools that run in the page, by name. */
export type ClientTools<UI_MESSAGE extends UIMessage = UIMessage> = {
  readonly [NAME in keyof InferUIMessageTools<UI_MESSAGE> & string]?: ClientTool<
    InferUIMessageTools<UI_MESSAGE>[NAME]["input"],
    InferUIMessageTools<UI_MESSAGE>[NAME]["output"]
  >;
};

/** See {@link ChatInit.onToolCall}. */
export type ChatOnToolCallCallback<UI_MESSAGE extends UIMessage = UIMessage> = (options: {
  toolCall: InferUIMessageToolCall<UI_MESSAGE>;
}) => void | PromiseLike<void>;

/** See {@link ChatInit.onData}. */
export type ChatOnDataCallback<UI_MESSAGE extends UIMessage = UIMessage> = (
  dataPart: DataUIPart<InferUIMessageData<UI_MESSAGE>>,
) => void;

/** See {@link ChatInit.onFinish}. */
export type ChatOnFinishCallback<UI_MESSAGE extends UIMessage = UIMessage> = (options: {
  /** The assistant's message. */
  message: UI_MESSAGE;
  /** All messages, that one included. */
  messages: UI_MESSAGE[];
  /** `outcome` is `stopped` or `aborted`. */
  isAbort: boolean;
  /** `outcome` is `disconnect` or `truncated`. */
  isDisconnect: boolean;
  /** `outcome` is `error`, `disconnect` or `truncated`. */
  isError: boolean;
  /** Why the model stopped, if the server said so. */
  finishReason?: FinishReason;
  /** What this response took, if the server said so in its metadata (`totalUsage`, else `usage`). */
  usage?: TokenUsage;
  /** How the response ended. */
  outcome: ChatOutcome;
  /** The server's or the app's words for it, if there are any. */
  reason?: string;
}) => void;

/** See {@link ChatInit.onError}. */
export type ChatOnErrorCallback = (error: Error) => void;

/** Something that was repaired or skipped; the response goes on. */
export interface ChatWarning {
  /** Stable name of the kind of fault, for programs. */
  readonly code: string;
  /** What was wrong and what was done, for people. */
  readonly message: string;
}

/** See {@link ChatInit.onWarning}. */
export type ChatOnWarningCallback = (warning: ChatWarning) => void;

/**
 * Tells the server that a response was stopped: an address, to which `{ id, messageId, label }` is posted
 * with the headers of the transport, or a function of the app's own. What the server answers, or the
 * function gives, may be the message as the server has it: it takes the place of the one with its id.
 */
export type ChatCancel<UI_MESSAGE extends UIMessage = UIMessage> =
  | string
  | ((run: {
      /** Id of the chat. */
      readonly chatId: string;
      /** The message of the response, when there is one already. */
      readonly messageId: string | undefined;
      /** What `stop()` was given. */
      readonly label: string | undefined;
    }) => PromiseLike<UI_MESSAGE | void> | UI_MESSAGE | void);

/** What happens to a message that is sent while a response is under way. */
export type WhileBusy = "queue" | "interrupt" | "reject";

/** Options of a chat. All are optional. */
export interface ChatInit<UI_MESSAGE extends UIMessage = UIMessage> {
  /** Names the chat to the server. Default: a random id, made when it is first needed. */
  id?: string;
  /**
   * The history: messages, or their exact JSON text (string or UTF-8 bytes), which is then sent
   * back as it is. Default: none.
   */
  messages?: UI_MESSAGE[] | string | Uint8Array;
  /** How the server is reached. Default: `new DefaultChatTransport()`. */
  transport?: ChatTransport<UI_MESSAGE>;
  /** Makes the ids of messages and of the chat. Default: 16 random letters and digits. */
  generateId?: () => string;
  /**
   * A tool call that the app must answer has its complete input. Run the tool and call
   * `addToolOutput`. The stream does not wait for this callback.
   */
  onToolCall?: ChatOnToolCallCallback<UI_MESSAGE>;
  /**
   * Tools that run in the page. A call of one with `execute` is answered by the chat and not given to
   * `onToolCall`. They run at the same time; `stop()` and `dispose()` abort them, and what they give
   * then is not used. Default: none.
   */
  clientTools?: ClientTools<UI_MESSAGE>;
  /** A data part has arrived, transient ones too. */
  onData?: ChatOnDataCallback<UI_MESSAGE>;
  /** A response has ended, however it ended. */
  onFinish?: ChatOnFinishCallback<UI_MESSAGE>;
  /** A request has failed, or another callback has thrown. Mostly a `ChatwireError`. */
  onError?: ChatOnErrorCallback;
  /** Something was repaired or skipped. Default: ignored. */
  onWarning?: ChatOnWarningCallback;
  /**
   * What the metadata of a streamed message must match, each time that it grows. What the schema
   * rejects ends the response with an `AI_TypeValidationError`; what the schema makes of a value is
   * not used. Default: any.
   */
  messageMetadataSchema?: FlexibleSchema<InferUIMessageMetadata<UI_MESSAGE>>;
  /** The same for the data of streamed data parts, by name without `data-`. Default: any. */
  dataPartSchemas?: {
    [NAME in keyof InferUIMessageData<UI_MESSAGE> & string]?: FlexibleSchema<
      InferUIMessageData<UI_MESSAGE>[NAME]
    >;
  };
  /**
   * Asked when a response has ended and when a tool output or an approval was added: true sends the
   * messages again. It is asked only if there is something new from this client since the last
   * request. Default: never. See `toolCallsComplete`, `approvalsAnswered`, and `autoSend` for bounds.
   */
  sendAutomaticallyWhen?: AutoSendPredicate<UI_MESSAGE> | AutoSendPolicy<UI_MESSAGE>;
  /** The chat has decided whether it continues by itself. Not called without `sendAutomaticallyWhen`. */
  onAutoSend?: (report: AutoSendReport) => void;
  /**
   * How often the state is published while a response streams: at most once in this many
   * milliseconds, first and last included. `0`: once for each read of the network. Default: once per
   * animation frame, or every 100 ms where there are no frames. Status changes and the effect of the
   * app's own calls are always published at once.
   */
  throttle?: number;
  /**
   * True: text and reasoning are shown word by word at an even pace while they come, instead of in the
   * lumps in which the network brings them. What has come is shown within about a third of a second,
   * and at once when the text is complete or the response ends. Off for people who prefer reduced
   * motion. Default: false.
   */
  smooth?: boolean;
  /**
   * What `sendMessage` does while a response is under way: wait for its turn, stop the response, or
   * reject. Default: `queue`.
   */
  whileBusy?: WhileBusy;
  /** The AI SDK's option: true is `whileBusy: "queue"`, false is `"interrupt"`. `whileBusy` wins. */
  experimental_queue?: boolean;
  /**
   * True: take up a response of this chat that is still running on the server, when the chat is
   * created and after a lost connection. Default: false.
   */
  resume?: boolean;
  /**
   * How the server learns that the person stopped a response. `stop()` waits for its answer, as does
   * what is sent meanwhile; a failure goes to `onError`. Default: it sees the connection close.
   */
  cancel?: ChatCancel<UI_MESSAGE>;
  /**
   * What a request does that the server answers with 409, because a response of this chat is running:
   * fail with `run_active`, or show the one that runs. Default: `error`.
   */
  onConflict?: "error" | "attach";
  /**
   * What becomes of tool calls that a stop left without an output when the next request is made: they
   * fail as "stopped by the user", since servers refuse a history with such calls, or stay. Default:
   * `error`.
   */
  onUnfinishedTool?: "error" | "keep";
  /**
   * True: the chat only shows. What would change it or the server rejects with `read_only`, `stop()`
   * closes the connection only, no tool of the page runs. Default: false.
   */
  readOnly?: boolean;
  /** What became of the run that made a message. Default: `metadata.status`, else `complete`. */
  draftStatus?: (message: UI_MESSAGE) => DraftStatus;
  /** When an approval can no longer be answered, in milliseconds since 1970. Default: never. */
  approvalExpiresAt?: (
    part: ToolUIPart<InferUIMessageTools<UI_MESSAGE>> | DynamicToolUIPart,
  ) => number | undefined;
  /**
   * Which messages are checked before a request is made: `"new"`, those that the app sent since the
   * last request, never what the server made nor the history that the app gave (`messages`,
   * `setMessages`); `"all"`; or none. Only their structure is checked, as by `validateUIMessages` without schemas. With a fault
   * there is no request: the chat's `error` is an `AI_TypeValidationError` with `issues`, and the
   * messages stay. Default: `"new"`.
   */
  validate?: "new" | "all" | false;
  /**
   * When a silent connection is given up, in milliseconds: without a first byte of the answer, and
   * between two of its bytes, comments that keep a connection alive included. The response then ends as
   * `disconnect` with the error `timed_out`, or is taken up again with `resume`. Default: never, since a
   * tool of the server may wait for a person.
   */
  timeouts?: { readonly firstByteMs?: number; readonly idleMs?: number };
  /**
   * The longest event that is accepted, in bytes. A longer one ends the response with the error
   * `limit_exceeded`. Default: 67,108,864 (64 MiB).
   */
  maxEventBytes?: number;
}

/** The published state of a chat. The same object until something has changed. */
export interface ChatSnapshot<UI_MESSAGE extends UIMessage = UIMessage> {
  /** All messages. Those that did not change are the same objects as before. Do not modify. */
  readonly messages: UI_MESSAGE[];
  /** See {@link ChatStatus}. */
  readonly status: ChatStatus;
  /** Why the last request failed, until the next request or `clearError()`. */
  readonly error: Error | undefined;
  /** How the last response ended. `undefined` before the first one and while one is under way. */
  readonly outcome: ChatOutcome | undefined;
  /** Messages that wait for their turn. */
  readonly queuedMessages: UI_MESSAGE[];
  /** True when the queue waits for the app: after a stop, an error or an abort. */
  readonly queuePaused: boolean;
  /** See {@link ChatConnection}. */
  readonly connection: ChatConnection;
}

/** What one read of a response brought. */
export interface ChatTraffic {
  /** Bytes of the body, without what HTTP or a compression adds. */
  readonly bytes: number;
  /** Events of the stream that were complete with it. */
  readonly events: number;
}

/** Text that was appended to a part since the last publication. */
export interface ChatDelta {
  readonly messageId: string;
  /** Index of the part in its message. */
  readonly partIndex: number;
  readonly type: "text" | "reasoning";
  /** Where `delta` begins, in UTF-16 units of the part's text; 0 when the text was replaced. */
  readonly offset: number;
  readonly delta: string;
}

/** A way to reach the server. The shape is the AI SDK's: its transports can be used. */
export interface ChatTransport<UI_MESSAGE extends UIMessage> {
  /** True when `reconnectToStream` gives the whole response from its beginning. Default: false. */
  readonly resumeStreamIsReplay?: boolean;
  /** Releases what the transport holds. Called by `dispose()` of the chat. */
  close?: () => void;
  /** Sends the messages; the result is the response. Rejects when the request fails. */
  sendMessages: (
    options: {
      /** Whether a message was sent or a response is asked for again. */
      trigger: "submit-message" | "regenerate-message";
      /** Id of the chat. */
      chatId: string;
      /** The message that is edited, continued or made again. */
      messageId: string | undefined;
      /** The whole history. */
      messages: UI_MESSAGE[];
      /** Aborted by `stop()`. */
      abortSignal: AbortSignal | undefined;
    } & ChatRequestOptions,
  ) => Promise<ReadableStream<UIMessageChunk>>;
  /** Takes up a running response. `null`: there is none. */
  reconnectToStream: (
    options: {
      /** Id of the chat. */
      chatId: string;
      /** Aborted by `stop()`. */
      abortSignal?: AbortSignal;
    } & ChatRequestOptions,
  ) => Promise<ReadableStream<UIMessageChunk> | null>;
}
