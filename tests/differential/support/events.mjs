// The bytes of events.

import { spell } from "./json.mjs";

/** @import { Random } from "./random.mjs" */

/** The event of a chunk, plainly spelled. */
export function eventOf(chunk) {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** Spells events at random, in one style for each stream. */
export class EventWriter {
  #random;
  #lineEnd;
  #isPlain;

  /** @param {Random} random */
  constructor(random) {
    this.#random = random;
    this.#lineEnd = random.pick(["\n", "\n", "\n", "\r\n"]);
    this.#isPlain = random.chance(0.5);
  }

  write(chunk) {
    const end = this.#lineEnd;
    const random = this.#random;
    if (this.#isPlain) return `data: ${JSON.stringify(chunk)}${end}${end}`;
    const before = random.pick([
      "",
      "",
      "",
      `: keep-alive${end}${end}`,
      `event: message${end}`,
      `retry: 9${end}`,
    ]);
    const prefix = random.pick(["data: ", "data:", "data:  "]);
    return `${before}${prefix}${spell(chunk, random)}${end}${end}`;
  }

  get done() {
    return `data: [DONE]${this.#lineEnd}${this.#lineEnd}`;
  }
}
