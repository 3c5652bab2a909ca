/**
 * Checks of messages: their structure, by the core, and what the app has schemas for.
 *
 * @module
 */

import { type CoreCall, loadCore } from "./core-call.js";
import type { CoreGlue } from "./core-host.js";
import { makeError, type ValidationIssue, type ValidationIssueCode } from "./errors.js";
import { isDeepEqualData } from "./is-deep-equal-data.js";
import { Issues } from "./issues.js";
import { losslessStringify } from "./lossless.js";
import type {
  DataUIPart,
  DynamicToolUIPart,
  InferUIMessageData,
  InferUIMessageTools,
  ToolUIPart,
  UIDataTypes,
  UIMessage,
  UIMessagePart,
  UITools,
} from "./message-types.js";
import { isDataUIPart, isStaticToolUIPart } from "./predicates.js";
import { rawTexts } from "./raw-json.js";
import type { RuntimeLoader } from "./runtime.js";
import { checkSchema, type FlexibleSchema } from "./schema.js";

/** Options of `validateUIMessages`. */
export interface ValidateUIMessagesOptions<UI_MESSAGE extends UIMessage> {
  /** What is to be an array of messages. */
  messages: unknown;
  /** For the metadata of every message, `undefined` included. Default: any. */
  metadataSchema?: FlexibleSchema<UIMessage["metadata"]>;
  /** For the data of each kind of data part, by name; then all kinds must be there. Default: any. */
  dataSchemas?: {
    [NAME in keyof InferUIMessageData<UI_MESSAGE> & string]?: FlexibleSchema<
      InferUIMessageData<UI_MESSAGE>[NAME]
    >;
  };
  /**
   * The tools of today, by name, for the calls of tools that are not dynamic. Default: any input and
   * output. The call of a tool that is not among them becomes a dynamic one (`dynamic: false`) if it is
   * over, and is a fault if not.
   */
  tools?: {
    [NAME in keyof InferUIMessageTools<UI_MESSAGE> & string]?: ToolSchemas<
      InferUIMessageTools<UI_MESSAGE>[NAME]
    >;
  };
  /**
   * By name of the tool, what its server made of the input that the model gave, before a person was
   * asked to approve it. Default: nothing.
   */
  experimental_refineToolInput?: {
    [NAME in keyof InferUIMessageTools<UI_MESSAGE> & string]?: (
      input: InferUIMessageTools<UI_MESSAGE>[NAME]["input"],
    ) =>
      | InferUIMessageTools<UI_MESSAGE>[NAME]["input"]
      | PromiseLike<InferUIMessageTools<UI_MESSAGE>[NAME]["input"]>;
  };
}

/** What is checked of a tool's calls. The AI SDK's `tool` gives such objects. */
export interface ToolSchemas<TOOL extends { input: unknown; output: unknown }> {
  readonly inputSchema: FlexibleSchema<TOOL["input"]>;
  readonly outputSchema?: FlexibleSchema<TOOL["output"]>;
}

/** What `safeValidateUIMessages` gives. */
export type SafeValidateUIMessagesResult<UI_MESSAGE extends UIMessage> =
  | { success: true; data: UI_MESSAGE[] }
  | { success: false; error: Error };

/** See `safeValidateUIMessages` of the entries. */
export async function safeValidate<UI_MESSAGE extends UIMessage>(
  loader: RuntimeLoader<CoreGlue>,
  options: ValidateUIMessagesOptions<UI_MESSAGE>,
): Promise<SafeValidateUIMessagesResult<UI_MESSAGE>> {
  try {
    return { success: true, data: await validate(loader, options) };
  } catch (error) {
    return { success: false, error: error as Error };
  }
}

/** See `validateUIMessages` of the entries. */
export async function validate<UI_MESSAGE extends UIMessage>(
  loader: RuntimeLoader<CoreGlue>,
  options: ValidateUIMessagesOptions<UI_MESSAGE>,
): Promise<UI_MESSAGE[]> {
  const { messages } = options;
  if (messages === undefined || messages === null) {
    throw makeError({
      code: "invalid_argument",
      name: "AI_InvalidArgumentError",
      message: "The option messages must be given.",
      parameter: "messages",
      value: messages,
    });
  }
  const call = await loadCore(loader);
  const issues = checkStructure(call, messages);
  const data = await new ValueCheck(options, issues).checkMessages(messages as UIMessage[]);
  if (issues.total > 0) throw issues.toError(messages);
  return data as UI_MESSAGE[];
}

