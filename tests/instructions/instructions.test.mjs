// The core takes at most five percent more instructions than the baseline of this version of rustc.

import assert from "node:assert/strict";
import test from "node:test";
import { STORE, baselines, buildFeed, compiler, instructions, workloads } from "./measure.mjs";

const MOST = 1.05;

const feed = buildFeed();
const figures = Object.fromEntries(workloads.map((workload) => [workload, instructions(feed, workload)]));
const baseline = baselines()[compiler()];

// Another compiler makes other code: its figures say nothing about a change of ours.
const skip = baseline ? false : `there is no baseline for rustc ${compiler()}; ${STORE} stores these figures as one`;

for (const [workload, count] of Object.entries(figures)) {
  test(`${workload} takes no more instructions than before`, { skip }, () => {
    const before = baseline[workload];
    const percent = ((count / before - 1) * 100).toFixed(2);
    const change = `${workload}: ${count} instructions, ${percent} % more than the baseline's ${before}`;
    console.log(change);
    assert.ok(count <= MOST * before, `${change}. Where that is right, ${STORE} makes it the baseline.`);
  });
}

test("a count is the same when it is repeated", () => {
  const [workload] = workloads;
  assert.equal(instructions(feed, workload), figures[workload]);
});
