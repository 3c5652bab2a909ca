// chatwire/markdown in Node: a text that grows, as blocks.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createMarkdown, initMarkdown } from "chatwire/markdown";

const text = (value) => ({ type: "text", value });
const paragraph = (...children) => ({ type: "paragraph", children });

test("before the WebAssembly is loaded the text is one paragraph, afterwards it is parsed", async () => {
  const stream = createMarkdown();
  assert.deepEqual(stream.blocks, []);
  stream.append("# a\n\n*b*");
  assert.equal(stream.isReady, false);
  assert.deepEqual(stream.blocks, [paragraph(text("# a\n\n*b*"))]);
  assert.equal(stream.blocks, stream.blocks);
  await stream.ready();
  assert.equal(stream.isReady, true);
  const emphasis = { type: "emphasis", children: [text("b")] };
  assert.deepEqual(stream.blocks, [{ type: "heading", depth: 1, children: [text("a")] }, paragraph(emphasis)]);
  assert.equal(createMarkdown().isReady, true);
  await initMarkdown();
});

test("blocks that did not change keep their identity, and so do the items in a list", () => {
  const stream = createMarkdown();
  stream.append("a\n\n- b\n- c");
  const before = stream.blocks;
  assert.equal(stream.blocks, before);
  stream.append("d");
  const after = stream.blocks;
  assert.notEqual(after, before);
  assert.equal(after[0], before[0]);
  assert.notEqual(after[1], before[1]);
  assert.equal(after[1].children[0], before[1].children[0]);
  assert.deepEqual(after[1].children[1].children, [paragraph(text("cd"))]);
  // What was given stays as it was.
  assert.deepEqual(before[1].children[1].children, [paragraph(text("c"))]);
  stream.append("\n\n- e\n");
  assert.equal(stream.blocks[1].spread, true);
  assert.equal(before[1].spread, false);
});

test("set goes on where the text does, and starts anew where it does not", () => {
  const stream = createMarkdown();
  stream.set("a\n\n*b");
  const [first] = stream.blocks;
  stream.set("a\n\n*b* c");
  assert.equal(stream.blocks[0], first);
  assert.equal(stream.text, "a\n\n*b* c");
  stream.set("# x");
  assert.deepEqual(stream.blocks, [{ type: "heading", depth: 1, children: [text("x")] }]);
  stream.set("");
  assert.deepEqual(stream.blocks, []);
});

test("a complete text shows as it is written, and may go on", () => {
  const stream = createMarkdown();
  stream.append("a **b");
  assert.deepEqual(stream.blocks, [
    paragraph(text("a "), { type: "strong", children: [text("b")] }),
  ]);
  stream.finish();
  assert.deepEqual(stream.blocks, [paragraph(text("a **b"))]);
  const { blocks } = stream;
  stream.finish();
  stream.set("a **b");
  assert.equal(stream.blocks, blocks);
  stream.append("** c");
  assert.deepEqual(stream.blocks, [
    paragraph(text("a "), { type: "strong", children: [text("b")] }, text(" c")),
  ]);
});

test("half a character waits for its other half", () => {
  const stream = createMarkdown();
  stream.append("a\ud83d");
  assert.deepEqual(stream.blocks, [paragraph(text("a"))]);
  stream.append("\ude00");
  assert.deepEqual(stream.blocks, [paragraph(text("a😀"))]);
  stream.append("\ud83d");
  stream.finish();
  assert.deepEqual(stream.blocks, [paragraph(text("a😀\ufffd"))]);
});

test("only URLs of the allowed schemes are links and images", () => {
  const source = "[a](javascript:b) [c](ftp://d) ![e](javascript:f) [g](/h)";
  const types = (options) => {
    const stream = createMarkdown(options);
    stream.append(source);
    stream.finish();
    return stream.blocks[0].children.filter(({ type }) => type !== "text").map(({ url }) => url);
  };
  assert.deepEqual(types(), ["/h"]);
  assert.deepEqual(types({ urlSchemes: ["ftp"] }), ["ftp://d", "/h"]);
});

test("in the examples of the specification, blocks are the same in pieces and at once", () => {
  const spec = readFileSync(
    new URL("../../tests/fixtures/commonmark/spec-0.31.2.txt", import.meta.url),
    "utf8",
  );
  const examples = spec
    .split(`${"`".repeat(32)} example\n`)
    .slice(1)
    .map((part) => part.slice(0, part.indexOf("\n.\n") + 1).replaceAll("→", "\t"));
  assert.equal(examples.length, 652);
  for (const example of examples) {
    const whole = createMarkdown();
    whole.set(example);
    whole.finish();
    const stream = createMarkdown();
    for (let end = 1; end <= example.length; end++) {
      stream.set(example.slice(0, end));
      void stream.blocks;
    }
    stream.finish();
    assert.deepEqual(stream.blocks, whole.blocks, example);
  }
});

test("the parser that failed is replaced, and other texts go on", async () => {
  const first = createMarkdown();
  const second = createMarkdown();
  first.append("*a*");
  second.append("*b*");
  const expected = [paragraph({ type: "emphasis", children: [text("b")] })];
  assert.deepEqual(second.blocks, expected);
  // As a trap does.
  const { parse } = JSON;
  JSON.parse = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  try {
    assert.deepEqual(first.blocks, [paragraph(text("*a*"))]);
  } finally {
    JSON.parse = parse;
  }
  assert.deepEqual(first.blocks, [paragraph(text("*a*"))]);
  assert.deepEqual(second.blocks, expected);
  first.append("*");
  second.append(" c");
  assert.equal(first.blocks.length, 1);
  assert.deepEqual(second.blocks, [paragraph({ type: "emphasis", children: [text("b")] }, text(" c"))]);
});
