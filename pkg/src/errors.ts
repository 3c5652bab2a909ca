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
 * - `run_active`: the same with 409: a response of this chat is running; see `onConflict`.
 * - `not_a_stream`: the server answered with a page or a document instead of a stream.
 * - `empty_body`: the server answered without a body.
 * - `network_error`: the server could not be reached, or the connection failed.
 * - `timed_out`: nothing came for longer than the chat's `timeouts` allow.
 * - `transport_failed`: the app's own transport, `fetch` or hook threw; see `cause`.
 * - `truncated`: the stream ended before the response was complete.
 * - `stream_error`: the server reported an error in the stream.
 * - `stream_order`: an event names something that the response does not have.
 * - `invalid_json`: an event is not JSON.
 * - `invalid_chunk`: an event does not have the expected shape.
 * - `forbidden_key`: a `__proto__` or `constructor.prototype` key.
 * - `limit_exceeded`: larger than the runtime accepts.
 *
 * Calls of the app:
 * - `invalid_argument`: an argument that cannot be used, such as an unknown message id.
 * - `invalid_message`: a message that the app gave does not have the expected shape.
 * - `invalid_value`: messages that do not have the shape of messages, or a value that does not match the
 *   app's schema for it; see `issues`.
 * - `not_serializable`: a value that JSON cannot hold (a BigInt, a cycle).
 * - `unsupported`: the environment lacks what the call needs.
 * - `unknown_tool_call`, `unknown_approval`: no such tool call or approval request.
 * - `conflicting_answer`: the tool call or the approval was answered differently before.
 * - `invalid_document`, `invalid_patch`: what is to be reviewed is no JSON, or no JSON Patch.
 * - `message_mismatch`: a step begins another message than the draft that it is to go into.
 * - `approval_expired`: nobody answered in time (`approvalExpiresAt`).
 * - `read_only`: the chat only shows (`readOnly`).
 * - `busy`: refused because a response is under way (`whileBusy: "reject"`).
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
  | "timed_out"
  | "transport_failed"
  | "truncated"
  | "stream_error"
  | "stream_order"
  | "invalid_json"
  | "invalid_chunk"
  | "forbidden_key"
  | "limit_exceeded"
  | "invalid_argument"
  | "invalid_message"
  | "invalid_value"
  | "not_serializable"
  | "unsupported"
  | "unknown_tool_call"
  | "unknown_approval"
  | "conflicting_answer"
  | "invalid_document"
  | "invalid_patch"
  | "message_mismatch"
  | "approval_expired"
  | "read_only"
  | "busy"
  | "disposed";

/** What an error can tell beside its code and message. Absent where it does not apply. */
export interface ChatwireErrorDetails {
  /** HTTP status of the answer. */
  readonly statusCode?: number;
  /** Address of the request. */
  readonly url?: string;
  /** The answer's text, when it was an error. */
  readonly responseBody?: string;
  /** Whether the same request may succeed later. */
  readonly isRetryable?: boolean;
  /** Where in the event's JSON text the fault is, in bytes. */
  readonly offset?: number;
  /** The argument that was refused. */
  readonly parameter?: string;
  /** The value that was refused. */
  readonly value?: unknown;
  /** What is wrong with it: the first 100 faults. */
  readonly issues?: readonly ValidationIssue[];
  /** How many faults there are, those included that are not listed. */
  readonly totalIssues?: number;
}

/**
 * What kind of fault, for programs. Stable.
 *
 * In messages:
 * - `invalid_type`: missing, or of another type.
 * - `invalid_value`: of the right type, but not one of the values that are known.
 * - `too_small`: an empty list of messages or parts.
 * - `unexpected_field`: a field that the state of its tool call does not allow.
 * - `not_serializable`, `invalid_json`: not to be had as JSON.
 * - `forbidden_key`, `limit_exceeded`: as the errors of these codes; what follows was not checked.
 *
 * In what the app has schemas for:
 * - `schema`: against the schema.
 * - `no_schema`: there are schemas of this kind, but none of this name.
 */
export type ValidationIssueCode =
  | "invalid_type"
  | "invalid_value"
  | "too_small"
  | "unexpected_field"
  | "not_serializable"
  | "invalid_json"
  | "forbidden_key"
  | "limit_exceeded"
  | "schema"
  | "no_schema";

/** One fault of messages or of a value. */
export interface ValidationIssue {
  /** Where: the keys and indices that lead there, `[0, "parts", 2, "text"]`. */
  readonly path: readonly (string | number)[];
  /** See {@link ValidationIssueCode}. */
  readonly code: ValidationIssueCode;
  /** The same for people. */
  readonly message: string;
}

/** What {@link makeError} makes an error from. */
export interface ErrorPayload extends ChatwireErrorDetails {
  readonly code: ChatwireErrorCode;
  readonly message: string;
  /**
   * The AI SDK's name for the fault, where it has one, so that code which tests `error.name` or its
   * `isInstance` keeps working; the name of an error that the app threw. Default: `ChatwireError`.
   */
  readonly name?: string;
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

/** The marks by which the AI SDK's `isInstance` recognises its errors. */
function peerMarkers(name: string): Record<symbol, true> {
  if (!name.startsWith("AI_")) return {};
  return {
    [Symbol.for("vercel.ai.error")]: true,
    [Symbol.for(`vercel.ai.error.${name}`)]: true,
  };
}
