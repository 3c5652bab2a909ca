// Streams with exactly one thing that the protocol does not allow: an event that is wrong or out of
// order, or a missing end. Up to it both clients show the same. What must come of it, and which of
// tests/differences.md it is, is told from the event and the state before it.
//
//   SEEDS=first-last node --test tests/differential/illegal.test.mjs

import { test } from "node:test";
import { AGREED, Tally } from "./support/comparison.mjs";
import { IllegalScenario } from "./support/illegal-scenario.mjs";
import { seeds } from "./support/seeds.mjs";

test("what is not allowed is taken as the rules say", { timeout: 7_200_000 }, async () => {
  const tally = new Tally();
  let streams = 0;
  for (const seed of seeds(400)) {
    await new IllegalScenario(seed, tally).play();
    streams++;
  }
  console.log(`illegal streams: ${streams}, differences ${tally}`);
  tally.check(["1", "2", "3", "4", "5", AGREED]);
});
