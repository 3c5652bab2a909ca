// The value of a tool input while its text arrives: both clients show the same after each delta,
// except for spellings that the AI SDK's partial parser takes wrongly (difference 17). Of those
// chatwire shows what the AI SDK's shows of the same document, plainly spelled.
//
//   SEEDS=first-last node --test tests/differential/partial-json.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { peer } from "./support/clients.mjs";
import { Tally } from "./support/comparison.mjs";
import { eventOf } from "./support/events.mjs";
import { isSameJson } from "./support/json.mjs";
import { plainlySpelled, randomDocument } from "./support/partial-documents.mjs";
import { Random } from "./support/random.mjs";
import { seeds } from "./support/seeds.mjs";
import { settle, Side } from "./support/side.mjs";

const INPUTS_PER_STREAM = 20;

async function push(sides, chunk) {
  for (const side of sides) side.request.push(eventOf(chunk));
  await settle();
}

/** Streams some documents as tool inputs. Returns how many prefixes were compared. */
async function streamDocuments(seed, tally) {
  const random = new Random(seed);
  const sides = [new Side("peer"), new Side("chatwire")];
  for (const side of sides) side.command((chat) => chat.sendMessage({ text: "Hi" }));
  await settle();
  let prefixes = 0;
  for (let call = 0; call < INPUTS_PER_STREAM; call++) {
    const { text, isOdd } = randomDocument(random);
    const toolCallId = `call-${call}`;
    await push(sides, { type: "tool-input-start", toolCallId, toolName: "x" });
    let arrived = "";
    for (const inputTextDelta of random.pieces(text, isOdd ? 30 : 12)) {
      arrived += inputTextDelta;
      await push(sides, { type: "tool-input-delta", toolCallId, inputTextDelta });
      prefixes++;
      const [theirs, ours] = sides.map((side) => side.chat.messages.at(-1).parts.at(-1).input);
      const plain = isOdd ? plainlySpelled(arrived) : arrived;
      const expected = plain === arrived ? theirs : (await peer.parsePartialJson(plain)).value;
      if (!isSameJson(expected, theirs)) tally.add("17");
      assert.deepEqual({ input: ours }, { input: expected }, `seed ${seed}: ${JSON.stringify(arrived)}`);
    }
    const [theirs, ours] = sides.map((side) => side.chat.messages.at(-1).parts.at(-1).rawInput);
    assert.equal(ours, theirs);
  }
  await Promise.all(sides.map((side) => side.end()));
  return prefixes;
}

test("a growing tool input is shown alike", { timeout: 7_200_000 }, async () => {
  const tally = new Tally();
  let prefixes = 0;
  let streams = 0;
  for (const seed of seeds(30)) {
    prefixes += await streamDocuments(seed, tally);
    streams++;
  }
  console.log(`partial inputs: ${streams * INPUTS_PER_STREAM}, prefixes ${prefixes}, differences ${tally}`);
  tally.check(["17"]);
});
