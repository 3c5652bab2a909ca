/**
 * What an agent's server does with the messages of its clients, over one build of the crate.
 *
 * @module
 */

import * as glue from "../wasm/full/chatwire.js";
import type { UIMessageChunk } from "./chunk-types.js";
import { type CoreCall, loadCore } from "./core-call.js";
import type { ValidationIssue } from "./errors.js";
import { losslessStringify } from "./lossless.js";
import type { UIMessage } from "./message-types.js";
import { rawTexts } from "./raw-json.js";
import { type RuntimeLoader, type WasmGlue, WasmInstance } from "./runtime.js";
import { checkSchema, type FlexibleSchema } from "./schema.js";

/** What the `full` build exports for this (`src/web/agent.rs` of the crate). */
export interface AgentGlue extends WasmGlue {
  mergeClientToolResponses(
    stored: string,
    incoming: string,
    clientTools: string[] | undefined,
  ): string[];
  applyStep(draft: string | undefined, chunks: string): string[];
  pruneContext(
    messages: string,
    budgetTokens: number,
    pinnedTools: string[],
    snapshotTools: string[],
    count: ((text: string) => number) | undefined,
  ): string[];
  repairToolInput(text: string, options: string): string;
  reviewPatch(document: string, input: string, base: string | undefined): string[];
}

/** The one instance of the build, whichever entry point loads it. */
export const full: WasmInstance<AgentGlue> = /* @__PURE__ */ new WasmInstance(glue as AgentGlue);

/** What to do when the file is not found. */
export const AGENT_REMEDY =
  "Serve the package's dist/full.wasm and call initAgent({ url }) with its address.";

/** Why an answer of a client was refused. */
export type ClientToolRejection =
  /** The stored message has no tool call with this id. */
  | "unknown_tool_call"
  /** The stored tool call does not ask for this approval. */
  | "unknown_approval"
  /** The tool, its input or what the approval asks is not what was stored. */
  | "request_altered"
  /** The server or the provider runs this tool. */
  | "not_a_client_tool"
  /** The call waits for an approval, which the client did not give. */
  | "awaits_approval"
  /** The call's input is not complete. */
  | "not_ready"
  /** The call has another answer already. */
  | "conflicting_answer"
  /** The answer is not what its state demands. */
  | "invalid_answer";

/** What `mergeClientToolResponses` gives. A tool call is in at most one of the lists. */
export interface MergedToolResponses<UI_MESSAGE extends UIMessage> {
  /** The stored message with the answers. `rawJson` gives its exact text, to be stored. */
  readonly message: UI_MESSAGE;
  /** The tool calls that took an answer, by `toolCallId`. */
  readonly merged: readonly string[];
  /** Those that had this very answer already: a request with only such ones is a repeat. */
  readonly alreadyResolved: readonly string[];
  /** Those whose answer was refused; for the message it is as if it had not come. */
  readonly rejected: readonly { readonly toolCallId: string; readonly reason: ClientToolRejection }[];
}

/** What `applyStep` gives. */
export interface AppliedStep<UI_MESSAGE extends UIMessage> {
  /** The draft with the step. `rawJson` gives its exact text, to be stored. */
  readonly message: UI_MESSAGE;
  /** The response is complete. */
  readonly finished: boolean;
}

/** How `pruneContext` prunes. */
export interface PruneContextOptions {
  /** How many tokens the messages may take. */
  readonly budgetTokens: number;
  /** Tools whose calls and results stay. Default: none. */
  readonly pinnedTools?: readonly string[];
  /** Tools whose output is a snapshot of the document: only the newest stays. Default: none. */
  readonly snapshotTools?: readonly string[];
  /** How many tokens a text takes. Attachments are not counted by their text. Default: a token per 4 bytes. */
  readonly estimate?: (text: string) => number;
}

/** What `pruneContext` gives. */
export interface PrunedContext<UI_MESSAGE extends UIMessage> {
  /** As many messages as before; those of which nothing was taken out are the same objects. */
  readonly messages: UI_MESSAGE[];
  /** How many tokens they are estimated to take. */
  readonly tokens: number;
  /**
   * What was taken out, in this order: 0 = a superseded snapshot, 1 = reasoning, 2 = a tool call with
   * its result, 3 = an attachment.
   */
  readonly applied: readonly {
    readonly tier: 0 | 1 | 2 | 3;
    readonly messageId: string;
    readonly toolCallId?: string;
  }[];
  /** They do not fit, though nothing more may be taken out. */
  readonly overBudget: boolean;
}