/** The faults in the structure of messages. */
function checkStructure(call: CoreCall, messages: unknown): Issues {
  let text: string | undefined;
  try {
    text = losslessStringify(messages, (value) => rawTexts.get(value));
  } catch (error) {
    const issues = new Issues();
    issues.add([{ path: [], code: "not_serializable", message: (error as Error).message }]);
    return issues;
  }
  return structureIssues(call, text ?? "null", (path) => isUndefinedMember(messages, path));
}

/** Whether the member at `path` is there and `undefined`: a value of its own, which JSON has not. */
function isUndefinedMember(messages: unknown, path: Path): boolean {
  let holder = messages;
  for (const step of path.slice(0, -1)) holder = Object(holder)[step];
  const key = path.at(-1);
  return key !== undefined && Object.hasOwn(Object(holder), key);
}

/**
 * The faults in the structure of messages, from their JSON text.
 *
 * @param isThere whether a missing value is there after all, where any value will do.
 */
export function structureIssues(
  call: CoreCall,
  text: string,
  isThere: (path: Path) => boolean = () => false,
): Issues {
  const report = JSON.parse(call((core) => core.validateMessages(text))) as {
    total: number;
    issues: { path: Path; code: ValidationIssueCode; expected: string }[];
  };
  const found = report.issues.filter(
    ({ path, code, expected }) => code !== "invalid_type" || expected !== "any" || !isThere(path),
  );
  const issues = new Issues();
  issues.add(
    found.map(({ path, code, expected }) => ({
      path,
      code,
      message: messageOf(code, expected, path.at(-1)),
    })),
    [],
    report.total - (report.issues.length - found.length),
  );
  return issues;
}

/** `expected` as the crate's `src/message/validate/shapes.rs` has it. */
function messageOf(code: ValidationIssueCode, expected: string, field: string | number | undefined): string {
  switch (code) {
    case "too_small":
      return "Must not be empty";
    case "unexpected_field":
      return "Not allowed in this state";
    case "forbidden_key":
      return "Has a key __proto__ or constructor.prototype";
    case "limit_exceeded":
      return "Is nested too deep";
    case "invalid_json":
      return "Is not JSON";
    default:
      return `Expected ${wordsFor(expected, field)}`;
  }
}

