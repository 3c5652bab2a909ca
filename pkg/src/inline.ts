/**
 * `chatwire/inline`: the WebAssembly is part of the JavaScript. About a quarter more bytes; for
 * bundlers that do not copy files, and for single-file scripts.
 *
 * @module
 */

import coreBase64 from "../wasm/core.wasm";
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

// Not a data: URL: `connect-src` would have to allow it.
const loader = /* @__PURE__ */ createLoader(core, () => ({ bytes: decodeBase64(coreBase64) }));

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

function decodeBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
