/**
 * Loading the WebAssembly: where the bytes come from, one instance per build, a fresh instance after
 * a crash.
 *
 * @module
 */

import { type ChatwireErrorCode, ChatwireError, makeError } from "./errors.js";

/** A compiled module. Not named by its global, so that servers can compile without the DOM's types. */
type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer M } } }
  ? M
  : object;

/** Where the WebAssembly comes from. */
export type WasmSource =
  /** Fetched with the page's credentials, compiled while it arrives. */
  | { url: string | URL }
  /** The file's content. */
  | { bytes: ArrayBuffer | ArrayBufferView }
  /** The answer to a request for the file. */
  | { response: Response | PromiseLike<Response> }
  /** Compiled before; the only form in environments that forbid compiling at run time. */
  | { module: CompiledModule };

/** What wasm-bindgen generates for each build, as far as loading needs it. */
export interface WasmGlue {
  /** Instantiates the module. Later calls give the first instance. */
  default(input: { module_or_path: CompiledModule }): Promise<unknown>;
  /** Replaces the instance by a fresh one of the same module. Objects of the old one become invalid. */
  __wbg_reset_state(): void;
}

/** A live instance. */
export interface Runtime<GLUE extends WasmGlue = WasmGlue> {
  readonly glue: GLUE;
  /** Counts the instances. Objects of another generation must not be used, nor freed. */
  readonly generation: number;
}

/** The one live instance of a build, shared by all entry points that load it. */
export class WasmInstance<GLUE extends WasmGlue> {
  readonly #glue: GLUE;
  #runtime: Runtime<GLUE> | undefined;

  constructor(glue: GLUE) {
    this.#glue = glue;
  }

  /** The live instance, or `undefined` before the first start. */
  get current(): Runtime<GLUE> | undefined {
    return this.#runtime;
  }

  /** Starts the first instance. */
  async start(module: CompiledModule): Promise<Runtime<GLUE>> {
    await this.#glue.default({ module_or_path: module });
    return (this.#runtime ??= { glue: this.#glue, generation: 1 });
  }

  /**
   * Replaces `crashed` by a fresh instance. Without effect when that was done before: every chat of
   * an instance notices its crash, one fresh instance serves them all.
   */
  replace(crashed: Runtime<GLUE>): Runtime<GLUE> {
    if (this.#runtime !== crashed) return this.#runtime ?? crashed;
    this.#glue.__wbg_reset_state();
    return (this.#runtime = { glue: this.#glue, generation: crashed.generation + 1 });
  }
}

/** Loads one build from one place. */
export interface RuntimeLoader<GLUE extends WasmGlue = WasmGlue> {
  /** The live instance, or `undefined` while there is none. */
  readonly current: Runtime<GLUE> | undefined;
  /** The live instance; the first call starts it. A failed start is tried again by the next call. */
  load(): Promise<Runtime<GLUE>>;
  /** The same; `source` takes the place of the loader's own while nothing is loaded. */
  init(source?: WasmSource): Promise<void>;
  /** A fresh instance in place of `crashed` (default: of the live one). */
  restart(crashed?: Runtime<GLUE>): Promise<Runtime<GLUE>>;
}

const CORE_REMEDY =
  `Serve the package's dist/core.wasm and call init({ url }) with its address, ` +
  `or import from "chatwire/inline", which needs no file.`;

/**
 * A loader for a build. `defaultSource` is called when the WebAssembly is first needed, `remedy` says
 * what to do when it is not found.
 */
export function createLoader<GLUE extends WasmGlue>(
  instance: WasmInstance<GLUE>,
  defaultSource: () => WasmSource | Promise<WasmSource>,
  remedy: string = CORE_REMEDY,
): RuntimeLoader<GLUE> {
  let source: () => WasmSource | Promise<WasmSource> = defaultSource;
  let loading: Promise<Runtime<GLUE>> | undefined;

  async function start(): Promise<Runtime<GLUE>> {
    try {
      return await instance.start(await compile(await resolveSource(source)));
    } catch (error) {
      throw asLoadError(error, remedy);
    }
  }

  const loader: RuntimeLoader<GLUE> = {
    get current() {
      return instance.current;
    },
    async load() {
      if (instance.current) return instance.current;
      if (!loading) {
        loading = start();
        loading.catch(() => (loading = undefined));
      }
      return loading;
    },
    async init(given) {
      if (given) source = () => given;
      await loader.load();
    },
    async restart(crashed = instance.current) {
      return crashed ? instance.replace(crashed) : loader.load();
    },
  };
  return loader;
}

async function resolveSource(source: () => WasmSource | Promise<WasmSource>): Promise<WasmSource> {
  try {
    return await source();
  } catch (cause) {
    // E.g. there is no import.meta.url in a classic script.
    throw new NotFound("The package's WebAssembly could not be located", cause);
  }
}

async function compile(source: WasmSource): Promise<CompiledModule> {
  if (typeof WebAssembly === "undefined") {
    throw makeError({ code: "unsupported", message: "This environment has no WebAssembly." });
  }
  if ("module" in source) return source.module;
  if ("bytes" in source) return compileBytes(source.bytes, "the given bytes", undefined);
  const response = "url" in source ? await fetchWasm(source.url) : await source.response;
  return compileResponse(response);
}

async function fetchWasm(url: string | URL): Promise<Response> {
  try {
    return await fetch(url);
  } catch (cause) {
    throw new NotFound(`The request for ${url} failed`, cause);
  }
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  const place = response.url || "the given response";
  if (!response.ok) throw new NotFound(`The request for ${place} gave HTTP ${response.status}`);

  const mimeType = response.headers.get("content-type");
  // Streaming accepts only this exact type; servers that do not know it are common.
  if (mimeType === "application/wasm" && "compileStreaming" in WebAssembly) {
    return WebAssembly.compileStreaming(response);
  }
  return compileBytes(await response.arrayBuffer(), place, mimeType);
}

async function compileBytes(
  bytes: ArrayBuffer | ArrayBufferView,
  place: string,
  mimeType: string | null | undefined,
): Promise<WebAssembly.Module> {
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  if (!startsAsWasm(view)) {
    const found = mimeType ? `a file of type "${mimeType}"` : "another kind of file";
    throw new NotFound(`Instead of WebAssembly, ${place} gave ${found}`);
  }
  return WebAssembly.compile(view as Uint8Array<ArrayBuffer>);
}

function startsAsWasm(bytes: Uint8Array): boolean {
  return [0x00, 0x61, 0x73, 0x6d].every((byte, index) => bytes[index] === byte);
}

/** The WebAssembly is not where it was looked for. */
class NotFound extends Error {
  constructor(what: string, cause?: unknown) {
    super(what, { cause });
  }
}

/** An error that names the remedy. */
function asLoadError(error: unknown, remedy: string): ChatwireError {
  if (ChatwireError.isInstance(error)) return error;
  if (error instanceof NotFound) {
    const message = `${error.message}. ${remedy}`;
    return makeError({ code: "wasm_not_found", message, cause: error.cause });
  }
  const text = error instanceof Error ? error.message : String(error);
  // Each engine has its own error for this; what they share is the name of the policy.
  const blocked = /unsafe-eval|content.security.policy|\bCSP\b/i.test(text);
  const [code, message]: [ChatwireErrorCode, string] = blocked
    ? [
        "wasm_blocked",
        "The page's Content-Security-Policy forbids WebAssembly. Add 'wasm-unsafe-eval' to script-src.",
      ]
    : [
        "wasm_invalid",
        `The WebAssembly could not be started (${text}). Is it the file of this package version?`,
      ];
  return makeError({ code, message, cause: error });
}
