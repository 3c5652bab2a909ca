/**
 * What every entry point exports beside its own `Chat`, transports and `init`.
 *
 * @module
 */

// Declares Symbol.dispose for apps whose own settings do not.
/// <reference lib="esnext.disposable" preserve="true" />

export type { ApprovalState, DraftStatus } from "./approval-state.js";
export {
  all,
  any,
  approvalsAnswered,
  autoSend,
  continueOnLength,
  maxSteps,
  not,
  nudgeOnEmpty,
  retryStreamOnce,
  tokenCeiling,
  toolCallsComplete,
} from "./auto-send.js";
export type {
  AutoSendLimit,
  AutoSendPolicy,
  AutoSendPredicate,
  AutoSendRecovery,
  AutoSendReport,
} from "./auto-send.js";
export { AbstractChat } from "./chat.js";
export type { CompletionRequestOptions, UseCompletionOptions } from "./completion.js";
export { ChatwireError } from "./errors.js";
export type {
  ChatwireErrorCode,
  ChatwireErrorDetails,
  ErrorPayload,
  ValidationIssue,
  ValidationIssueCode,
} from "./errors.js";
export { convertFileListToFileUIParts } from "./files.js";
export { createIdGenerator, generateId } from "./ids.js";
export type { IdGenerator, IdGeneratorOptions } from "./ids.js";
export { inspectJson } from "./inspect-json.js";
export type { InspectedJson, JsonWarning } from "./inspect-json.js";
export { isDeepEqualData } from "./is-deep-equal-data.js";
export type { SteeringMessageUIPart as Experimental_SteeringMessageUIPart } from "./message-types.js";
export type { PartialJSONResult } from "./partial-json.js";
export * from "./peer-errors.js";
export * from "./predicates.js";
export { rawJson } from "./raw-json.js";
export type { AsyncIterableStream, ReadUIMessageStreamOptions } from "./read-ui-message-stream.js";
export type { WasmSource } from "./runtime.js";
export type {
  FlexibleSchema,
  InferSchema,
  InferUIDataParts,
  JSONSchema,
  Schema,
  StandardSchema,
  StandardSchemaIssue,
  StandardSchemaResult,
  SchemaResult,
  UIDataPartSchemas,
} from "./schema.js";
export { jsonSchema } from "./schema.js";
export { HttpChatTransport } from "./transports.js";
export type {
  DefaultChatTransportOptions,
  HttpChatTransportInitOptions,
  PreparedReconnectRequest,
  PreparedSendRequest,
  PrepareReconnectToStreamRequest,
  PrepareSendMessagesRequest,
  Resolvable,
} from "./transports.js";
export type * from "./types.js";
export type {
  SafeValidateUIMessagesResult,
  ToolSchemas,
  ValidateUIMessagesOptions,
} from "./validate.js";
export type { TokenUsage } from "./usage-sums.js";
export { WebSocketChatTransport } from "./web-socket-transport.js";
export type {
  PreparedFrame,
  WebSocketChatTransportInitOptions,
  WebSocketChatTransportRequest,
  WebSocketChatTransportResponse,
  WebSocketLike,
} from "./web-socket-transport.js";
