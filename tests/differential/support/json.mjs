// Random JSON values, and random ways to spell them.

import { isDeepStrictEqual } from "node:util";

const KEYS = ["a", "b", "id", "type", "list", "größe", "😀", "a b", "toString", "constructor", ""];
const STRINGS = [
  "",
  "word",
  "two words",
  "line\nbreak\ttab",
  'a "quoted" word',
  "back\\slash",
  "{not: json",
  "ünïcödé",
  "😀👍🏽",
  "\ud83d",
  "\u0000\u001f\u2028\ufeff",
  "</script>",
];
const NUMBERS = [0, 1, -1, 42, 1.5, -0.25, 1e21, 1e-7, 12345678901, 9007199254740993, 5e-324];

/** @import { Random } from "./random.mjs" */

/** A string. @param {Random} random */
export function randomString(random) {
  return random.chance(0.3) ? random.list(1, 12, () => random.pick(STRINGS)).join(" ") : random.pick(STRINGS);
}

/** A JSON value, at most so deep. @param {Random} random */
export function randomValue(random, depth = 3) {
  switch (random.below(depth > 0 ? 7 : 4)) {
    case 0:
      return random.pick([true, false, null]);
    case 1:
      return random.pick(NUMBERS);
    case 2:
    case 3:
      return randomString(random);
    case 4:
      return random.list(0, 4, () => randomValue(random, depth - 1));
    default:
      return randomObject(random, depth - 1);
  }
}

/** A JSON object whose values are at most so deep. @param {Random} random */
export function randomObject(random, depth = 2) {
  return Object.fromEntries(random.list(0, 4, () => [random.pick(KEYS), randomValue(random, depth)]));
}

/**
 * The value as JSON text in one of the many spellings: white space, escapes, forms of numbers.
 *
 * @param {unknown} value
 * @param {Random} random
 */
export function spell(value, random) {
  if (random.chance(0.5)) return JSON.stringify(value);
  return spellValue(value, random, random.chance(0.3));
}

function spellValue(value, random, isWide) {
  const space = () => (isWide && random.chance(0.3) ? random.pick([" ", "\t", "  "]) : "");
  const around = (text) => space() + text + space();
  if (Array.isArray(value)) {
    const items = value.map((item) => around(spellValue(item, random, isWide)));
    return `[${items.join(",") || space()}]`;
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => {
        return `${around(spellString(key, random))}:${around(spellValue(member, random, isWide))}`;
      });
    return `{${members.join(",") || space()}}`;
  }
  if (typeof value === "string") return spellString(value, random);
  if (typeof value === "number") return spellNumber(value, random);
  return JSON.stringify(value);
}

function spellString(text, random) {
  const plain = JSON.stringify(text);
  if (random.chance(0.7)) return plain;
  return plain.replace(/\\u....|\\.|[^"\\]/gu, (character) =>
    character.startsWith("\\") || random.chance(0.8) ? character : escape(character, random),
  );
}

/** The character in escapes, which are two for one outside the basic plane. */
function escape(character, random) {
  const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  return units.map((digits) => `\\u${random.chance(0.5) ? digits : digits.toUpperCase()}`).join("");
}

function spellNumber(value, random) {
  const plain = JSON.stringify(value);
  if (/[.e]/.test(plain)) return plain;
  return random.pick([plain, plain, `${plain}.0`, `${plain}e0`, `${plain}E-0`]);
}

/** The value as it is after being written and read as JSON. */
export function roundTrip(value) {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Whether two values are the same JSON, whatever the order of their members. */
export function isSameJson(first, second) {
  const [one, other] = [JSON.stringify(first), JSON.stringify(second)];
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  return isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
}

/** Where two JSON values differ: `path: first → second` for each place. */
export function pathsOfDifferences(first, second, path = "") {
  const areBoth = (is) => is(first) && is(second);
  const isObject = (value) => typeof value === "object" && value !== null;
  if (areBoth(isObject) && Array.isArray(first) === Array.isArray(second)) {
    const keys = new Set([...Object.keys(first), ...Object.keys(second)]);
    return [...keys].flatMap((key) => pathsOfDifferences(first[key], second[key], `${path}.${key}`));
  }
  if (isSameJson(first, second)) return [];
  return [`${path}: ${JSON.stringify(first)} → ${JSON.stringify(second)}`];
}
