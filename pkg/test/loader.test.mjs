// Loading the WebAssembly. Each case runs in a thread of its own: an instance belongs to its thread.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";

const wasm = readFileSync(fileURLToPath(import.meta.resolve("chatwire/core.wasm")));
const html = "<!doctype html><title>Home</title>";
const answers = {
  "/core.wasm": { type: "application/wasm", body: wasm },
  "/octets.wasm": { type: "application/octet-stream", body: wasm },
  "/untyped.wasm": { body: wasm },
  "/page": { type: "text/html", body: html },
  "/page-as-wasm": { type: "application/wasm", body: html },
  "/empty": { type: "application/octet-stream", body: "" },
  "/damaged.wasm": { type: "application/octet-stream", body: wasm.subarray(0, -100) },
  "/damaged-typed.wasm": { type: "application/wasm", body: wasm.subarray(0, -100) },
};

const loaderOf = (chatwire) =>
  new chatwire.DefaultChatTransport()[Symbol.for("chatwire.transport")].loader;

async function failure(promise, code) {
  const error = await promise.then(
    () => assert.fail("should have failed"),
    (reason) => reason,
  );
  const { ChatwireError } = await import("chatwire");
  assert.ok(error instanceof ChatwireError, String(error));
  assert.equal(error.code, code, error.message);
  return error;
}

