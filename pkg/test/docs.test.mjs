// Every name that an entry exports has a comment where it is declared and a place in the README.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

/**
 * The names that a declaration file exports, with the text before each declaration.
 *
 * @returns {Map<string, string>}
 */
function exportsOf(file, seen = new Set()) {
  const names = new Map();
  if (seen.has(file)) return names;
  seen.add(file);
  const source = readFileSync(file, "utf8");
  const declared = source.matchAll(
    /^export (?:declare )?(?:abstract )?(?:class|interface|type|function|const) (\w+)/gm,
  );
  for (const { 1: name, index } of declared) names.set(name, names.get(name) || commentBefore(source, index));
  for (const [, list, from] of source.matchAll(/^export (?:type )?(\{[^}]*\}|\*)(?: from "([^"]+)")?;/gm)) {
    const target = from?.startsWith(".") ? join(dirname(file), from.replace(/\.js$/, ".d.ts")) : undefined;
    const inner = target ? exportsOf(target, new Set(list === "*" ? seen : [])) : new Map();
    if (list === "*") {
      for (const [name, comment] of inner) names.set(name, comment);
      continue;
    }
    for (const item of list.slice(1, -1).split(",")) {
      const [, original, alias = original] = /^\s*(?:type )?(\w+)(?: as (\w+))?\s*$/.exec(item) ?? [];
      // What another package of ours exports is documented there.
      if (original) names.set(alias, target ? (inner.get(original) ?? "") : "elsewhere");
    }
  }
  return names;
}

function commentBefore(source, index) {
  const before = source.slice(0, index).trimEnd();
  return before.endsWith("*/") ? before.slice(before.lastIndexOf("/**")) : "";
}

const entries = ["index", "inline", "node", "react", "testing", "json-schema", "telemetry", "markdown", "markdown-node", "markdown-react", "agent", "agent-node"];
for (const entry of entries) {
  test(`the exports of ${entry} are documented`, () => {
    const names = exportsOf(join(dist, `${entry}.d.ts`));
    assert.ok(names.size >= ({ "json-schema": 1, "markdown-react": 4 }[entry] ?? 5), `${names.size} exports were found`);
    const bare = [...names].filter(([, comment]) => !comment).map(([name]) => name);
    assert.deepEqual(bare, [], "without a comment");
    const unnamed = [...names.keys()].filter((name) => !new RegExp(`\`${name}\``).test(readme));
    assert.deepEqual(unnamed, [], "not in the README");
  });
}

test("what the entries export at run time was found", async () => {
  for (const [entry, name] of [
    ["index", "chatwire"],
    ["testing", "chatwire/testing"],
    ["json-schema", "chatwire/json-schema"],
    ["markdown", "chatwire/markdown"],
    ["agent", "chatwire/agent"],
  ]) {
    const found = exportsOf(join(dist, `${entry}.d.ts`));
    const missed = Object.keys(await import(name)).filter((key) => !found.has(key));
    assert.deepEqual(missed, [], entry);
  }
  // React itself is not installed here.
  const [, list] = /export\{([^}]*)\};?\s*$/.exec(readFileSync(join(dist, "react.js"), "utf8"));
  const names = list.split(",").map((item) => item.split(" as ").at(-1).trim());
  const found = exportsOf(join(dist, "react.d.ts"));
  assert.ok(names.length >= 8);
  assert.deepEqual(names.filter((name) => !found.has(name)), []);
});
