/**
 * A Markdown text that grows, as blocks.
 *
 * @module
 */

import * as glue from "../wasm/markdown/chatwire.js";
import { applyChanges } from "./markdown-changes.js";
import type { MarkdownBlock } from "./markdown-nodes.js";
import { type Runtime, type RuntimeLoader, type WasmGlue, WasmInstance } from "./runtime.js";

/** A text in the core (`MarkdownCore` in the crate's `src/web/markdown.rs`). */
interface MarkdownCore {
  push(text: string): void;
  finish(): void;
  changes(): string;
  free(): void;
}

/** What the `markdown` build exports. */
interface MarkdownGlue extends WasmGlue {
  readonly MarkdownCore: new (schemes: string[] | undefined) => MarkdownCore;
}

/** The one instance of the build, whichever entry point loads it. */
export const markdownInstance: WasmInstance<MarkdownGlue> = /* @__PURE__ */ new WasmInstance(
  glue as MarkdownGlue,
);

/** Loads the build. */
export type MarkdownLoader = RuntimeLoader<MarkdownGlue>;

/** What to do when the file is not found. */
export const MARKDOWN_REMEDY =
  "Serve the package's dist/markdown.wasm and call initMarkdown({ url }) with its address.";

/** What a text may contain. */
export interface MarkdownOptions {
  /**
   * The schemes that URLs of links and images may have, in lower case and without a colon. URLs
   * without a scheme are always allowed, `data` is for images only and never for SVG. Of a link that
   * is not allowed its text is shown, of an image its description. Default: `http`, `https`, `mailto`.
   */
  urlSchemes?: readonly string[];
}

/** A growing Markdown text and its blocks. */
export interface MarkdownStream {
  /** The text so far. */
  readonly text: string;
  /**
   * The blocks of the text so far. One that did not change is the same object as before; reading them
   * again without a change gives the same array. What is open at the end is closed for display. Before
   * the WebAssembly is loaded: one paragraph with the text as it is written.
   */
  readonly blocks: readonly MarkdownBlock[];
  /** Whether the WebAssembly is loaded, so that `blocks` are those of the text. */
  readonly isReady: boolean;
  /**
   * Loads the WebAssembly, if that was not done.
   *
   * @throws ChatwireError `wasm_not_found`, `wasm_blocked` or `wasm_invalid`.
   */
  ready(): Promise<void>;
  /** The text goes on with `text`. After `finish` the whole text is parsed anew. */
  append(text: string): void;
  /** The text is `text` now: it goes on if that begins with it, else it starts anew. */
  set(text: string): void;
  /** The text is complete: what is open at its end shows as it is written. */
  finish(): void;
}

/** A text in the core, on one instance of the WebAssembly. */
interface Parser {
  /** Freed when the text was complete. */
  core: MarkdownCore | undefined;
  readonly runtime: Runtime<MarkdownGlue>;
  /** How much of the text it has, in UTF-16 units. */
  length: number;
}

interface Root {
  readonly children: readonly MarkdownBlock[];
}

const EMPTY: Root = { children: [] };

/** The stream of an entry point. */
export class CoreMarkdownStream implements MarkdownStream {
  readonly #loader: MarkdownLoader;
  readonly #schemes: string[] | undefined;
  #text = "";
  #isFinished = false;
  #parser: Parser | undefined;
  #root = EMPTY;
  /** The text of `#root` where that is the text as it is written. */
  #plain: string | undefined;
  /** The text that the parser failed at. */
  #failed: string | undefined;

  constructor(loader: MarkdownLoader, { urlSchemes }: MarkdownOptions = {}) {
    this.#loader = loader;
    this.#schemes = urlSchemes && [...urlSchemes];
  }

  get text(): string {
    return this.#text;
  }

  get isReady(): boolean {
    return this.#loader.current !== undefined;
  }

  get blocks(): readonly MarkdownBlock[] {
    const runtime = this.#loader.current;
    if (!runtime || this.#failed === this.#text) return this.#plainBlocks();
    try {
      this.#parse(runtime);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      // Text that the parser fails at stays plain until it changes; others get a fresh instance.
      markdownInstance.replace(runtime);
      this.#parser = undefined;
      this.#failed = this.#text;
      return this.#plainBlocks();
    }
    return this.#root.children;
  }

  async ready(): Promise<void> {
    await this.#loader.load();
  }

  append(text: string): void {
    if (text === "") return;
    if (this.#isFinished) this.#restart();
    this.#text += text;
  }

  set(text: string): void {
    if (text === this.#text) return;
    if (this.#isFinished || !text.startsWith(this.#text)) this.#restart();
    this.#text = text;
  }

  finish(): void {
    this.#isFinished = true;
  }

  #restart(): void {
    this.#isFinished = false;
    const { core, runtime } = this.#parser ?? {};
    // Its memory is freed, unless it went with its instance.
    if (runtime === this.#loader.current) core?.free();
    this.#parser = undefined;
  }

  #parse(runtime: Runtime<MarkdownGlue>): void {
    if (this.#parser?.runtime !== runtime) {
      const core = new runtime.glue.MarkdownCore(this.#schemes);
      this.#parser = { core, runtime, length: 0 };
      this.#root = EMPTY;
      this.#plain = undefined;
    }
    const parser = this.#parser;
    const { core } = parser;
    if (!core) return;
    const text = this.#text;
    // Half a surrogate pair waits for the other half.
    const isHalf = !this.#isFinished && /[\ud800-\udbff]$/.test(text.slice(-1));
    const end = isHalf ? text.length - 1 : text.length;
    if (end === parser.length && !this.#isFinished) return;
    core.push(text.slice(parser.length, end));
    parser.length = end;
    if (this.#isFinished) core.finish();
    this.#root = applyChanges(this.#root, core.changes());
    if (this.#isFinished) {
      core.free();
      parser.core = undefined;
    }
  }

  #plainBlocks(): readonly MarkdownBlock[] {
    if (this.#plain !== this.#text) {
      const text = { type: "text", value: this.#text } as const;
      this.#root = this.#text === "" ? EMPTY : { children: [{ type: "paragraph", children: [text] }] };
      this.#plain = this.#text;
    }
    return this.#root.children;
  }
}
