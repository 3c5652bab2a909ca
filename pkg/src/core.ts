/**
 * The `core` build: the AI SDK UI message stream.
 *
 * @module
 */

import * as glue from "../wasm/core/chatwire.js";
import type { CoreGlue } from "./core-host.js";
import { WasmInstance } from "./runtime.js";

/** The one instance of the build, whichever entry point loads it. */
export const core: WasmInstance<CoreGlue> = /* @__PURE__ */ new WasmInstance(glue);
