// JSON documents as they arrive in pieces: whole ones, broken ones, and ones with the spellings
// that the AI SDK's partial parser takes wrongly (difference 17).

import { randomObject, randomValue, spell } from "./json.mjs";

/** @import { Random } from "./random.mjs" */

const PROTOTYPE_KEYS = [
  '{"__proto__":{"a":1}}',
  '{"a":{"constructor":{"prototype":{}}}}',
  '[{"\\u005f_proto__":1}]',
];
const ODD_MEMBERS = ['"a\\"b":', '"\\"":', '"a\\\\":', '"a\\\\\\"b":'];
const ODD_NUMBERS = ["1e+5", "-1.5E+3", "0e+0", "12e+1"];
const NOISE = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "\\",
  "-",
  ".",
  "e",
  "1",
  "t",
  "n",
  " ",
  "\n",
  "\u0001",
  "é",
];

/** A text, mostly JSON, and whether it may have spellings of difference 17. @param {Random} random */
export function randomDocument(random) {
  const text = spell(randomValue(random, 4), random);
  const object = JSON.stringify({ list: [7, { a: 12 }], ...randomObject(random, 3), a: 7 });
  return random.weighted([
    [5, () => ({ text: withoutOddities(text), isOdd: false })],
    [3, () => ({ text: withOddities(object, random), isOdd: true })],
    [3, () => ({ text: withoutOddities(broken(text, random)), isOdd: false })],
    [0.3, () => ({ text: random.pick(PROTOTYPE_KEYS), isOdd: false })],
  ])();
}

function withoutOddities(text) {
  return text.replace(/e\+/g, "e").replaceAll('\\"', "'");
}

/** Some members get keys with escapes and some numbers a sign in their exponent. */
function withOddities(text, random) {
  return text
    .replace(/"[a-z]*":/g, (member) => (random.chance(0.5) ? random.pick(ODD_MEMBERS) : member))
    .replace(/(?<=[:[,])\d+(?=[,\]}])/g, (number) =>
      random.chance(0.5) ? random.pick(ODD_NUMBERS) : number,
    );
}

/** One or two places are damaged. */
function broken(text, random) {
  let damaged = text;
  for (let left = random.between(1, 2); left > 0; left--) {
    const at = random.below(damaged.length + 1);
    const behind = random.chance(0.5) ? at : at + 1;
    damaged = damaged.slice(0, at) + (random.chance(0.7) ? random.pick(NOISE) : "") + damaged.slice(behind);
  }
  return damaged;
}

/**
 * The begin of a document as it has to be spelled for the AI SDK's partial parser to take it right:
 * exponents without a plus, keys without an escaped quote or backslash.
 *
 * @param {string} text the begin of JSON
 */
export function plainlySpelled(text) {
  const isInObject = [];
  let isKey = false;
  return text.replace(/"(?:\\u....|\\.|[^"\\])*(?:"|\\?$|\\u.{0,3}$)|[{}[\],:]|[eE]\+/gs, (token) => {
    if (token === "{" || token === "[") isInObject.push(token === "{");
    if (token === "}" || token === "]") isInObject.pop();
    if (token === "{" || token === ",") isKey = isInObject.at(-1) === true;
    if (token === "[" || token === ":") isKey = false;
    if (/^[eE]\+/.test(token)) return "e";
    return token.startsWith('"') && isKey
      ? token.replaceAll("\\\\", "\\u005c").replaceAll('\\"', "\\u0022")
      : token;
  });
}
