/**
 * `chatwire` in Node, which cannot fetch a file.
 *
 * @module
 */

import { readFile } from "node:fs/promises";
import { AbstractChat } from "./chat.js";
import { core } from "./core.js";
import { createLoader, type WasmSource } from "./runtime.js";
import {
  type DefaultChatTransportOptions,
  HttpChatTransport,
  type HttpChatTransportInitOptions,
} from "./transports.js";
import type { UIMessage } from "./types.js";

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

/** A chat: its messages, its state, and what a user does with it. */
export class Chat<UI_MESSAGE extends UIMessage = UIMessage> extends AbstractChat<UI_MESSAGE> {
  protected override createDefaultTransport(): DefaultChatTransport<UI_MESSAGE> {
    return new DefaultChatTransport();
  }
}

/** Reaches a server that answers with the AI SDK UI message stream. */
export class DefaultChatTransport<
  UI_MESSAGE extends UIMessage = UIMessage,
> extends HttpChatTransport<UI_MESSAGE> {
  constructor(options: DefaultChatTransportOptions<UI_MESSAGE> = {}) {
    super(options, "ui-stream", loader);
  }
}

/** Reaches a server that answers with plain text. */
export class TextStreamChatTransport<
  UI_MESSAGE extends UIMessage = UIMessage,
> extends HttpChatTransport<UI_MESSAGE> {
  constructor(options: HttpChatTransportInitOptions<UI_MESSAGE> = {}) {
    super(options, "text", loader);
  }
}

async function readWasm(): Promise<WasmSource> {
  return { bytes: await readFile(new URL("./core.wasm", import.meta.url)) };
}
