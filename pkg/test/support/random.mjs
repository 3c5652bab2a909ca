/** Random values from a seed, so that a failure can be repeated. */
export class Random {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed;
  }

  /** A number in [0, 1) (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer in [0, bound). */
  below(bound) {
    return Math.floor(this.next() * bound);
  }

  chance(probability) {
    return this.next() < probability;
  }

  /** @template T @param {readonly T[]} items @returns {T} */
  pick(items) {
    return items[this.below(items.length)];
  }

  /** A list of up to `most` items, each made by `make`. */
  list(most, make) {
    return Array.from({ length: this.below(most + 1) }, make);
  }
}
