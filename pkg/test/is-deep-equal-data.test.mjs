// isDeepEqualData beside the AI SDK's.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as peer from "ai";
import { isDeepEqualData } from "chatwire";
import { jsonValue, mutate } from "./support/messages.mjs";
import { Random } from "./support/random.mjs";

const values = [
  ...[null, undefined, true, false, 0, 1, "", "a", [], {}, [1], [1, 2], [[1]], [undefined], { a: 1 }],
  ...[{ a: undefined }, { b: 1 }, { a: 1, b: 2 }, { b: 2, a: 1 }, { 0: 1 }, { length: 1 }, [null]],
  ...[new Date(0), new Date(0), new Date(1), new Date(Number.NaN), Object.create(null), new Array(2)],
  ...[{ length: {} }, { length: {} }, { a: { b: [{ c: null }] } }, { a: { b: [{ c: null }] } }],
];

test("every pair of values", () => {
  let equal = 0;
  for (const [index, a] of values.entries()) {
    for (const b of values.slice(index)) {
      const expected = peer.isDeepEqualData(a, b);
      assert.equal(isDeepEqualData(a, b), expected, `${JSON.stringify(a)} ${JSON.stringify(b)}`);
      assert.equal(isDeepEqualData(b, a), expected);
      equal += expected;
    }
  }
  assert.equal(equal, values.length + 4);
});

test("random values, with and without a change", () => {
  const verdicts = { true: 0, false: 0 };
  for (let seed = 1; seed <= 3000; seed++) {
    const random = new Random(seed);
    const a = { value: jsonValue(random) };
    const b = structuredClone(a);
    if (random.chance(0.7)) mutate(random, b);
    const expected = peer.isDeepEqualData(a, b);
    assert.equal(isDeepEqualData(a, b), expected, `seed ${seed}`);
    verdicts[expected]++;
  }
  assert.ok(verdicts.true > 500 && verdicts.false > 500, JSON.stringify(verdicts));
});

test("a key called constructor is a key like any other", () => {
  const value = () => ({ constructor: { a: 1 } });
  assert.equal(isDeepEqualData(value(), value()), true);
  assert.equal(peer.isDeepEqualData(value(), value()), false);
});
