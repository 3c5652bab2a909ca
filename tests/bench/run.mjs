// The package beside the AI SDK's client and the least JavaScript that could do the job.
//
//   node run.mjs [--full] [--table]
//
//   --full   every workload at both deliveries, medians of 9 (default: some, medians of 5)
//   --table  also writes the table into the README
//
// Prints tables, writes target/bench/results.json, and exits with 1 where a target is missed.

import { readFileSync, writeFileSync } from "node:fs";
import { bundle, Pages, processor, runInNode } from "./engines.mjs";
import * as plan from "./plan.mjs";
import { median } from "./stub.mjs";

const isFull = process.argv.includes("--full");
const rounds = isFull ? 9 : 5;
const results = [];

await bundle();
const pages = await Pages.open();
const engines = [
  { name: "node", run: runInNode },
  { name: "chromium", run: (task, argument) => pages.run(task, argument) },
];
const machine = `${processor()}; Node ${process.versions.node}, Chromium ${pages.version}`;
console.log(machine);
console.log("Times are medians in ms. At reads of 1.5 KB chatwire publishes once per read, the AI SDK once per event.\n");

const table = [
  ["", "delivery", "engine", "chatwire", "per frame", "AI SDK", "floor", "AI SDK ÷ chatwire", "chatwire ÷ floor"],
];
try {
  for (const comparison of plan.comparisons.filter((one) => isFull || !one.isFull)) {
    for (const engine of engines) await compare(comparison, engine);
  }
  await compareFirstRuns();
  console.log(aligned(table));
  const growths = [["growth", "engine", "µs per event", "at eight times", "ratio"]];
  for (const growth of plan.growths) {
    for (const engine of engines) growths.push(await grow(growth, engine));
  }
  for (const flush of plan.flushes) for (const engine of engines) growths.push(await flushCost(flush, engine));
  console.log(aligned(growths));
  const memories = [["memory, MB", "chatwire peak", "end", "AI SDK peak", "end"]];
  for (const memory of plan.memories) memories.push(await remember(memory));
  console.log(aligned(memories));
} finally {
  await pages.close();
}

const resultsFile = new URL("../../target/bench/results.json", import.meta.url);
writeFileSync(resultsFile, JSON.stringify({ machine, isFull, results }, undefined, 2));
if (process.argv.includes("--table")) writeReadme();
const missed = results.filter(({ isMet }) => !isMet);
for (const { what, value, target } of missed) console.log(`missed: ${what}: ${value}, the target is ${target}`);
console.log(`${results.length - missed.length} targets met, ${missed.length} missed`);
process.exitCode = missed.length === 0 ? 0 : 1;

async function compare({ name, what, load, delivery, peer, floor, peerSitsOut }, engine) {
  const names = ["chatwire", "chatwireDefault", ...(peerSitsOut ? [] : ["peer"]), "floor"];
  const { medians } = await engine.run("compare", { load: { ...load, delivery }, names, rounds, budget: 3000 });
  const row = [`${name}, ${what}`, delivery, engine.name, ...["chatwire", "chatwireDefault", "peer", "floor"].map((key) => time(medians[key]))];
  const title = `${name}, ${delivery}, ${engine.name}`;
  const toPeer = medians.peer / medians.chatwire;
  const toFloor = medians.chatwire / medians.floor;
  if (peer) check(`${title}: AI SDK ÷ chatwire`, toPeer, peer[engine.name], toPeer >= peer[engine.name]);
  if (floor) check(`${title}: chatwire ÷ floor`, toFloor, floor, toFloor <= floor);
  row.push(peerSitsOut ? "–" : withTarget(toPeer, peer && `≥ ${peer[engine.name]}`));
  row.push(withTarget(toFloor, floor && `≤ ${floor}`));
  table.push(row);
}

async function compareFirstRuns() {
  const samples = { chatwire: [], peer: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of Object.keys(samples)) samples[name].push(await pages.firstRun(name));
  }
  const [ours, theirs] = [median(samples.chatwire), median(samples.peer)];
  const ratio = theirs / ours;
  check("W1, first run in a fresh page: AI SDK ÷ chatwire", ratio, plan.FIRST_RUN_TARGET, ratio >= plan.FIRST_RUN_TARGET);
  table.push(["W1, first run in a fresh page", "reads", "chromium", time(ours), "–", time(theirs), "–", withTarget(ratio, `≥ ${plan.FIRST_RUN_TARGET}`), "–"]);
}

async function grow({ name, loads }, engine) {
  const { microseconds } = await engine.run("perEvent", { loads: inReads(loads), rounds });
  const [small, large] = microseconds;
  const ratio = large / small;
  check(`growth of ${name}, ${engine.name}`, ratio, plan.GROWTH_TARGET, ratio <= plan.GROWTH_TARGET);
  return [name, engine.name, small.toFixed(3), large.toFixed(3), withTarget(ratio, `≤ ${plan.GROWTH_TARGET}`)];
}

/** What a flush costs more where there is more. */
async function flushCost({ name, loads, more }, engine) {
  const { microseconds, timedEvents, timedReads } = await engine.run("perEvent", { loads: inReads(loads), rounds });
  const [few, many] = microseconds.map((each, index) => (each * timedEvents[index]) / timedReads[index]);
  const cost = Math.max(0, many - few) / more;
  check(`a flush per 1,000 ${name}, ${engine.name}`, cost, plan.FLUSH_TARGET, cost <= plan.FLUSH_TARGET);
  return [`flush, ${name}`, engine.name, `${few.toFixed(2)} a flush`, `${many.toFixed(2)} a flush`, withTarget(cost, `≤ ${plan.FLUSH_TARGET} µs per 1,000`)];
}

async function remember({ name, load }) {
  const ours = await runInNode("memory", { load, name: "chatwire" });
  const theirs = await runInNode("memory", { load, name: "peer" });
  for (const key of ["peak", "end"]) {
    check(`memory of ${name}, ${key}`, ours[key] / 1e6, (theirs[key] / 1e6).toFixed(2), ours[key] <= theirs[key]);
  }
  return [name, ...[ours.peak, ours.end, theirs.peak, theirs.end].map((bytes) => (bytes / 1e6).toFixed(2))];
}

function inReads(loads) {
  return loads.map((load) => ({ ...load, delivery: "reads" }));
}

function check(what, value, target, isMet) {
  results.push({ what, value: Number(value.toPrecision(3)), target, isMet });
}

function time(milliseconds) {
  if (milliseconds === undefined) return "–";
  return milliseconds >= 100 ? milliseconds.toFixed(0) : milliseconds.toPrecision(3);
}

function withTarget(ratio, target) {
  const figure = ratio >= 100 ? ratio.toFixed(0) : ratio.toPrecision(2);
  return target ? `${figure} (${target})` : figure;
}

function aligned(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return `${rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column])).join("  ").trimEnd()).join("\n")}\n`;
}

function writeReadme() {
  const file = new URL("../../README.md", import.meta.url);
  const [head, ...rows] = table;
  const lines = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  const text = readFileSync(file, "utf8");
  const block = `<!-- bench -->\n${machine}. Milliseconds, medians of ${rounds}.\n\n${lines.join("\n")}\n<!-- /bench -->`;
  writeFileSync(file, text.replace(/<!-- bench -->.*<!-- \/bench -->/s, () => block));
}
