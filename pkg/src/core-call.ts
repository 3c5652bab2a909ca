/**
 * Calls of the core from outside a chat.
 *
 * @module
 */

import { type CoreGlue, isLost, lose } from "./core-host.js";
import { type ChatwireError, type ErrorPayload, makeError } from "./errors.js";
import type { Runtime, RuntimeLoader, WasmGlue } from "./runtime.js";

/** Calls one instance of a build. What it throws becomes an error of the package. */
export type CoreCall<GLUE extends WasmGlue = CoreGlue> = <T>(call: (glue: GLUE) => T) => T;

/** Loads a build, or replaces an instance that has failed. */
export async function loadCore<GLUE extends WasmGlue>(
  loader: RuntimeLoader<GLUE>,
): Promise<CoreCall<GLUE>> {
  const { current } = loader;
  return coreCall(
    current && isLost(current) ? await loader.restart(current) : await loader.load(),
  );
}

/** Calls this instance. When it traps, all its chats learn of it. */
export function coreCall<GLUE extends WasmGlue>(runtime: Runtime<GLUE>): CoreCall<GLUE> {
  return (call) => {
    if (isLost(runtime)) throw crashed(undefined);
    try {
      return call(runtime.glue);
    } catch (thrown) {
      if (typeof thrown === "string") throw makeError(JSON.parse(thrown) as ErrorPayload);
      if (!(thrown instanceof WebAssembly.RuntimeError)) throw thrown;
      const error = crashed(thrown);
      lose(runtime, error);
      throw error;
    }
  };
}

function crashed(cause: unknown): ChatwireError {
  return makeError({
    code: "runtime_crashed",
    message: "The WebAssembly instance failed. The next call starts a fresh one.",
    cause,
  });
}
