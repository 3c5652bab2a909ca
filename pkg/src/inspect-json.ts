/**
 * A JSON value as a person has to see it who decides about it.
 *
 * @module
 */

import { losslessStringify } from "./lossless.js";
import { rawTexts } from "./raw-json.js";

/** Something that the JavaScript value does not show. */
export interface JsonWarning {
  /**
   * `rounded_number`: JavaScript has no number of this value, and shows another one. `duplicate_key`: the
   * object has this key more than once, and readers differ in which one they take.
   */
  readonly kind: "rounded_number" | "duplicate_key";
  /** JSON Pointer of the value. */
  readonly path: string;
  /** The number, or the key in quotes, as it is spelled. */
  readonly text: string;
}

/** What `inspectJson` gives. */
export interface InspectedJson {
  /** The text over several lines, numbers, keys and their order as they were received. */
  readonly text: string;
  /** The first 100. */
  readonly warnings: readonly JsonWarning[];
}

const MAX_WARNINGS = 100;

/**
 * Characters that are not seen, or that change the order of those around them: C1 controls, soft hyphen,
 * bidirectional controls, zero-width characters, variation selectors and tags.
 */
const INVISIBLE =
  /[\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202F\u205F-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\u{E0000}-\u{E0FFF}]/gu;

/** Strings, punctuation, and numbers or words. White space is between them. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/gsu;

/** An array or object that is open. */
interface Level {
  /** Those of an object so far. */
  readonly keys: Set<string> | undefined;
  /** Where the value stands that comes next. */
  step: string | number;
}

/**
 * Lays a JSON value out over lines for a person who is to approve it: from the exact text that it was
 * received as (see `rawJson`), else from `JSON.stringify`. What cannot be seen, or turns the order of the
 * text around, is written as `\uXXXX`.
 *
 * @returns `undefined` for what JSON cannot say, such as `undefined`
 */
export function inspectJson(value: unknown): InspectedJson | undefined {
  const raw = losslessStringify(value, (inner) => rawTexts.get(inner));
  return raw === undefined ? undefined : inspect(raw);
}

function inspect(raw: string): InspectedJson {
  const pieces: string[] = [];
  const warnings: JsonWarning[] = [];
  const levels: Level[] = [];
  let previous = "";
  let isKey = false;

  const newLine = () => pieces.push("\n", "  ".repeat(levels.length));
  const warn = (kind: JsonWarning["kind"], text: string) => {
    if (warnings.length < MAX_WARNINGS) warnings.push({ kind, path: pointer(levels), text: visible(text) });
  };

  for (const [token] of raw.matchAll(TOKEN)) {
    const level = levels.at(-1);
    switch (token) {
      case "{":
      case "[":
        if (previous === "{" || previous === "[") newLine();
        levels.push(token === "{" ? { keys: new Set(), step: "" } : { keys: undefined, step: 0 });
        isKey = token === "{";
        pieces.push(token);
        break;
      case "}":
      case "]":
        levels.pop();
        if (previous !== "{" && previous !== "[") newLine();
        isKey = false;
        pieces.push(token);
        break;
      case ":":
        pieces.push(": ");
        isKey = false;
        break;
      case ",":
        pieces.push(",");
        newLine();
        isKey = level?.keys !== undefined;
        if (typeof level?.step === "number") level.step++;
        break;
      default:
        if (previous === "{" || previous === "[") newLine();
        if (isKey && level?.keys) {
          level.step = JSON.parse(token) as string;
          if (level.keys.has(level.step)) warn("duplicate_key", token);
          level.keys.add(level.step);
        } else if (/^[-\d]/.test(token) && isRounded(token)) {
          warn("rounded_number", token);
        }
        pieces.push(visible(token));
    }
    previous = token;
  }
  return { text: pieces.join(""), warnings };
}

/** Whether the number that JavaScript reads has another value than the one that is written. */
function isRounded(token: string): boolean {
  return decimal(token) !== decimal(String(Number(token)));
}

/** One spelling for each value: the digits without zeros around them, and the power of ten of the last one. */
function decimal(text: string): string | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = Number(exponent) + digits.length - significant.length - fraction.length;
  return `${sign}${significant}e${power}`;
}

function pointer(levels: readonly Level[]): string {
  return levels
    .map(({ step }) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

function visible(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const unit = character.charCodeAt(index).toString(16).padStart(4, "0");
      return `\\u${unit}`;
    }).join(""),
  );
}