/** What `repairToolInput` has to know of the tool. */
export interface RepairToolInputOptions {
  /** What the input must match. Default: any. */
  readonly schema?: FlexibleSchema;
  /** JSON pointers that models put before the paths of a patch, like `/data`. Default: none. */
  readonly pathPrefixes?: readonly string[];
  /** Beginnings of paths that models abbreviate, and what they stand for. Default: none. */
  readonly shortcuts?: Readonly<Record<string, string>>;
}

/** Something that was repaired. */
export type ToolInputRepair =
  | "prose"
  | "comment"
  | "quotes"
  | "comma"
  | "literal"
  | "escape"
  | "closed"
  | "unwrapped"
  | "path_prefix"
  | "path_shortcut";

/** What `repairToolInput` gives. */
export type RepairedToolInput =
  | {
      readonly ok: true;
      /** Valid JSON that matches the schema; the given text where nothing was wrong. */
      readonly text: string;
      readonly repairs: readonly ToolInputRepair[];
    }
  | {
      readonly ok: false;
      /** Why; the model is to be asked again. */
      readonly reason: "invalid_json" | "truncated" | "limit_exceeded" | "forbidden_key" | "invalid_value";
      /** Where the text is not JSON, in bytes. */
      readonly offset?: number;
      /** What the schema has against the value. */
      readonly issues?: readonly ValidationIssue[];
    };

/** One operation of a JSON Patch. */
export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** What one operation of a patch does, for people. */
export interface PatchRow {
  /** `changed`: a value takes the place of another one; `unchanged`: of an equal one. `unknown`: no operation. */
  readonly op:
    | "added"
    | "removed"
    | "changed"
    | "unchanged"
    | "moved"
    | "copied"
    | "tested"
    | "unknown";
  /** A JSON Pointer, with the index that `-` stood for. */
  readonly path: string;
  /** From where, of what is moved or copied. */
  readonly from?: string;
  /** What was there; absent when nothing was. */
  readonly before?: unknown;
  /** What is there then; absent when nothing is. */
  readonly after?: unknown;
  /** The same in words, on one line, without characters that are not to be seen. */
  readonly text: string;
  /** Why it cannot be applied; `not_reached` when one before it cannot. */
  readonly fault?:
    | "unknown_op"
    | "invalid_path"
    | "missing_value"
    | "missing_path"
    | "invalid_index"
    | "test_failed"
    | "into_itself"
    | "forbidden_key"
    | "removes_root"
    | "limit_exceeded"
    | "not_reached";
}

/** Something that a patch touches and that is not as the model saw it. */
export interface PatchConflict {
  readonly path: string;
  /**
   * `changed`: the value is another one. `drift`: an array on the way has other elements, so that an
   * index means another one.
   */
  readonly kind: "changed" | "drift";
  /** What the model saw; absent when nothing was there. */
  readonly base?: unknown;
  /** What is there now; absent when nothing is. */
  readonly current?: unknown;
}

/** What `reviewPatch` gives. */
export interface ReviewedPatch<DOCUMENT = unknown> {
  /** The document with every operation before the first one that cannot be applied. `rawJson` gives its text. */
  readonly preview: DOCUMENT;
  /** One for each operation that is complete. */
  readonly rows: readonly PatchRow[];
  /** Where the document changes, as JSON Pointers, each once. */
  readonly changedPaths: readonly string[];
  /** What others changed meanwhile where the patch touches it; nothing without `base`. */
  readonly conflicts: readonly PatchConflict[];
  /** A patch that makes the document of the preview again. */
  readonly inverse: readonly JsonPatchOperation[];
  /** The whole input has come. */
  readonly complete: boolean;
}

/** A message, or its JSON text. */
export type MessageInput<UI_MESSAGE extends UIMessage> = UI_MESSAGE | string;

/** The functions of `chatwire/agent` over a loader. */
export class AgentFunctions {
  readonly #loader: RuntimeLoader<AgentGlue>;

  constructor(loader: RuntimeLoader<AgentGlue>) {
    this.#loader = loader;
  }

