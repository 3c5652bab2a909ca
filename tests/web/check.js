// Assertions and comparisons of the browser tests.

/** @param {unknown} condition @param {string} what */
export function assert(condition, what) {
  if (!condition) throw new Error(what);
}

/** Fails unless the two are the same value. */
export function assertSame(actual, expected, what) {
  assert(Object.is(actual, expected), `${what}: ${show(actual)} is not ${show(expected)}`);
}

/** Fails if the two are the same value. */
export function assertNotSame(actual, other, what) {
  assert(!Object.is(actual, other), `${what}: both are ${show(actual)}`);
}

/** Fails unless the two are deeply equal; the order of keys does not count. */
export function assertEqual(actual, expected, what = "") {
  const at = difference(actual, expected);
  if (at === undefined) return;
  throw new Error(`${what} differs at ${at}:\n  is       ${show(actual)}\n  expected ${show(expected)}`);
}

/** Fails unless `run` rejects or throws; gives what it threw. */
export async function thrownBy(run, what) {
  try {
    await run();
  } catch (error) {
    return error;
  }
  throw new Error(`${what} did not fail`);
}

/** @param {unknown} a @param {unknown} b */
export function equal(a, b) {
  return difference(a, b) === undefined;
}

/** The path at which two values differ, `undefined` when they are deeply equal. */
function difference(a, b, path = "$") {
  if (Object.is(a, b)) return undefined;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return path;
  if (Array.isArray(a) !== Array.isArray(b)) return path;
  const keys = Object.keys(a);
  const missing = Object.keys(b).find((key) => !Object.hasOwn(a, key));
  if (missing !== undefined) return `${path}.${missing}`;
  for (const key of keys) {
    if (!Object.hasOwn(b, key)) return `${path}.${key}`;
    const inside = difference(a[key], b[key], `${path}.${key}`);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/**
 * A value in `next` must be the one at the same place in `previous` if and only if both are deeply
 * equal. Gives the path of the first value for which that does not hold.
 */
export function brokenSharing(previous, next, path = "messages") {
  if (Object.is(previous, next)) return undefined;
  if (equal(previous, next)) return `${path} is equal but not the same`;
  if (typeof previous !== "object" || typeof next !== "object" || !previous || !next) return undefined;
  for (const key of Object.keys(next)) {
    if (!Object.hasOwn(previous, key)) continue;
    const inside = brokenSharing(previous[key], next[key], `${path}.${key}`);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** The path of the first object in `value` that is not frozen; `skips` are left out. */
export function unfrozen(value, skips, path = "messages") {
  if (typeof value !== "object" || value === null || skips.has(value)) return undefined;
  if (!Object.isFrozen(value)) return path;
  for (const key of Object.keys(value)) {
    const inside = unfrozen(value[key], skips, `${path}.${key}`);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function show(value) {
  if (typeof value === "object" && value !== null) {
    try {
      return JSON.stringify(value);
    } catch {
      return String(value);
    }
  }
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** Lets everything that is ready run: promises, streams, the driver's read loop. */
export async function settle() {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve(undefined);
      };
      port2.postMessage(undefined);
    });
  }
}
