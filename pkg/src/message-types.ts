/**
 * Messages and their parts, in the shape of the AI SDK (`ai` 7): a value of one package's type is a
 * value of the other's.
 *
 * @module
 */

/** Any value that JSON can hold. */
export type JSONValue =
  | null
  | string
  | number
  | boolean
  | { readonly [key: string]: JSONValue | undefined }
  | readonly JSONValue[];

/** A JSON object. A key whose value is `undefined` is left out when it is written. */
export type JSONObject = { [key: string]: JSONValue | undefined };

/** What a model provider adds to a part, by provider name. Sent back unchanged. */
export type ProviderMetadata = Record<string, JSONObject>;

/** Identifiers of an uploaded file, by provider name. */
export type ProviderReference = Record<string, string> & { type?: never };

/** The data parts of an app: `{ [name]: data }`, where the part's type is `data-<name>`. */
export type UIDataTypes = Record<string, unknown>;

/** Input and output of one tool. */
export type UITool = { input: unknown; output: unknown };

/** The tools of an app, by name. */
export type UITools = Record<string, UITool>;

/** A message as the page shows it and as it is sent to the server. */
export interface UIMessage<
  METADATA = unknown,
  DATA_PARTS extends UIDataTypes = UIDataTypes,
  TOOLS extends UITools = UITools,
> {
  /** Unique within the chat. */
  id: string;
  /** Who wrote it. */
  role: "system" | "user" | "assistant";
  /** The app's own data about the message, e.g. the model's name and the token usage. */
  metadata?: METADATA;
  /** The content, in order. */
  parts: Array<UIMessagePart<DATA_PARTS, TOOLS>>;
}

/** Any part of a message. */
export type UIMessagePart<DATA_PARTS extends UIDataTypes, TOOLS extends UITools> =
  | TextUIPart
  | CustomContentUIPart
  | ReasoningUIPart
  | ToolUIPart<TOOLS>
  | DynamicToolUIPart
  | SourceUrlUIPart
  | SourceDocumentUIPart
  | FileUIPart
  | ReasoningFileUIPart
  | DataUIPart<DATA_PARTS>
  | SteeringMessageUIPart
  | StepStartUIPart;

/** Text. */
export type TextUIPart = {
  type: "text";
  /** The text so far. */
  text: string;
  /** `streaming` while more text is expected. Absent on parts that were never streamed. */
  state?: "streaming" | "done";
  /** References that support this text. */
  citations?: Array<Citation>;
  /** See {@link ProviderMetadata}. */
  providerMetadata?: ProviderMetadata;
};

/** A reference that supports a piece of text. */
export type Citation = {
  /** What is referred to. */
  source: CitationSource;
  /** Where the supported text starts, in UTF-16 units of the part's text. */
  startIndex?: number;
  /** Where it ends (exclusive). */
  endIndex?: number;
  /** The passage of the source. */
  citedText?: string;
};

/** The web page or the document that a {@link Citation} refers to. */
export type CitationSource =
  | {
      type: "source";
      sourceType: "url";
      id: string;
      url: string;
      title?: string;
      providerMetadata?: ProviderMetadata;
    }
  | {
      type: "source";
      sourceType: "document";
      id: string;
      mediaType: string;
      title: string;
      filename?: string;
      providerMetadata?: ProviderMetadata;
    };

/** The model's reasoning. */
export type ReasoningUIPart = {
  type: "reasoning";
  /** The id that the stream used for this part. */
  id?: string;
  /** The text so far. */
  text: string;
  /** `streaming` while more text is expected. */
  state?: "streaming" | "done";
  /** See {@link ProviderMetadata}. */
  providerMetadata?: ProviderMetadata;
};

/** Content that only one provider knows. */
export type CustomContentUIPart = {
  type: "custom";
  /** `<provider>.<kind of content>`. */
  kind: `${string}.${string}`;
  /** See {@link ProviderMetadata}. */
  providerMetadata?: ProviderMetadata;
};

/** A web page that was used. */
export type SourceUrlUIPart = {
  type: "source-url";
  /** Unique within the response. */
  sourceId: string;
  /** Address of the page. From the model: check the scheme before it becomes a link. */
  url: string;
  /** Title of the page. */
  title?: string;
  /** See {@link ProviderMetadata}. */
  providerMetadata?: ProviderMetadata;
};

