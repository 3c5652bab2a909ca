// Where the measurements run: Node processes and pages of headless Chromium.

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { cpus } from "node:os";
import { basename, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const here = fileURLToPath(new URL(".", import.meta.url));
const dist = fileURLToPath(new URL("../../pkg/dist", import.meta.url));
const out = fileURLToPath(new URL("../../target/bench", import.meta.url));
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };

/** Bundles the measurements for both engines, the libraries as an app in production has them. */
export async function bundle() {
  mkdirSync(out, { recursive: true });
  const common = {
    absWorkingDir: here,
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  };
  const package_ = (path, external) => ({
    name: "package",
    setup: ({ onResolve }) => onResolve({ filter: /^chatwire$/ }, () => ({ path, external })),
  });
  const inNode = package_(pathToFileURL(join(dist, "node.js")).href, true);
  await build({ ...common, entryPoints: ["measure.mjs"], platform: "node", outfile: join(out, "node.mjs"), plugins: [inNode] });
  const inPage = package_(join(dist, "index.js"), false);
  const first = (name) => ({
    contents: `import { ${name} } from "./contenders/${name}.mjs"; import { firstRun } from "./first-run.mjs"; export const run = () => firstRun(${name});`,
    resolveDir: here,
  });
  const page = { ...common, plugins: [inPage] };
  await build({ ...page, entryPoints: ["measure.mjs"], outfile: join(out, "page.js") });
  for (const name of ["chatwire", "peer"]) {
    await build({ ...page, stdin: first(name), outfile: join(out, `first-${name}.js`) });
  }
}

/** A Node process that has run nothing else. */
export async function runInNode(task, argument) {
  const code = `
    const measure = await import(${JSON.stringify(pathToFileURL(join(out, "node.mjs")).href)});
    console.log(JSON.stringify(await measure[${JSON.stringify(task)}](${JSON.stringify(argument)})));`;
  const child = spawn(process.execPath, ["--expose-gc", "--input-type=module", "--eval", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (data) => (output += data));
  const status = await new Promise((resolve) => child.on("close", resolve));
  if (status !== 0) throw new Error(`${task} failed in Node with status ${status}`);
  return JSON.parse(output);
}

/** Pages of one browser, each fresh. */
export class Pages {
  #server;
  #browser;

  static async open() {
    const server = createServer(({ url }, response) => {
      const name = basename(new URL(url, "http://localhost").pathname) || "index.html";
      const path = name === "core.wasm" ? join(dist, name) : join(out, name);
      response.setHeader("content-type", TYPES[extname(name)] ?? "text/plain");
      response.end(name === "index.html" ? "<!doctype html><title>bench</title><link rel=icon href=data:,>" : readFileSync(path));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const browser = await chromium.launch({
      executablePath: process.env.CHROME || "/usr/bin/chromium",
      args: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
    });
    return new Pages(server, browser);
  }

  constructor(server, browser) {
    this.#server = server;
    this.#browser = browser;
  }

  get version() {
    return this.#browser.version();
  }

  async run(task, argument) {
    return this.#inPage(
      async ([task, argument]) => (await import("/page.js"))[task](argument),
      [task, argument],
    );
  }

  /** Milliseconds from the request for the script to the end of the answer. */
  async firstRun(name) {
    return this.#inPage(async (script) => {
      const started = performance.now();
      const length = await (await import(script)).run();
      if (!(length > 0)) throw new Error("there is no answer");
      return performance.now() - started;
    }, `/first-${name}.js`);
  }

  async #inPage(task, argument) {
    const context = await this.#browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:${this.#server.address().port}/`);
      return await page.evaluate(task, argument);
    } finally {
      await context.close();
    }
  }

  async close() {
    await this.#browser.close();
    this.#server.close();
  }
}

/** The processor's name. */
export function processor() {
  return cpus()[0]?.model ?? process.arch;
}
