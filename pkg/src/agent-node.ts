/**
 * `chatwire/agent` in Node, which cannot fetch a file: what an agent's server does with the messages of its clients.
 *
 * @module
 */

import { readFile } from "node:fs/promises";
import {
  AGENT_REMEDY,
  AgentFunctions,
  type AppliedStep,
  full,
  type MergedToolResponses,
  type MessageInput,
  type PruneContextOptions,
  type PrunedContext,
  type RepairedToolInput,
  type RepairToolInputOptions,
  type ReviewedPatch,
} from "./agent-functions.js";
import type { UIMessageChunk } from "./chunk-types.js";
import type { UIMessage } from "./message-types.js";
import { createLoader, type WasmSource } from "./runtime.js";

export type {
  AppliedStep,
  ClientToolRejection,
  JsonPatchOperation,
  MergedToolResponses,
  MessageInput,
  PatchConflict,
  PatchRow,
  PruneContextOptions,
  PrunedContext,
  RepairedToolInput,
  RepairToolInputOptions,
  ReviewedPatch,
  ToolInputRepair,
} from "./agent-functions.js";
export { rawJson } from "./raw-json.js";
export type { WasmSource } from "./runtime.js";

const loader = /* @__PURE__ */ createLoader(
  full,
  async () => ({ bytes: await readFile(new URL("./full.wasm", import.meta.url)) }),
  AGENT_REMEDY,
);
const functions = /* @__PURE__ */ new AgentFunctions(loader);

/**
 * Loads the WebAssembly, from `source` instead of the package's own file if it is given. Later calls
 * wait for the same load; after a failure the next call tries again.
 *
 * @throws ChatwireError `wasm_not_found`, `wasm_blocked` or `wasm_invalid`.
 */
export function initAgent(source?: WasmSource): Promise<void> {
  return loader.init(source);
}

/**
 * Merges a client's tool outputs and approval answers into the message that the server stored. Calls
 * are matched by `toolCallId`, approvals by their id, too. Taken from the client are `output` or
 * `errorText`, and `approved` with its `reason`; everything else stays as it is stored, byte for byte.
 *
 * @param options `clientTools`: the tools that the client runs; with a list no other one takes an output
 *   from it. Default: any that waits with its input, and needs no approval.
 * @throws ChatwireError `invalid_message`, `limit_exceeded` or `forbidden_key`.
 */
export function mergeClientToolResponses<UI_MESSAGE extends UIMessage = UIMessage>(
  stored: MessageInput<UI_MESSAGE>,
  incoming: MessageInput<UIMessage>,
  { clientTools }: { readonly clientTools?: readonly string[] } = {},
): Promise<MergedToolResponses<UI_MESSAGE>> {
  return functions.merge(stored, incoming, clientTools);
}

/**
 * Folds the chunks of a step into the draft of an answer, as the clients do. Without a draft a message
 * is begun, with the id of the chunk `start`.
 *
 * @throws ChatwireError `invalid_message`: the draft is no assistant's message; `invalid_chunk`,
 *   `stream_order` or `limit_exceeded`: a chunk does not fit; `message_mismatch`: a chunk `start` names
 *   another message.
 */
export function applyStep<UI_MESSAGE extends UIMessage = UIMessage>(
  draft: MessageInput<UI_MESSAGE> | undefined,
  chunks: readonly UIMessageChunk[] | string,
): Promise<AppliedStep<UI_MESSAGE>> {
  return functions.applyStep(draft, chunks);
}

/**
 * Makes messages fit a budget for the model, the least valuable first: superseded snapshots (whatever
 * the budget), reasoning of old messages, the oldest tool calls with their results, attachments of old
 * messages. Instructions, the latest messages and what waits for a person stay. For this request only:
 * store the originals.
 *
 * @throws ChatwireError `invalid_message`, `limit_exceeded` or `forbidden_key`; what `estimate` throws.
 */
export function pruneContext<UI_MESSAGE extends UIMessage = UIMessage>(
  messages: readonly UI_MESSAGE[] | string,
  options: PruneContextOptions,
): Promise<PrunedContext<UI_MESSAGE>> {
  return functions.prune(messages, options);
}

/**
 * Repairs the input that a model wrote for a tool: broken JSON, and the paths of a JSON Patch. What may
 * mean several things is not guessed.
 */
export function repairToolInput(
  text: string,
  options: RepairToolInputOptions = {},
): Promise<RepairedToolInput> {
  return functions.repair(text, options);
}

/**
 * What the JSON Patch in a tool's input would do to a document, for the person who is to approve it:
 * rows in words, a preview, and a patch that takes it back. The input may still be arriving. It is the
 * list of operations, or an object that has it.
 *
 * @param options `base`: the document that the model saw, when the present one may be another. What
 *   others have changed where the patch touches it is then a conflict; nothing is put right.
 * @throws ChatwireError `invalid_document`: not JSON; `invalid_patch`: the input is not JSON or has no
 *   operations; `limit_exceeded`: more than 2,000 operations, or nested too deep; `forbidden_key`.
 */
export function reviewPatch<DOCUMENT = unknown>(
  document: DOCUMENT,
  inputText: string,
  { base }: { readonly base?: unknown } = {},
): Promise<ReviewedPatch<DOCUMENT>> {
  return functions.review(document, inputText, base);
}
