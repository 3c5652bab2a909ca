// How many instructions the core takes for a workload, as valgrind counts them: the same on every
// run, whatever else the machine does. The C library's copying is counted too, and is not the same
// on every kind of processor: about a percent.
//
//   node tests/instructions/measure.mjs --store    makes the figures of now the baseline of this
//                                                  version of rustc

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { agent, text, toolInput, toolParts } from "../bench/workloads.mjs";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const bodies = join(repository, "target/instructions");
const baselinesFile = fileURLToPath(new URL("baselines.json", import.meta.url));
export const STORE = "node tests/instructions/measure.mjs --store";

/** The sizes of `make bench`; W3 and W4 a tenth of them. */
const WORKLOADS = {
  W2: () => text({ deltas: 2000 }),
  "W3/10": () => text({ deltas: 5000 }),
  "W4/10": () => toolInput({ bytes: 30_000 }),
  W6: () => agent({ steps: 40 }),
  W8: () => toolParts({ tools: 2000, deltas: 2000 }),
};

export const workloads = Object.keys(WORKLOADS);

/** The version of rustc and its target: what baselines are kept for. */
export function compiler() {
  const about = execFileSync("rustc", ["-vV"], { cwd: repository, encoding: "utf8" });
  const [, release] = /^release: (.*)$/m.exec(about);
  const [, host] = /^host: (.*)$/m.exec(about);
  return `${release} ${host}`;
}

/** @returns {Record<string, Record<string, number>>} instructions by compiler and workload */
export function baselines() {
  return JSON.parse(readFileSync(baselinesFile, "utf8"));
}

/** Builds what is measured, as the release is built, and gives its path. */
export function buildFeed() {
  const messages = execFileSync(
    "cargo",
    ["build", "--release", "--bench", "feed", "--message-format", "json"],
    { cwd: repository, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] },
  );
  const artifacts = messages.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return artifacts.find(({ target, executable }) => target?.name === "feed" && executable).executable;
}

/** The instructions of a workload. @param {string} feed path @param {string} workload */
export function instructions(feed, workload) {
  mkdirSync(bodies, { recursive: true });
  const body = join(bodies, `${workload.replace("/", "-")}.sse`);
  writeFileSync(body, Buffer.concat(WORKLOADS[workload]().events));
  const { error, status, stderr } = spawnSync(
    process.env.VALGRIND ?? "valgrind",
    ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=feed::respond", feed, body],
    { encoding: "utf8" },
  );
  const [, count] = /Collected : (\d+)/.exec(stderr) ?? [];
  if (error || status !== 0 || !(count > 0)) {
    throw new Error(`${workload} could not be measured: ${error?.message ?? stderr}`);
  }
  return Number(count);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] !== "--store") throw new Error(`Usage: ${STORE}`);
  const feed = buildFeed();
  const figures = Object.fromEntries(workloads.map((workload) => [workload, instructions(feed, workload)]));
  const stored = { ...baselines(), [compiler()]: figures };
  writeFileSync(baselinesFile, `${JSON.stringify(stored, null, 2)}\n`);
  console.log(figures);
}
