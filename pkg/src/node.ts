/**
 * `chatwire` in Node, which cannot fetch a file.
 *
 * @module
 */

import { readFile } from "node:fs/promises";
import { AbstractChat } from "./chat.js";
import { core } from "./core.js";
import { type PartialJSONResult, readPartialJson } from "./partial-json.js";
import {
  type AsyncIterableStream,
  readMessages,
  type ReadUIMessageStreamOptions,
} from "./read-ui-message-stream.js";
import { createLoader, type WasmSource } from "./runtime.js";
import {
  CoreChatTransport,
  type DefaultChatTransportOptions,
  type HttpChatTransportInitOptions,
} from "./transports.js";
import type { UIMessage } from "./types.js";
import {
  type SafeValidateUIMessagesResult,
  safeValidate,
  validate,
  type ValidateUIMessagesOptions,
} from "./validate.js";

export * from "./api.js";

const loader = /* @__PURE__ */ createLoader(core, readWasm);

/**
 * Loads the WebAssembly now instead of with the first request of a chat, or from `source` instead of
 * the package's own file. Later calls wait for the same load; after a failure the next call tries again.
 *
 * @throws ChatwireError `wasm_not_found`, `wasm_blocked` or `wasm_invalid`.
 */
export function init(source?: WasmSource): Promise<void> {
  return loader.init(source);
}

/**
 * Checks messages, from a database or a client: their structure, and what there are schemas for. Gives
 * them with what the schemas make of metadata and data; what they do not know of a message stays in it.
 *
 * @throws ChatwireError `invalid_value` (`AI_TypeValidationError`) with `issues`: every fault, up to 100.
 *   Values are checked where the structure is right.
 */
export function validateUIMessages<UI_MESSAGE extends UIMessage>(
  options: ValidateUIMessagesOptions<UI_MESSAGE>,
): Promise<UI_MESSAGE[]> {
  return validate(loader, options);
}

/** The same, but gives the error instead of throwing it. */
export function safeValidateUIMessages<UI_MESSAGE extends UIMessage>(
  options: ValidateUIMessagesOptions<UI_MESSAGE>,
): Promise<SafeValidateUIMessagesResult<UI_MESSAGE>> {
  return safeValidate(loader, options);
}

/** The value that an unfinished JSON text spells so far: what is open is closed. */
export function parsePartialJson(text: string | undefined): Promise<PartialJSONResult> {
  return readPartialJson(loader, text);
}

/**
 * Reads the message of a response from its chunks, without a chat: gives its states, one for each chunk
 * that changed it. What did not change in a state is the same object as before.
 */
export function readUIMessageStream<UI_MESSAGE extends UIMessage = UIMessage>(
  options: ReadUIMessageStreamOptions<UI_MESSAGE>,
): AsyncIterableStream<UI_MESSAGE> {
  return readMessages(loader, options);
}

/** A chat: its messages, its state, and what a user does with it. */
export class Chat<UI_MESSAGE extends UIMessage = UIMessage> extends AbstractChat<UI_MESSAGE> {
  protected override createDefaultTransport(): DefaultChatTransport<UI_MESSAGE> {
    return new DefaultChatTransport();
  }
}

/** Reaches a server that answers with the AI SDK UI message stream. */
export class DefaultChatTransport<
  UI_MESSAGE extends UIMessage = UIMessage,
> extends CoreChatTransport<UI_MESSAGE> {
  constructor(options: DefaultChatTransportOptions<UI_MESSAGE> = {}) {
    super(options, "ui-stream", loader);
  }
}

/** Reaches a server that answers with plain text. */
export class TextStreamChatTransport<
  UI_MESSAGE extends UIMessage = UIMessage,
> extends CoreChatTransport<UI_MESSAGE> {
  constructor(options: HttpChatTransportInitOptions<UI_MESSAGE> = {}) {
    super(options, "text", loader);
  }
}

async function readWasm(): Promise<WasmSource> {
  return { bytes: await readFile(new URL("./core.wasm", import.meta.url)) };
}