  /** See `mergeClientToolResponses` of the entry. */
  async merge<UI_MESSAGE extends UIMessage>(
    stored: MessageInput<UI_MESSAGE>,
    incoming: MessageInput<UIMessage>,
    clientTools: readonly string[] | undefined,
  ): Promise<MergedToolResponses<UI_MESSAGE>> {
    const call = await this.#load();
    const [rest = "", message = ""] = call((glue) =>
      glue.mergeClientToolResponses(textOf(stored), textOf(incoming), clientTools && [...clientTools]),
    );
    return { message: readMessage(message), ...JSON.parse(rest) };
  }

  /** See `applyStep` of the entry. */
  async applyStep<UI_MESSAGE extends UIMessage>(
    draft: MessageInput<UI_MESSAGE> | undefined,
    chunks: readonly UIMessageChunk[] | string,
  ): Promise<AppliedStep<UI_MESSAGE>> {
    const call = await this.#load();
    const text = draft === undefined ? undefined : textOf(draft);
    const [rest = "", message = ""] = call((glue) => glue.applyStep(text, textOf(chunks)));
    return { message: readMessage(message), ...JSON.parse(rest) };
  }

  /** See `pruneContext` of the entry. */
  async prune<UI_MESSAGE extends UIMessage>(
    messages: readonly UI_MESSAGE[] | string,
    { budgetTokens, pinnedTools = [], snapshotTools = [], estimate }: PruneContextOptions,
  ): Promise<PrunedContext<UI_MESSAGE>> {
    const call = await this.#load();
    const [rest = "", ...texts] = call((glue) =>
      glue.pruneContext(
        textOf(messages),
        budgetTokens,
        [...pinnedTools],
        [...snapshotTools],
        estimate,
      ),
    );
    const given = typeof messages === "string" ? (JSON.parse(messages) as UI_MESSAGE[]) : messages;
    const pruned = given.map((message, index) => {
      const text = texts[index];
      return text ? readMessage<UI_MESSAGE>(text) : message;
    });
    return { messages: pruned, ...(JSON.parse(rest) as Omit<PrunedContext<UI_MESSAGE>, "messages">) };
  }

  /** See `repairToolInput` of the entry. */
  async repair(
    text: string,
    { schema, pathPrefixes = [], shortcuts = {} }: RepairToolInputOptions,
  ): Promise<RepairedToolInput> {
    const call = await this.#load();
    const options = JSON.stringify({ pathPrefixes, shortcuts });
    const { readings, ...failure } = JSON.parse(
      call((glue) => glue.repairToolInput(text, options)),
    ) as { readings?: { text: string; repairs: ToolInputRepair[] }[] };
    if (!readings) return { ok: false, ...failure } as RepairedToolInput;
    let issues: readonly ValidationIssue[] | undefined;
    for (const reading of readings) {
      if (schema === undefined) return { ok: true, ...reading };
      const checked = await checkSchema(schema, JSON.parse(reading.text));
      if (checked.success) return { ok: true, ...reading };
      issues ??= checked.error.issues;
    }
    return { ok: false, reason: "invalid_value", ...(issues && { issues }) };
  }

  /** See `reviewPatch` of the entry. */
  async review<DOCUMENT>(
    document: DOCUMENT,
    inputText: string,
    base: unknown,
  ): Promise<ReviewedPatch<DOCUMENT>> {
    const call = await this.#load();
    const baseText = base === undefined ? undefined : documentText(base);
    const [rest = "", preview = ""] = call((glue) =>
      glue.reviewPatch(documentText(document), inputText, baseText),
    );
    return { preview: readDocument(preview), ...JSON.parse(rest) };
  }

  #load(): Promise<CoreCall<AgentGlue>> {
    return loadCore(this.#loader);
  }
}

/** The exact text, where it is known. */
function textOf(value: object | string): string {
  if (typeof value === "string") return value;
  return losslessStringify(value, (inner) => rawTexts.get(inner)) ?? "null";
}

/** The same of a document: a text is one, too. */
function documentText(document: unknown): string {
  return losslessStringify(document, (inner) => rawTexts.get(inner)) ?? "null";
}

/** A message, whose exact text is kept. */
function readMessage<UI_MESSAGE extends UIMessage>(text: string): UI_MESSAGE {
  return readDocument(text);
}

function readDocument<T>(text: string): T {
  const value = JSON.parse(text) as T;
  if (typeof value === "object" && value !== null) rawTexts.set(value, text);
  return value;
}
