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
  const completed = call((core) => core.completeJson(encodeWtf8(text)));
  if (completed === undefined) return { value: undefined, state: "failed-parse" };
  return completed === ""
    ? { value: JSON.parse(text) as JSONValue, state: "successful-parse" }
    : { value: JSON.parse(completed) as JSONValue, state: "repaired-parse" };
}

/** UTF-8 in which lone surrogates, which a model may cut a text at, are kept as three bytes each. */
function encodeWtf8(text: string): Uint8Array {
  const encoder = new TextEncoder();
  if (!/\p{Surrogate}/u.test(text)) return encoder.encode(text);
  const pieces = text.split(/(\p{Surrogate})/u).map((piece, index) => {
    const isSurrogate = index % 2 === 1;
    return isSurrogate ? surrogateBytes(piece.charCodeAt(0)) : [...encoder.encode(piece)];
  });
  return Uint8Array.from(pieces.flat());
}

function surrogateBytes(unit: number): number[] {
  return [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
}
