// The first answer of a fresh page: one contender by itself, with all that it loads.

import { Stub } from "./stub.mjs";
import { inReads, text } from "./workloads.mjs";

/** Loads the contender and reads W1. @param {import("./measure.mjs").Contender} contender */
export async function firstRun(contender) {
  await contender.load();
  const { events, history } = text({ deltas: 30 });
  const stub = new Stub({ reads: inReads(events), timedFrom: 0 });
  const { messages, release } = await contender.run({ history, fetch: stub.fetch, onMessages() {} });
  release();
  return messages.at(-1).parts.at(-1).text.length;
}
