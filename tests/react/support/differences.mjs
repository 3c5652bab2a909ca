// The differences from the AI SDK that are intended.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const list = readFileSync(new URL("../../differences.md", import.meta.url), "utf8");
const ids = new Set([...list.matchAll(/^\| *(\w+) *\|/gm)].map(([, id]) => id));

/** Fails unless tests/differences.md has a difference with this id. @param {string} id */
export function assertListed(id) {
  assert.ok(ids.has(id), `tests/differences.md has no difference ${id}`);
}
