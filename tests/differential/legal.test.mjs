// Legal streams: whatever a server of the AI SDK may send, both clients show the same after each
// event, call the app back with the same, and send the same. Only the differences 6, 7, 8 and 12
// of tests/differences.md occur, each where its rule says.
//
//   SEEDS=first-last node --test tests/differential/legal.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { CHUNK_TYPES } from "./support/chunk-schema.mjs";
import { Tally } from "./support/comparison.mjs";
import { LegalScenario } from "./support/legal-scenario.mjs";
import { seeds } from "./support/seeds.mjs";

test("legal streams are taken alike", { timeout: 7_200_000 }, async () => {
  const tally = new Tally();
  const missing = new Set(CHUNK_TYPES);
  let streams = 0;
  for (const seed of seeds(200)) {
    const scenario = new LegalScenario(seed, tally);
    streams += await scenario.play();
    for (const type of scenario.chunkTypes) missing.delete(type);
  }
  console.log(`legal streams: ${streams}, differences ${tally}`);
  tally.check(["6", "7", "8", "12"]);
  assert.deepEqual([...missing], ["abort"], "an abort is difference 5");
});
