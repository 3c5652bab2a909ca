/**
 * Random ids.
 *
 * @module
 */

import { makeError } from "./errors.js";

const LETTERS_AND_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Makes ids. Not for secrets. */
export type IdGenerator = () => string;

/** Options of {@link createIdGenerator}. All are optional. */
export interface IdGeneratorOptions {
  /** What each id begins with, before the separator. Default: nothing. */
  prefix?: string;
  /** Between prefix and random characters; not one of the alphabet. Default: `-`. */
  separator?: string;
  /** Number of random characters. Default: 16. */
  size?: number;
  /** The characters to take from. Default: letters and digits. */
  alphabet?: string;
}

/**
 * Makes a generator of random ids.
 *
 * @throws ChatwireError `invalid_argument`: the separator is part of the alphabet.
 */
export function createIdGenerator({
  prefix,
  separator = "-",
  size = 16,
  alphabet = LETTERS_AND_DIGITS,
}: IdGeneratorOptions = {}): IdGenerator {
  if (prefix !== undefined && alphabet.includes(separator)) {
    throw makeError({
      code: "invalid_argument",
      name: "AI_InvalidArgumentError",
      message: `The separator "${separator}" is part of the alphabet "${alphabet}".`,
      parameter: "separator",
      value: separator,
    });
  }
  const start = prefix === undefined ? "" : prefix + separator;
  return () => {
    let id = start;
    for (let index = 0; index < size; index++) {
      id += alphabet[Math.floor(Math.random() * alphabet.length)];
    }
    return id;
  };
}

/** 16 random letters and digits. */
export const generateId: IdGenerator = /* @__PURE__ */ createIdGenerator();
