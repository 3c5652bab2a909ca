/**
 * `chatwire/markdown` in Node, which cannot fetch a file.
 *
 * @module
 */

import { readFile } from "node:fs/promises";
import {
  DomMarkdownView,
  type MarkdownView,
  type PageElement,
  type RenderMarkdownOptions,
} from "./markdown-dom.js";
import {
  CoreMarkdownStream,
  markdownInstance,
  MARKDOWN_REMEDY,
  type MarkdownOptions,
  type MarkdownStream,
} from "./markdown-stream.js";
import { createLoader, type WasmSource } from "./runtime.js";

export type { MarkdownView, RenderMarkdownOptions } from "./markdown-dom.js";
export type {
  MarkdownBlock,
  MarkdownInline,
  MarkdownNode,
  MarkdownNodeOf,
} from "./markdown-nodes.js";
export type { MarkdownOptions, MarkdownStream } from "./markdown-stream.js";
export type { WasmSource } from "./runtime.js";

const loader = /* @__PURE__ */ createLoader(
  markdownInstance,
  async () => ({ bytes: await readFile(new URL("./markdown.wasm", import.meta.url)) }),
  MARKDOWN_REMEDY,
);

/**
 * Loads the WebAssembly, from `source` instead of the package's own file if it is given. Later calls
 * wait for the same load; after a failure the next call tries again.
 *
 * @throws ChatwireError `wasm_not_found`, `wasm_blocked` or `wasm_invalid`.
 */
export function initMarkdown(source?: WasmSource): Promise<void> {
  return loader.init(source);
}

/** An empty Markdown text. It is parsed once the WebAssembly is loaded. */
export function createMarkdown(options?: MarkdownOptions): MarkdownStream {
  return new CoreMarkdownStream(loader, options);
}

/**
 * Shows a Markdown text in `element`, in place of what is there. Loads the WebAssembly; until then the
 * text shows as it is written. Of a change only what changed is made anew.
 */
export function renderMarkdown(element: PageElement, options?: RenderMarkdownOptions): MarkdownView {
  return new DomMarkdownView(new CoreMarkdownStream(loader, options), element, options);
}