/** `origin`: a server with the `answers`; `requested()`: the paths asked for so far. */
const cases = {
  async "the package's own file, once"({ requested }) {
    const chatwire = await import("chatwire");
    const loader = loaderOf(chatwire);
    assert.equal(loader.current, undefined);
    const [first, second] = await Promise.all([loader.load(), loader.load(), chatwire.init()]);
    assert.equal(first, second);
    assert.equal(loader.current, first);
    assert.equal(first.generation, 1);
    assert.equal(await loader.load(), first);
    assert.deepEqual(await requested(), []);
  },

  async "inline, and the other entry point shares the instance"() {
    const inline = await import("chatwire/inline");
    await inline.init();
    const runtime = loaderOf(inline).current;
    assert.equal(runtime.generation, 1);
    assert.equal(loaderOf(await import("chatwire")).current, runtime);
  },

  async "inline fetches nothing"() {
    globalThis.fetch = () => assert.fail("fetch was called");
    await (await import("chatwire/inline")).init();
  },

  async "a URL, streamed"({ origin, requested }) {
    const chatwire = await import("chatwire");
    const streamed = WebAssembly.compileStreaming;
    let calls = 0;
    WebAssembly.compileStreaming = (response) => (calls++, streamed(response));
    await chatwire.init({ url: `${origin}/core.wasm` });
    assert.equal(calls, 1);
    await chatwire.init({ url: `${origin}/page` });
    assert.deepEqual(await requested(), ["/core.wasm"]);
    assert.ok(loaderOf(chatwire).current);
  },

  async "a URL with the wrong type"({ origin }) {
    const chatwire = await import("chatwire");
    await chatwire.init({ url: new URL("/octets.wasm", origin) });
    assert.ok(loaderOf(chatwire).current);
  },

  async "a URL without a type"({ origin }) {
    const chatwire = await import("chatwire");
    await chatwire.init({ url: `${origin}/untyped.wasm` });
    assert.ok(loaderOf(chatwire).current);
  },

  async "an engine without streaming"({ origin }) {
    delete WebAssembly.compileStreaming;
    const chatwire = await import("chatwire");
    await chatwire.init({ url: `${origin}/core.wasm` });
    assert.ok(loaderOf(chatwire).current);
  },

  async "bytes"() {
    const chatwire = await import("chatwire");
    const padded = new Uint8Array(wasm.length + 6);
    padded.set(wasm, 3);
    await chatwire.init({ bytes: padded.subarray(3, -3) });
    assert.ok(loaderOf(chatwire).current);
  },

  async "an ArrayBuffer"() {
    const chatwire = await import("chatwire");
    await chatwire.init({ bytes: new Uint8Array(wasm).buffer });
    assert.ok(loaderOf(chatwire).current);
  },

  async "a compiled module"() {
    const module = await WebAssembly.compile(wasm);
    const { compile } = WebAssembly;
    let compiled = 0;
    // Node's own fetch compiles a module, too.
    WebAssembly.compile = (bytes) => (bytes.length === wasm.length && compiled++, compile(bytes));
    const chatwire = await import("chatwire");
    await chatwire.init({ module });
    assert.ok(loaderOf(chatwire).current);
    assert.equal(compiled, 0);
  },

  async "a response, or a promise of one"({ origin }) {
    const chatwire = await import("chatwire");
    await chatwire.init({ response: fetch(`${origin}/core.wasm`) });
    assert.ok(loaderOf(chatwire).current);
  },

  async "a page instead of the file names the remedy"({ origin }) {
    const { init } = await import("chatwire");
    const error = await failure(init({ url: `${origin}/page` }), "wasm_not_found");
    assert.match(error.message, /\/page gave a file of type "text\/html"/);
    assert.match(error.message, /core\.wasm.*init\(\{ url \}\).*chatwire\/inline/);
  },

  async "a missing file, an unreachable server, an empty file"({ origin }) {
    const { init } = await import("chatwire");
    const missing = await failure(init({ url: `${origin}/nowhere` }), "wasm_not_found");
    assert.match(missing.message, /\/nowhere gave HTTP 404/);
    const unreachable = await failure(init({ url: "http://127.0.0.1:1/x" }), "wasm_not_found");
    assert.ok(unreachable.cause instanceof TypeError);
    await failure(init({ url: `${origin}/empty` }), "wasm_not_found");
  },

  async "a damaged file, a foreign module"({ origin }) {
    const { init } = await import("chatwire");
    for (const path of ["/damaged.wasm", "/damaged-typed.wasm", "/page-as-wasm"]) {
      const error = await failure(init({ url: origin + path }), "wasm_invalid");
      assert.ok(error.cause instanceof WebAssembly.CompileError);
    }
    // (module (import "m" "f" (func)))
    const foreign = new Uint8Array([
      0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 7, 1, 1, 109, 1, 102, 0, 0,
    ]);
    await failure(init({ bytes: foreign }), "wasm_invalid");
  },

  async "a failed load is tried again"({ origin }) {
    const chatwire = await import("chatwire");
    const loader = loaderOf(chatwire);
    const attempts = [chatwire.init({ url: `${origin}/page` }), loader.load(), chatwire.init()];
    for (const attempt of attempts) await failure(attempt, "wasm_not_found");
    // The source that was given stays.
    await failure(loader.load(), "wasm_not_found");
    await chatwire.init({ url: `${origin}/core.wasm` });
    assert.equal((await loader.load()).generation, 1);
  },

  async "a source that throws at once is tried again"() {
    // As `new URL` does where import.meta.url is not known.
    const chatwire = await import("chatwire/inline");
    const { atob } = globalThis;
    delete globalThis.atob;
    const loader = loaderOf(chatwire);
    await failure(loader.load(), "wasm_not_found");
    globalThis.atob = atob;
    assert.ok(await loader.load());
  },

  async "no WebAssembly"() {
    delete globalThis.WebAssembly;
    const { init } = await import("chatwire");
    await failure(init(), "unsupported");
  },

  async "a policy against WebAssembly"() {
    const { init } = await import("chatwire");
    for (const message of [
      // Chromium, Firefox, Safari.
      "WebAssembly.compile(): Compiling or instantiating WebAssembly module violates the following Content Security policy directive because 'unsafe-eval' is not an allowed source of script",
      "call to WebAssembly.compile() blocked by CSP",
      "Refused to create a WebAssembly object because 'unsafe-eval' or 'wasm-unsafe-eval' is not an allowed source",
    ]) {
      WebAssembly.compile = () => Promise.reject(new WebAssembly.CompileError(message));
      const error = await failure(init(), "wasm_blocked");
      assert.match(error.message, /'wasm-unsafe-eval'/);
    }
  },

  async "a restart gives one fresh instance to all"() {
    const chatwire = await import("chatwire");
    const loader = loaderOf(chatwire);
    const crashed = await loader.load();
    let starts = 0;
    const { Instance } = WebAssembly;
    WebAssembly.Instance = class extends Instance {
      constructor(...parameters) {
        super(...parameters);
        starts++;
      }
    };
    const [one, two] = await Promise.all([loader.restart(crashed), loader.restart(crashed)]);
    assert.equal(starts, 1);
    assert.equal(one, two);
    assert.equal(one.generation, 2);
    assert.equal(loader.current, one);
    assert.equal(await loader.load(), one);
    assert.equal((await loader.restart()).generation, 3);
  },

  async "a restart before the first start is a start"() {
    const loader = loaderOf(await import("chatwire"));
    assert.equal((await loader.restart()).generation, 1);
  },
};

if (isMainThread) {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request.url);
    const { type, body } = answers[request.url] ?? {};
    response.writeHead(body === undefined ? 404 : 200, type ? { "content-type": type } : {});
    response.end(body ?? "no");
  });
  let origin;
  test.before(async () => {
    await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
    origin = `http://127.0.0.1:${server.address().port}`;
  });
  test.after(() => server.close());

  for (const name of Object.keys(cases)) {
    test(name, async () => {
      requests.length = 0;
      const worker = new Worker(new URL(import.meta.url), { workerData: { name, origin } });
      worker.on("message", (port) => port.postMessage(requests));
      await new Promise((resolve, reject) => {
        worker.on("error", reject);
        worker.on("exit", resolve);
      });
    });
  }
} else {
  const { parentPort } = await import("node:worker_threads");
  await cases[workerData.name]({
    origin: workerData.origin,
    requested: () =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.once("message", (paths) => (port1.close(), resolve(paths)));
        parentPort.postMessage(port2, [port2]);
      }),
  });
}
