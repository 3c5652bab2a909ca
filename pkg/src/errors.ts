/**
 * The one error class of the package.
 *
 * @module
 */

/**
 * What went wrong, for programs. Stable: messages may change, codes do not.
 *
 * Loading the WebAssembly:
 * - `wasm_not_found`: the file could not be fetched or read, or something else came back.
 * - `wasm_blocked`: the page's Content-Security-Policy forbids WebAssembly.
 * - `wasm_invalid`: the file is damaged or not from this version of the package.
 * - `runtime_crashed`: the WebAssembly instance failed; the next command starts a fresh one.
 *
 * Requests and responses:
 * - `http_error`: the server answered with an error status; see `statusCode` and `responseBody`.
 * - `run_active`: the server answered 409, it is still working on this chat.
 * - `not_a_stream`: the server answered with a page or a document instead of a stream.
 * - `empty_body`: the server answered without a body.
 * - `network_error`: the request could not be made, or the connection failed.
 * - `stream_error`: the server reported an error in the stream.
 * - `invalid_json`: an event is not JSON.
 * - `invalid_chunk`: an event or a message does not have the expected shape.
 * - `forbidden_key`: a `__proto__` or `constructor.prototype` key.
 * - `limit_exceeded`: larger than the runtime accepts.
 *
 * Calls of the app:
 * - `invalid_argument`: an argument that cannot be used, such as an unknown message id.
 * - `not_serializable`: a value that JSON cannot hold (a BigInt, a cycle).
 * - `unsupported`: the environment lacks what the call needs.
 * - `unknown_tool_call`, `unknown_approval`: no such tool call or approval request.
 * - `conflicting_answer`: the tool call or the approval was answered differently before.
 * - `busy`: refused because a response is under way (`whileBusy: "reject"`).
 * - `read_only`: the chat takes no commands.
 * - `disposed`: the chat was disposed of.
 */
export type ChatwireErrorCode =
  | "wasm_not_found"
  | "wasm_blocked"
  | "wasm_invalid"
  | "runtime_crashed"
  | "http_error"
  | "run_active"
  | "not_a_stream"
  | "empty_body"
  | "network_error"
  | "stream_error"
  | "invalid_json"
  | "invalid_chunk"
  | "forbidden_key"
  | "limit_exceeded"
  | "invalid_argument"
  | "not_serializable"
  | "unsupported"
  | "unknown_tool_call"
  | "unknown_approval"
  | "conflicting_answer"
  | "busy"
  | "read_only"
  | "disposed";

/**
 * The error's `name`: the AI SDK's where it has such an error, so that code which tests
 * `error.name` or the AI SDK's `isInstance` keeps working.
 */
export type ChatwireErrorName =
  | "ChatwireError"
  | "AI_APICallError"
  | "AI_EmptyResponseBodyError"
  | "AI_InvalidArgumentError"
  | "AI_JSONParseError"
  | "AI_TypeValidationError"
  | "AI_UIMessageStreamError"
  | "AI_UnsupportedFunctionalityError";

/** What an error can tell beside its code and message. */
export interface ChatwireErrorDetails {
  /** HTTP status of the answer. */
  readonly statusCode?: number;
  /** Address of the request. */
  readonly url?: string;
  /** The answer's text, when it was an error. */
  readonly responseBody?: string;
  /** Whether the same request may succeed later. Default for a `statusCode`: 408, 409, 429, ≥ 500. */
  readonly isRetryable?: boolean;
  /** Type of the event that was at fault. */
  readonly chunkType?: string;
  /** Id of the part or tool call that the event names. */
  readonly chunkId?: string;
  /** The text that is not JSON. */
  readonly text?: string;
  /** The value that was refused. */
  readonly value?: unknown;
  /** The argument that was refused. */
  readonly parameter?: string;
}

/** What {@link makeError} makes an error from. */
export interface ErrorPayload extends ChatwireErrorDetails {
  readonly code: ChatwireErrorCode;
  readonly message: string;
  /** Default: `ChatwireError`. */
  readonly name?: ChatwireErrorName;
  /** The error behind this one. */
  readonly cause?: unknown;
}

const MARKER = Symbol.for("chatwire.error");

export interface ChatwireError extends ChatwireErrorDetails {}

/** Every error that the package makes. */
export class ChatwireError extends Error {
  /** See {@link ChatwireErrorCode}. */
  readonly code: ChatwireErrorCode;

  /** Use {@link makeError}. */
  constructor({ code, message, name = "ChatwireError", cause, ...details }: ErrorPayload) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = name;
    this.code = code;
    if (details.statusCode !== undefined) {
      Object.assign(this, { isRetryable: isRetryableStatus(details.statusCode) });
    }
    Object.assign(this, details, { [MARKER]: true }, peerMarkers(name));
  }

  /** True for an error of this class, also when it comes from another copy of the package. */
  static isInstance(error: unknown): error is ChatwireError {
    return typeof error === "object" && error !== null && MARKER in error;
  }
}

/** Makes an error of the package. */
export function makeError(payload: ErrorPayload): ChatwireError {
  return new ChatwireError(payload);
}

function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** The marks by which the AI SDK's `isInstance` recognises its errors. */
function peerMarkers(name: ChatwireErrorName): Record<symbol, true> {
  if (name === "ChatwireError") return {};
  return {
    [Symbol.for("vercel.ai.error")]: true,
    [Symbol.for(`vercel.ai.error.${name}`)]: true,
  };
}
