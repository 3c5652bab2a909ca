/**
 * Chunks of the AI SDK UI message stream: what a custom transport delivers.
 *
 * @module
 */

import type {
  Citation,
  FileUIPart,
  InferUIMessageData,
  InferUIMessageMetadata,
  JSONObject,
  ProviderMetadata,
  TextUIPart,
  UIDataTypes,
  UIMessage,
} from "./message-types.js";

/** Why the model stopped. */
export type FinishReason =
  | "stop"
  | "length"
  | "content-filter"
  | "tool-calls"
  | "error"
  | "interrupted"
  | "other";

/** One event of a response. */
export type UIMessageChunk<METADATA = unknown, DATA_PARTS extends UIDataTypes = UIDataTypes> =
  | { type: "start"; messageId?: string; messageMetadata?: METADATA }
  | { type: "start-step" }
  | TextChunk
  | ReasoningChunk
  | ToolInputChunk
  | ToolApprovalChunk
  | ToolOutputChunk
  | { type: "custom"; kind: `${string}.${string}`; providerMetadata?: ProviderMetadata }
  | {
      type: "source-url";
      sourceId: string;
      url: string;
      title?: string;
      providerMetadata?: ProviderMetadata;
    }
  | {
      type: "source-document";
      sourceId: string;
      mediaType: string;
      title: string;
      filename?: string;
      providerMetadata?: ProviderMetadata;
    }
  | { type: "file"; url: string; mediaType: string; providerMetadata?: ProviderMetadata }
  | { type: "reasoning-file"; url: string; mediaType: string; providerMetadata?: ProviderMetadata }
  | DataUIMessageChunk<DATA_PARTS>
  | { type: "steering-message"; id: string; parts: Array<TextUIPart | FileUIPart> }
  | { type: "message-metadata"; messageMetadata: METADATA }
  | { type: "finish-step" }
  /** Removes the parts of the current step. */
  | { type: "reset-step" }
  | { type: "finish"; finishReason?: FinishReason; messageMetadata?: METADATA }
  | { type: "abort"; reason?: string }
  | { type: "error"; errorText: string };

type TextChunk =
  | { type: "text-start"; id: string; providerMetadata?: ProviderMetadata }
  | { type: "text-delta"; id: string; delta: string; providerMetadata?: ProviderMetadata }
  | {
      type: "text-end";
      id: string;
      citations?: Array<Citation>;
      providerMetadata?: ProviderMetadata;
    };

type ReasoningChunk =
  | { type: "reasoning-start"; id: string; providerMetadata?: ProviderMetadata }
  | { type: "reasoning-delta"; id: string; delta: string; providerMetadata?: ProviderMetadata }
  | { type: "reasoning-end"; id: string; providerMetadata?: ProviderMetadata };

type ToolInputChunk =
  | {
      type: "tool-input-start";
      toolCallId: string;
      toolName: string;
      /** How the deltas are to be read. Default `json`. */
      inputEncoding?: "json" | "text";
      providerExecuted?: boolean;
      providerMetadata?: ProviderMetadata;
      toolMetadata?: JSONObject;
      dynamic?: boolean;
      title?: string;
    }
  | { type: "tool-input-delta"; toolCallId: string; inputTextDelta: string }
  | {
      type: "tool-input-available";
      toolCallId: string;
      toolName: string;
      input: unknown;
      providerExecuted?: boolean;
      providerMetadata?: ProviderMetadata;
      toolMetadata?: JSONObject;
      dynamic?: boolean;
      title?: string;
    }
  | {
      type: "tool-input-error";
      toolCallId: string;
      toolName: string;
      input: unknown;
      errorText: string;
      providerExecuted?: boolean;
      providerMetadata?: ProviderMetadata;
      toolMetadata?: JSONObject;
      dynamic?: boolean;
      title?: string;
    };

type ToolApprovalChunk =
  | {
      type: "tool-approval-request";
      approvalId: string;
      toolCallId: string;
      approvalDescriptor?: unknown;
      inputSchemaInput?: unknown;
      reason?: string;
      isAutomatic?: boolean;
      signature?: string;
    }
  | {
      type: "tool-approval-response";
      approvalId: string;
      approved: boolean;
      reason?: string;
      providerExecuted?: boolean;
      providerMetadata?: ProviderMetadata;
    };

type ToolOutputChunk =
  | {
      type: "tool-output-available";
      toolCallId: string;
      output: unknown;
      providerExecuted?: boolean;
      providerMetadata?: ProviderMetadata;
      toolMetadata?: JSONObject;
      dynamic?: boolean;
      preliminary?: boolean;
    }
  | {
      type: "tool-output-error";
      toolCallId: string;
      errorText: string;
      providerExecuted?: boolean;
      providerMetadata?: ProviderMetadata;
      toolMetadata?: JSONObject;
      dynamic?: boolean;
    }
  | { type: "tool-output-denied"; toolCallId: string };

/** A chunk with the app's own data, typed by name. */
export type DataUIMessageChunk<DATA_PARTS extends UIDataTypes> = {
  [NAME in keyof DATA_PARTS & string]: {
    type: `data-${NAME}`;
    id?: string;
    data: DATA_PARTS[NAME];
    /** True: given to `onData`, not kept in the message. */
    transient?: boolean;
  };
}[keyof DATA_PARTS & string];

/** The chunks of a message type. */
export type InferUIMessageChunk<T extends UIMessage> = UIMessageChunk<
  InferUIMessageMetadata<T>,
  InferUIMessageData<T>
>;