/** A document that was used. */
export type SourceDocumentUIPart = {
  type: "source-document";
  /** Unique within the response. */
  sourceId: string;
  /** IANA media type. */
  mediaType: string;
  /** Title of the document. */
  title: string;
  /** Name of the file. */
  filename?: string;
  /** See {@link ProviderMetadata}. */
  providerMetadata?: ProviderMetadata;
};

/** A file, sent by the user or made by the model. */
export type FileUIPart = {
  type: "file";
  /** IANA media type (`image/png`) or its first half (`image`). */
  mediaType: string;
  /** Name of the file. */
  filename?: string;
  /** Address of the file, or a `data:` URL. From the model: check the scheme before use. */
  url: string;
  /** Where the provider holds the file; a server prefers it to `url`. */
  providerReference?: ProviderReference;
  /** See {@link ProviderMetadata}. */
  providerMetadata?: ProviderMetadata;
};

/** A file that belongs to the model's reasoning. */
export type ReasoningFileUIPart = {
  type: "reasoning-file";
  /** IANA media type. */
  mediaType: string;
  /** Address of the file, or a `data:` URL. */
  url: string;
  /** See {@link ProviderMetadata}. */
  providerMetadata?: ProviderMetadata;
};

/** A user message that was added to the run while the assistant was answering. */
export type SteeringMessageUIPart = {
  type: "steering-message";
  /** Id of the user message. */
  id: string;
  /** Its content. */
  parts: Array<TextUIPart | FileUIPart>;
};

/** Where a step (one call of the model) begins. */
export type StepStartUIPart = { type: "step-start" };

/** The app's own data, typed by name. */
export type DataUIPart<DATA_PARTS extends UIDataTypes> = ValueOf<{
  [NAME in keyof DATA_PARTS & string]: {
    type: `data-${NAME}`;
    /** A later part with the same type and id replaces the data. */
    id?: string;
    data: DATA_PARTS[NAME];
  };
}>;

/** A call of a tool whose input and output types are known to the app. */
export type ToolUIPart<TOOLS extends UITools = UITools> = ValueOf<{
  [NAME in keyof TOOLS & string]: { type: `tool-${NAME}` } & UIToolInvocation<TOOLS[NAME]>;
}>;

/** A call of a tool that is known only at run time. */
export type DynamicToolUIPart = {
  type: "dynamic-tool";
  /** Name of the tool. */
  toolName: string;
  /** `false`: the part was a static one whose tool no longer exists. */
  dynamic?: false;
} & ToolCallFields &
  ToolCallState<unknown, unknown, unknown, { rawInput?: never }>;

/** A call of one tool, without its name. For components that show a given tool. */
export type UIToolInvocation<TOOL extends UITool> = ToolCallFields &
  ToolCallState<
    TOOL["input"],
    DeepPartial<TOOL["input"]> | undefined,
    TOOL["output"],
    {
      /** @deprecated Use `input`. */
      rawInput?: unknown;
    }
  >;

/** A tool part, static or dynamic, whose execution failed. */
export type ToolOutputErrorUIPart<TOOLS extends UITools = UITools> = Extract<
  ToolUIPart<TOOLS> | DynamicToolUIPart,
  { state: "output-error" }
>;

/** What every tool part has. */
type ToolCallFields = {
  /** Unique within the chat. */
  toolCallId: string;
  /** What to show instead of the tool's name. */
  title?: string;
  /** What the tool says about itself, e.g. the server it comes from. */
  toolMetadata?: JSONObject;
  /** True when the provider runs the tool; the app has nothing to do. */
  providerExecuted?: boolean;
};

