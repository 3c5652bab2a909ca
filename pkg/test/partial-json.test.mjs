// parsePartialJson beside the AI SDK's: on the table of the core's tests, and on random texts that
// are cut, with and without something wrong in them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as peer from "ai";
import { parsePartialJson } from "chatwire";
import { Random } from "./support/random.mjs";

const keys = ["a", "b", "c d", 'q"r', "\\", "é", "1", "constructor", "toString"];
const strings = ["", "a", 'x"y', "\\n", "\n\t", "é😀", "\ud83d", "/"];
const numbers = [0, -1, 1.5, 1e21, -2.5e-7, 123456789];
const marks = [..."{}[],:\"\\u1-+e.t \nxé😀", "\ud800", "\udc00"];

function jsonValue(random, depth = 3) {
  switch (random.below(depth > 0 ? 8 : 5)) {
    case 0:
      return random.pick([null, true, false]);
    case 1:
      return random.pick(numbers);
    case 2:
    case 3:
      return random.pick(strings);
    case 4:
      return random.pick([[], {}]);
    case 5:
      return random.list(3, () => jsonValue(random, depth - 1));
    default:
      return Object.fromEntries(
        random.list(3, () => [random.pick(keys), jsonValue(random, depth - 1)]),
      );
  }
}

/** The end of a JSON text is cut off. */
function cutText(random) {
  const text = JSON.stringify(jsonValue(random), null, random.pick([0, 0, 1]));
  return text.slice(0, random.below(text.length + 1));
}

/**
 * Where the AI SDK's repair goes wrong (tests/differences.md, 17): the sign of an exponent is none of
 * its numbers' characters, a quote that is escaped ends its keys, and it cuts between the halves of
 * the characters that UTF-16 has two units for.
 */
function isMisread(text) {
  return /\d[eE]\+/.test(text) || /\\["\\]/.test(text) || /\d[\ud800-\udfff]/.test(text);
}

async function compare(text, differences) {
  const [ours, theirs] = await Promise.all([parsePartialJson(text), peer.parsePartialJson(text)]);
  try {
    assert.deepEqual(ours, theirs, JSON.stringify(text));
  } catch (error) {
    if (!isMisread(text)) throw error;
    assert.notEqual(ours.state, "successful-parse", JSON.stringify(text));
    differences.push({ text, ours });
  }
}

test("the table of the core's tests", async () => {
  const table = readFileSync(new URL("../../tests/fixtures/partial_json.txt", import.meta.url), "utf8");
  const texts = table.split("\n").filter((line) => line.startsWith('"'));
  assert.ok(texts.length > 250);
  const differences = [];
  for (const line of texts) await compare(JSON.parse(line.split("\t")[0]), differences);
  assert.deepEqual(differences, [
    { text: '{"a":1e+5', ours: { value: { a: 1e5 }, state: "repaired-parse" } },
    { text: '{"a\\":":1', ours: { value: { 'a":': 1 }, state: "repaired-parse" } },
    { text: "[1😀", ours: { value: [1], state: "repaired-parse" } },
  ]);
});

test("random texts, cut anywhere", async () => {
  const differences = [];
  for (let seed = 1; seed <= 3000; seed++) await compare(cutText(new Random(seed)), differences);
  // Nothing is wrong with these texts but that they end.
  for (const { ours } of differences) assert.equal(ours.state, "repaired-parse");
  assert.ok(differences.length < 60, `${differences.length} differences`);
});

test("random texts, cut and with a character too many or of another kind", async () => {
  const differences = [];
  for (let seed = 1; seed <= 3000; seed++) {
    const random = new Random(seed);
    const text = cutText(random);
    const at = random.below(text.length + 1);
    const replaced = text.slice(0, at) + random.pick(marks) + text.slice(at + random.below(2));
    await compare(replaced, differences);
  }
  assert.ok(differences.length < 60, `${differences.length} differences`);
});

test("the value grows with the text, to what JSON.parse gives", async () => {
  const value = { 'a"b\\': [1e21, { c: "é\ud83d😀\n" }], d: { e: [null, true] } };
  const text = JSON.stringify(value);
  for (let length = 0; length < text.length; length++) {
    const { state } = await parsePartialJson(text.slice(0, length));
    assert.equal(state, length === 0 ? "failed-parse" : "repaired-parse");
  }
  assert.deepEqual(await parsePartialJson(text), { value, state: "successful-parse" });
  assert.deepEqual(await parsePartialJson(` ${text}\n`), { value, state: "successful-parse" });
});

test("no text, and keys that must not be", async () => {
  assert.deepEqual(await parsePartialJson(undefined), { value: undefined, state: "undefined-input" });
  for (const text of ['{"__proto__":{}}', '{"a":{"constructor":{"prototype":1}}}', '{"__proto__":1']) {
    assert.deepEqual(await parsePartialJson(text), { value: undefined, state: "failed-parse" });
    assert.deepEqual(await peer.parsePartialJson(text), { value: undefined, state: "failed-parse" });
  }
});
