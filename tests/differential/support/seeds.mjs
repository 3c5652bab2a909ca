// Which random scenarios a run plays.

/**
 * The seeds from 1 to `count`, or those that the environment's SEEDS names: `7` or `1-20000`.
 *
 * @param {number} count
 * @returns {Iterable<number>}
 */
export function* seeds(count) {
  const [first = 1, last = first] = (process.env.SEEDS || `1-${count}`).split("-").map(Number);
  for (let seed = first; seed <= last; seed++) yield seed;
}
