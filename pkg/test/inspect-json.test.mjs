import assert from "node:assert/strict";
import { test } from "node:test";

import { Chat, DefaultChatTransport, inspectJson } from "chatwire";

/** A value that a chat received as this text. */
async function received(text) {
  const events = ['{"type":"start"}', `{"type":"data-value","data":${text}}`, '{"type":"finish"}', "[DONE]"];
  const fetch = async () =>
    new Response(events.map((data) => `data: ${data}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });
  const chat = new Chat({ transport: new DefaultChatTransport({ fetch }) });
  await chat.sendMessage({ text: "Go" });
  assert.equal(chat.error, undefined);
  const { data } = chat.messages[1].parts[0];
  chat.dispose();
  return data;
}

test("inspectJson lays a value out as JSON.stringify does", () => {
  const values = [{}, [], { a: [] }, [[{}], 1, "x", null, true], { a: { b: [1, { c: 2 }] }, d: "e" }, "text", 5];
  for (const value of values) {
    assert.deepEqual(inspectJson(value), { text: JSON.stringify(value, undefined, 2), warnings: [] });
  }
  assert.equal(inspectJson(undefined), undefined);
});

test("inspectJson writes what cannot be seen as escapes", () => {
  const value = { "a\u200b": "pay \u202e10\u2066\u00ad\u{E0041}", kept: 'é – 日本 "\\n"' };
  const { text } = inspectJson(value);
  assert.equal(
    text,
    '{\n  "a\\u200b": "pay \\u202e10\\u2066\\u00ad\\udb40\\udc41",\n  "kept": "é – 日本 \\"\\\\n\\""\n}',
  );
  assert.deepEqual(JSON.parse(text), value);
});

test("inspectJson keeps numbers and keys as they were received", async () => {
  const value = await received('{"b":1.50,"10":1E2,"a":[ -0.0, "\\u0041" ]}');
  assert.deepEqual(inspectJson(value), {
    text: '{\n  "b": 1.50,\n  "10": 1E2,\n  "a": [\n    -0.0,\n    "\\u0041"\n  ]\n}',
    warnings: [],
  });
});

test("inspectJson warns of numbers that JavaScript rounds and of keys that come twice", async () => {
  const value = await received(
    '{"id":9007199254740993,"list":[0.1,1e400,{"a/b":12345678901234567890.5}],"x":1,"\\u0078":2,"x\\u200b":{"k":1,"k":1}}',
  );
  assert.deepEqual(inspectJson(value).warnings, [
    { kind: "rounded_number", path: "/id", text: "9007199254740993" },
    { kind: "rounded_number", path: "/list/1", text: "1e400" },
    { kind: "rounded_number", path: "/list/2/a~1b", text: "12345678901234567890.5" },
    { kind: "duplicate_key", path: "/x", text: '"\\u0078"' },
    { kind: "duplicate_key", path: "/x\u200b/k", text: '"k"' },
  ]);
  const exact = await received("[9007199254740991,1.0,1e21,1e-7,123e-2,0.1,100,5e-324,1.7976931348623157e308]");
  assert.deepEqual(inspectJson(exact).warnings, []);
});

test("inspectJson gives at most 100 warnings, and reads any depth", async () => {
  const many = await received(`[${Array(150).fill("9007199254740993").join(",")}]`);
  assert.equal(inspectJson(many).warnings.length, 100);
  const depth = 200;
  const deep = await received("[".repeat(depth) + "]".repeat(depth));
  assert.equal(inspectJson(deep).text.split("\n").length, 2 * depth - 1);
});
