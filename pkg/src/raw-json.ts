/**
 * The exact JSON text behind what the runtime received.
 *
 * @module
 */

/** Filled by the views of all chats, so that a message keeps its text when it moves to another one. */
export const rawTexts: WeakMap<object, string> = /* @__PURE__ */ new WeakMap();

/**
 * The JSON text that `value` was received as: an object or array inside a message, such as
 * `part.input`, `part.output` or `message.metadata`. `undefined` for anything else.
 *
 * Numbers keep their spelling in it, as do keys their order: what a person is to approve is best
 * shown from this text.
 */
export function rawJson(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? rawTexts.get(value) : undefined;
}
