// Importing an entry point does nothing: it can be imported on a server and in any frame of mind.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

// The language's own, and two that exist wherever WebAssembly does and have no effect outside.
const allowed = ["TextDecoder", "TextEncoder", "FinalizationRegistry"];

// In a process of its own: everything global beyond the language reports who reads it.
const watch = `
  const host = process;
  const turn = setImmediate;
  const language = new Set(host.argv[2].split(","));
  const read = new Set();
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (language.has(name)) continue;
    const { value, get, configurable } = Object.getOwnPropertyDescriptor(globalThis, name);
    if (!configurable) continue;
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get() {
        const [, , caller = ""] = new Error().stack.split("\\n");
        if (!caller.includes("node:")) read.add(name);
        return get ? get.call(globalThis) : value;
      },
    });
  }
  const before = Object.getOwnPropertyNames(globalThis).length;
  const handles = host.getActiveResourcesInfo().length;
  await import(host.argv[1]);
  await new Promise((done) => turn(done));
  const report = {
    read: [...read],
    added: Object.getOwnPropertyNames(globalThis).length - before,
    handles: host.getActiveResourcesInfo().length - handles,
  };
  host.stdout.write(JSON.stringify(report));
`;
const language = (
  "globalThis Infinity NaN undefined eval isFinite isNaN parseFloat parseInt decodeURI " +
  "decodeURIComponent encodeURI encodeURIComponent escape unescape AggregateError Array ArrayBuffer " +
  "BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError Float32Array " +
  "Float64Array Function Int8Array Int16Array Int32Array Map Number Object Promise Proxy RangeError " +
  "ReferenceError RegExp Set String Symbol SyntaxError TypeError URIError Uint8Array " +
  "Uint8ClampedArray Uint16Array Uint32Array WeakMap WeakRef WeakSet Reflect JSON Math Iterator"
).split(" ");

/** What importing the module at `url` reads and leaves behind. */
function effectsOf(url) {
  const parameters = ["--input-type=module", "--eval", watch, url, [...language, ...allowed].join()];
  return JSON.parse(execFileSync(process.execPath, parameters, { encoding: "utf8" }));
}

for (const file of ["index.js", "inline.js", "node.js", "markdown.js", "markdown-node.js", "agent.js", "agent-node.js"]) {
  test(`${file} touches nothing`, () => {
    const url = new URL(`../dist/${file}`, import.meta.url).href;
    assert.deepEqual(effectsOf(url), { read: [], added: 0, handles: 0 });
  });
}

test("what it looks for is found", () => {
  const code = "globalThis.mine = fetch; setTimeout(() => {}, 1000); Math.random(); new TextDecoder();";
  assert.deepEqual(effectsOf(`data:text/javascript,${encodeURIComponent(code)}`), {
    read: ["fetch", "setTimeout"],
    added: 1,
    handles: 1,
  });
});

test("a chat exists and shows its messages where there is no WebAssembly", () => {
  const code = `
    delete globalThis.WebAssembly;
    delete globalThis.fetch;
    const { Chat } = await import("chatwire");
    const messages = [{ id: "1", role: "user", parts: [{ type: "text", text: "Hello" }] }];
    const chat = new Chat({ messages });
    const { status, messages: shown } = chat.getSnapshot();
    process.stdout.write(JSON.stringify([status, shown, chat.messages === shown]));
  `;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    encoding: "utf8",
  });
  assert.deepEqual(JSON.parse(output), [
    "ready",
    [{ id: "1", role: "user", parts: [{ type: "text", text: "Hello" }] }],
    true,
  ]);
});
