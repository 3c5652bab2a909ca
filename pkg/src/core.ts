/**
 * The `core` build: the AI SDK UI message stream.
 *
 * @module
 */

import * as glue from "../wasm/core/chatwire.js";
import { WasmInstance } from "./runtime.js";

/** The one instance of the build, whichever entry point loads it. */
export const core: WasmInstance<typeof glue> = /* @__PURE__ */ new WasmInstance(glue);
