// The wasm modules may import only what .ci/wasm-imports.txt lists: through these names, and no
// others, the core reaches JavaScript. A clock or a random source would have to be listed there.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const read = (path) => readFileSync(new URL(path, import.meta.url));

const modules = ["core", "full", "markdown"].map(
  (build) => new WebAssembly.Module(read(`../pkg/dist/${build}.wasm`)),
);
const allowed = allowList(read("wasm-imports.txt").toString());

test("the modules import only what is listed", () => {
  assert.deepEqual(modules.flatMap((module) => unlisted(module, allowed)), []);
});

test("every listed import is in use", () => {
  const used = new Set(modules.flatMap((module) => WebAssembly.Module.imports(module).map(stem)));
  assert.deepEqual([...allowed].filter((name) => !used.has(name)), []);
});

test("the modules export nothing that is only there for tests", () => {
  for (const module of modules) {
    const names = WebAssembly.Module.exports(module).map(({ name }) => name);
    assert.ok(names.includes("memory"));
    assert.deepEqual(names.filter((name) => /test|trap|debug/i.test(name)), []);
  }
});

test("planted imports are found", () => {
  const glue = "./chatwire_bg.js";
  const planted = new WebAssembly.Module(
    wasmThatImports([
      [glue, "__wbg_now_0123456789abcdef"],
      [glue, "__wbg_random_0123456789abcdef"],
      ["env", "host_function"],
      ["wasi_snapshot_preview1", "clock_time_get"],
      [glue, "__wbg_parse_0123456789abcdef"],
      [glue, "__wbindgen_cast_0000000000000001"],
    ]),
  );
  assert.deepEqual(unlisted(planted, new Set(["parse", "__wbindgen_cast"])), [
    "now",
    "random",
    "env.host_function",
    "wasi_snapshot_preview1.clock_time_get",
  ]);
});

function unlisted(module, allowed) {
  return WebAssembly.Module.imports(module)
    .map(stem)
    .filter((name) => !allowed.has(name));
}

/**
 * An import's name without what changes from build to build: wasm-bindgen's prefix and hash.
 * Only the glue's own names are shortened; any other module is named.
 */
function stem({ module, name }) {
  if (module !== "./chatwire_bg.js") return `${module}.${name}`;
  return name.replace(/^__wbg_/, "").replace(/_[0-9a-f]{16}$/, "");
}

function allowList(text) {
  const names = text.split("\n").map((line) => line.replace(/#.*/, "").trim());
  return new Set(names.filter(Boolean));
}

/** A module with one function type and the given function imports. Names under 128 bytes. */
function wasmThatImports(imports) {
  const string = (text) => [text.length, ...Buffer.from(text)];
  const section = (id, body) => [id, (body.length & 127) | 128, body.length >> 7, ...body];
  const entries = imports.flatMap(([module, name]) => [...string(module), ...string(name), 0, 0]);
  return new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 0, 0]),
    ...section(2, [imports.length, ...entries]),
  ]);
}
