// Random choices that are the same for the same seed.

/** A source of random choices (mulberry32). */
export class Random {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed | 0;
  }

  /** A number from 0 up to 1. */
  fraction() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to `bound`. */
  below(bound) {
    return Math.floor(this.fraction() * bound);
  }

  /** A whole number, both ends included. */
  between(first, last) {
    return first + this.below(last - first + 1);
  }

  /** True with this probability. */
  chance(probability) {
    return this.fraction() < probability;
  }

  /** One of the items. */
  pick(items) {
    return items[this.below(items.length)];
  }

  /** One of `[weight, item]` pairs. */
  weighted(pairs) {
    let rest = this.fraction() * pairs.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of pairs) {
      rest -= weight;
      if (rest < 0) return item;
    }
    return pairs.at(-1)[1];
  }

  /** What `make` gives, between `least` and `most` times. */
  list(least, most, make) {
    return Array.from({ length: this.between(least, most) }, () => make());
  }

  /** The text in up to `most` pieces, none of them empty. */
  pieces(text, most) {
    const cuts = this.list(0, most - 1, () => this.below(text.length + 1));
    const bounds = [...new Set([0, ...cuts, text.length])].sort((first, second) => first - second);
    return bounds.slice(1).map((end, index) => text.slice(bounds[index], end));
  }
}