/** What depends on how far the call has come. */
type ToolCallState<INPUT, PARTIAL_INPUT, OUTPUT, RAW_INPUT_OF_ERROR> =
  | {
      /** The input is still arriving. */
      state: "input-streaming";
      /** As much of the input as is known. Not validated. */
      input?: PARTIAL_INPUT;
      /** The text of the input so far. */
      rawInput?: string;
      /** How `rawInput` is to be read. Default `json`. */
      inputEncoding?: "json" | "text";
      output?: never;
      errorText?: never;
      callProviderMetadata?: ProviderMetadata;
      approval?: never;
    }
  | {
      /** The input is complete; the tool runs, or waits for the app. */
      state: "input-available";
      input: INPUT;
      output?: never;
      errorText?: never;
      callProviderMetadata?: ProviderMetadata;
      approval?: never;
    }
  | {
      /** A person must approve the call. */
      state: "approval-requested";
      input: INPUT;
      output?: never;
      errorText?: never;
      callProviderMetadata?: ProviderMetadata;
      approval: ApprovalFields & { approved?: never; reason?: never };
    }
  | {
      /** A person has answered. */
      state: "approval-responded";
      input: INPUT;
      output?: never;
      errorText?: never;
      callProviderMetadata?: ProviderMetadata;
      approval: ApprovalFields & { approved: boolean; reason?: string };
    }
  | {
      /** The tool has answered. */
      state: "output-available";
      input: INPUT;
      output: OUTPUT;
      /** True while further outputs of the same call are expected. */
      preliminary?: boolean;
      errorText?: never;
      callProviderMetadata?: ProviderMetadata;
      resultProviderMetadata?: ProviderMetadata;
      approval?: ApprovalFields & { approved: true; reason?: string };
    }
  | ({
      /** The tool failed, or its input was not acceptable. */
      state: "output-error";
      input: INPUT | undefined;
      output?: never;
      errorText: string;
      callProviderMetadata?: ProviderMetadata;
      resultProviderMetadata?: ProviderMetadata;
      approval?: ApprovalFields & { approved: true; reason?: string };
    } & RAW_INPUT_OF_ERROR)
  | {
      /** A person said no; the tool did not run. */
      state: "output-denied";
      input: INPUT;
      output?: never;
      errorText?: never;
      callProviderMetadata?: ProviderMetadata;
      approval: ApprovalFields & { approved: false; reason?: string };
    };

/** What every approval has. */
type ApprovalFields = {
  /** Unique within the chat. */
  id: string;
  /** What the server says about the request. */
  descriptor?: unknown;
  /** Why approval is asked for. */
  requestReason?: string;
  /** True when the server answers by itself. */
  isAutomatic?: boolean;
  /** The server's signature over the call. Goes back unchanged. */
  signature?: string;
  /** The input before the server refined it. Goes back unchanged. */
  inputSchemaInput?: unknown;
};

/** The metadata type of a message type. */
export type InferUIMessageMetadata<T extends UIMessage> =
  T extends UIMessage<infer METADATA> ? METADATA : unknown;

/** The data parts of a message type. */
export type InferUIMessageData<T extends UIMessage> =
  T extends UIMessage<unknown, infer DATA_PARTS> ? DATA_PARTS : UIDataTypes;

/** The tools of a message type. */
export type InferUIMessageTools<T extends UIMessage> =
  T extends UIMessage<unknown, UIDataTypes, infer TOOLS> ? TOOLS : UITools;

/** A tool call as `onToolCall` gets it: typed by `toolName`, or `dynamic: true`. */
export type InferUIMessageToolCall<UI_MESSAGE extends UIMessage> =
  | ValueOf<{
      [NAME in keyof InferUIMessageTools<UI_MESSAGE>]: ToolCall<
        NAME & string,
        InferUIMessageTools<UI_MESSAGE>[NAME] extends { input: infer INPUT } ? INPUT : never
      > & { dynamic?: false };
    }>
  | (ToolCall<string, unknown> & { dynamic: true });

/** A call of a tool whose input is complete. */
export interface ToolCall<NAME extends string, INPUT> {
  /** Pass it to `addToolOutput`. */
  toolCallId: string;
  /** Name of the tool. */
  toolName: NAME;
  /** The complete input. */
  input: INPUT;
  /** True when the provider runs the tool. Such calls are not given to `onToolCall`. */
  providerExecuted?: boolean;
  /** True for a tool that is known only at run time. */
  dynamic?: boolean;
}

/** The same type with every key at every depth optional: what a growing tool input can be. */
export type DeepPartial<T> = T extends
  | string
  | number
  | boolean
  | bigint
  | symbol
  | null
  | undefined
  | Date
  | RegExp
  | ((...parameters: never[]) => unknown)
  ? T
  : T extends readonly (infer ITEM)[]
    ? ITEM[] extends T
      ? readonly ITEM[] extends T
        ? ReadonlyArray<DeepPartial<ITEM | undefined>>
        : Array<DeepPartial<ITEM | undefined>>
      : { [KEY in keyof T]?: DeepPartial<T[KEY]> }
    : T extends object
      ? { [KEY in keyof T]?: DeepPartial<T[KEY]> }
      : unknown;

type ValueOf<T> = T[keyof T];
