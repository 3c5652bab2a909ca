/**
 * `JSON.stringify` that keeps the received text of values which the runtime has received.
 *
 * @module
 */

import { makeError } from "./errors.js";

/** The exact JSON text behind an object, or `undefined` if it is not known. */
export type RawText = (value: object) => string | undefined;

/**
 * The JSON text of `value`, as `JSON.stringify(value)` gives it, except that an object for which
 * `rawText` has a text is written as that text.
 *
 * `undefined` for a value that has no JSON text (`undefined`, a function, a symbol).
 *
 * @throws ChatwireError `not_serializable` for a BigInt or a cycle.
 */
export function losslessStringify(value: unknown, rawText: RawText): string | undefined {
  return stringifyProperty(value, "", rawText, []);
}

/** `ancestors`: the containers that are being written; meeting one of them again is a cycle. */
function stringifyProperty(
  value: unknown,
  key: string,
  rawText: RawText,
  ancestors: object[],
): string | undefined {
  const plain = unbox(applyToJSON(value, key));
  if (typeof plain === "bigint") {
    throw makeError({
      code: "not_serializable",
      message: `JSON cannot hold the BigInt at "${key}". Send it as a string.`,
      value: plain,
    });
  }
  if (typeof plain !== "object" || plain === null) return JSON.stringify(plain);

  const raw = rawText(plain);
  if (raw !== undefined) return raw;
  if (ancestors.includes(plain)) {
    throw makeError({
      code: "not_serializable",
      message: `JSON cannot hold the cycle at "${key}".`,
      value: plain,
    });
  }
  ancestors.push(plain);
  const text = Array.isArray(plain)
    ? stringifyArray(plain, rawText, ancestors)
    : stringifyObject(plain, rawText, ancestors);
  ancestors.pop();
  return text;
}

function stringifyArray(array: unknown[], rawText: RawText, ancestors: object[]): string {
  const items: string[] = [];
  for (let index = 0; index < array.length; index++) {
    items.push(stringifyProperty(array[index], String(index), rawText, ancestors) ?? "null");
  }
  return `[${items.join(",")}]`;
}

function stringifyObject(object: object, rawText: RawText, ancestors: object[]): string {
  const members: string[] = [];
  for (const key of Object.keys(object)) {
    const text = stringifyProperty(Reflect.get(object, key), key, rawText, ancestors);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(",")}}`;
}

function applyToJSON(value: unknown, key: string): unknown {
  if ((typeof value !== "object" || value === null) && typeof value !== "bigint") return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value, key) : value;
}

/** `Object(1)` is written as 1. */
function unbox(value: unknown): unknown {
  if (value instanceof Number) return Number(value);
  if (value instanceof String) return String(value);
  if (value instanceof Boolean || value instanceof BigInt) return value.valueOf();
  return value;
}
