/**
 * The value that an unfinished JSON text spells so far.
 *
 * @module
 */

import { loadCore } from "./core-call.js";
import type { CoreGlue } from "./core-host.js";
import type { JSONValue } from "./message-types.js";
import type { RuntimeLoader } from "./runtime.js";

/** What became of a JSON text, perhaps an unfinished one. */
export interface PartialJSONResult {
  /** The value; `undefined` when there is none. */
  value: JSONValue | undefined;
  /**
   * - `undefined-input`: there is no text.
   * - `successful-parse`: the text is JSON as it stands.
   * - `repaired-parse`: it is unfinished, or goes on behind its value.
   * - `failed-parse`: it spells no value (yet).
   */
  state: "undefined-input" | "successful-parse" | "repaired-parse" | "failed-parse";
}

/** See `parsePartialJson` of the entries. */
export async function readPartialJson(
  loader: RuntimeLoader<CoreGlue>,
  text: string | undefined,
): Promise<PartialJSONResult> {
  if (text === undefined) return { value: undefined, state: "undefined-input" };
  const call = await loadCore(loader);
  const whole = escapeLoneSurrogates(text);
  const complete = call((core) => core.completeJson(whole));
  if (complete === undefined) return { value: undefined, state: "failed-parse" };
  return {
    value: JSON.parse(complete) as JSONValue,
    state: complete === whole ? "successful-parse" : "repaired-parse",
  };
}

/** UTF-8, in which text reaches the core, has no lone surrogates. What an escape has before it stays. */
function escapeLoneSurrogates(text: string): string {
  if (!/\p{Surrogate}/u.test(text)) return text;
  return text.replace(/\\[^]|\p{Surrogate}/gu, (found) =>
    found.startsWith("\\") ? found : `\\u${found.charCodeAt(0).toString(16)}`,
  );
}
