// tests/peer_exports.json accounts for every name that the AI SDK's packages export: chatwire exports
// the same, or the file says why not.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { peerNames, runtimeNames } from "./support/exports.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const accounts = JSON.parse(readFileSync(join(here, "../peer_exports.json"), "utf8"));

for (const [peer, own] of [
  ["ai", "chatwire"],
  ["@ai-sdk/react", "chatwire/react"],
]) {
  const { exported, notExported } = accounts[peer];
  const reasons = Object.keys(notExported);
  const missing = Object.values(notExported).flat();

  test(`every export of ${peer} is accounted for, once`, () => {
    assert.deepEqual([...exported, ...missing].sort(), [...peerNames(peer)].sort());
    for (const reason of reasons) assert.match(reason, /^(server|not yet|not needed|replaced|inside of)\b.*: ./);
  });

  test(`what ${own} is said to export exists, and nothing else of ${peer}`, async () => {
    const [peers, owns] = [await runtimeNames(peer), await runtimeNames(own)];
    assert.deepEqual(exported.filter((name) => peers.has(name) && !owns.has(name)), []);
    assert.deepEqual(missing.filter((name) => owns.has(name)), []);
    const unknown = namesThatDoNotCompile([...exported, ...missing], own);
    assert.deepEqual(unknown, [...missing].sort());
  });
}

/** Those of the names that the package's declarations do not have, sorted. */
function namesThatDoNotCompile(names, own) {
  const file = join(here, ".build", "exports.ts");
  writeFileSync(file, names.map((name) => `export type { ${name} } from "${own}";`).join("\n"));
  const options = "--noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler --target es2022";
  const tsc = join(here, "node_modules/.bin/tsc");
  let complaints = "";
  try {
    execFileSync(tsc, [...options.split(" "), "--ignoreConfig", file], { cwd: here, encoding: "utf8" });
  } catch (error) {
    complaints = error.stdout;
  } finally {
    rmSync(file);
  }
  const found = complaints.matchAll(/has no exported member (?:named )?'(\w+)'/g);
  return [...found].map(([, name]) => name).sort();
}