function wordsFor(expected: string, field: string | number | undefined): string {
  if (expected.startsWith("<")) return `a known ${field}`;
  if (expected.startsWith("[")) return "an array";
  if (/^[@{]/.test(expected)) return "an object";
  switch (expected) {
    case "string":
    case "boolean":
      return `a ${expected}`;
    case "array":
    case "object":
      return `an ${expected}`;
    case "index":
      return "an integer from 0 to 2^53 - 1";
    case "any":
      return "a value";
    case "true":
    case "false":
      return expected;
    default:
      return expected.split("|").map((word) => `"${word}"`).join(" or ");
  }
}

/** Checks what the app has schemas for, and gives messages with what its schemas make of it. */
class ValueCheck<UI_MESSAGE extends UIMessage> {
  readonly #options: ValidateUIMessagesOptions<UI_MESSAGE>;
  readonly #issues: Issues;

  constructor(options: ValidateUIMessagesOptions<UI_MESSAGE>, issues: Issues) {
    this.#options = options;
    this.#issues = issues;
  }

  /** Messages with a fault in their structure are left alone. */
  async checkMessages(messages: readonly UIMessage[]): Promise<readonly UIMessage[]> {
    const { list, total } = this.#issues;
    const faulty = new Set(list.map(({ path }) => path[0]));
    if (faulty.has(undefined) || total > list.length) return messages;
    const checked: UIMessage[] = [];
    for (const [index, message] of messages.entries()) {
      checked.push(faulty.has(index) ? message : await this.#checkMessage(message, [index]));
    }
    return checked;
  }

  async #checkMessage(message: UIMessage, path: Path): Promise<UIMessage> {
    const { metadataSchema } = this.#options;
    const metadata = await this.#checkValue(metadataSchema, message.metadata, [...path, "metadata"]);
    const parts: UIMessagePart<UIDataTypes, UITools>[] = [];
    for (const [index, part] of message.parts.entries()) {
      parts.push(await this.#checkPart(part, [...path, "parts", index]));
    }
    const isSame =
      Object.is(metadata, message.metadata) &&
      parts.every((part, index) => part === message.parts[index]);
    if (isSame) return message;
    return { ...message, ...(metadata === undefined ? {} : { metadata }), parts };
  }

  async #checkPart(part: Part, path: Path): Promise<Part> {
    const { dataSchemas, tools } = this.#options;
    if (dataSchemas && isDataUIPart(part)) return this.#checkData(part, dataSchemas, path);
    if (tools && isStaticToolUIPart(part)) return this.#checkToolCall(part, tools, path);
    return part;
  }

  async #checkData(part: DataUIPart<UIDataTypes>, schemas: object, path: Path): Promise<Part> {
    const name = part.type.slice("data-".length);
    const schema = ownValue<FlexibleSchema>(schemas, name);
    const dataPath = [...path, "data"];
    if (!schema) return this.#missSchema("data part", name, part, dataPath);
    const data = await this.#checkValue(schema, part.data, dataPath);
    return Object.is(data, part.data) ? part : { ...part, data };
  }

  async #checkToolCall(part: ToolUIPart, tools: object, path: Path): Promise<Part> {
    const name = part.type.slice("tool-".length);
    const tool = ownValue<ToolSchemas<{ input: unknown; output: unknown }>>(tools, name);
    const { state, input, output } = part;
    const inputPath = [...path, "input"];
    if (!tool) {
      const isOver = /^output-/.test(state);
      return isOver ? asDynamic(part, name) : this.#missSchema("tool", name, part, inputPath);
    }
    const inputIssues = await this.#inputIssues(part, name, tool.inputSchema);
    // A call that failed, or never had an input, is to stay readable. But its input is not what the
    // types of the tool promise.
    const isExcused = state === "output-error" || (state === "output-available" && isEmpty(input));
    if (!isExcused) this.#issues.add(inputIssues, inputPath);
    if (state === "output-available" && tool.outputSchema) {
      await this.#checkValue(tool.outputSchema, output, [...path, "output"]);
    }
    return isExcused && inputIssues.length > 0 ? asDynamic(part, name) : part;
  }

  /** What is wrong with the input of a call. */
  async #inputIssues(
    part: ToolUIPart,
    name: string,
    schema: FlexibleSchema,
  ): Promise<readonly ValidationIssue[]> {
    const { state, input, approval } = part;
    // The server has refined this one before it asked for approval.
    const original = Object(approval) as { inputSchemaInput?: unknown };
    const isRefined = Object.hasOwn(original, "inputSchemaInput");
    const isUnknown = state === "output-error" && input === undefined && !isRefined;
    if (state === "input-streaming" || isUnknown) return [];

    const result = await checkSchema(schema, isRefined ? original.inputSchemaInput : input);
    if (!result.success) return result.error.issues ?? [];
    if (!isRefined) return [];
    try {
      const refine = ownValue<(input: unknown) => unknown>(
        this.#options.experimental_refineToolInput ?? {},
        name,
      );
      const refined = refine ? await refine(result.value) : result.value;
      return isDeepEqualData(refined, input)
        ? []
        : [{ path: [], code: "schema", message: "Is not what inputSchemaInput gives" }];
    } catch (error) {
      return [{ path: [], code: "schema", message: String((error as Error | null)?.message ?? error) }];
    }
  }

  /** What a schema makes of a value; without a schema, and after a fault, the value itself. */
  async #checkValue(schema: FlexibleSchema | undefined, value: unknown, path: Path): Promise<unknown> {
    if (!schema) return value;
    const result = await checkSchema(schema, value);
    if (result.success) return result.value;
    this.#issues.add(result.error.issues ?? [], path, result.error.totalIssues);
    return value;
  }

  #missSchema(kind: string, name: string, part: Part, path: Path): Part {
    const message = `There is no schema for the ${kind} "${name}"`;
    this.#issues.add([{ path, code: "no_schema", message }]);
    return part;
  }
}

type Path = readonly (string | number)[];
type Part = UIMessagePart<UIDataTypes, UITools>;

function ownValue<T>(object: object, key: string): T | undefined {
  return Object.hasOwn(object, key) ? (object as Record<string, T>)[key] : undefined;
}

function isEmpty(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length === 0
  );
}

/** The call of a tool that is no longer what the call was made for. */
function asDynamic({ type: _, ...call }: ToolUIPart, toolName: string): DynamicToolUIPart {
  return { type: "dynamic-tool", toolName, ...call, dynamic: false } as DynamicToolUIPart;
}
