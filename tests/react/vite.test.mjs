// The example in Vite's build and on its development server, with chatwire behind the AI SDK's names.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as vite from "vite";
import { openBrowser, openPage } from "./support/browser.mjs";
import { startServer } from "./support/server.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const outDir = join(here, ".build/vite");

let browser;
let server;
before(async () => {
  [browser, server] = await Promise.all([openBrowser(), startServer()]);
});
after(async () => {
  await browser?.close();
  await server?.close();
});

const config = (more) => ({
  configFile: false,
  root: join(here, "example"),
  logLevel: "warn",
  resolve: { alias: { "@ai-sdk/react": "chatwire/react", ai: "chatwire" } },
  ...more,
});

async function assertTalks(url) {
  const { page, complaints } = await openPage(browser, `${url}?scenario=question`);
  const wasm = [];
  page.on("request", (request) => request.url().includes(".wasm") && wasm.push(request.url()));
  await page.getByLabel("Message").fill("Help me write a letter.");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("button", { name: "Friendly" }).click();
  await page.getByText("Noted: “Friendly”").waitFor();
  await page.locator("section[data-status=ready]").waitFor();
  assert.deepEqual(complaints, []);
  assert.equal(wasm.length, 1);
  await page.close();
}

test("build: one WebAssembly file, and the page talks", async () => {
  await vite.build(config({ base: "./", build: { outDir, emptyOutDir: true } }));
  const files = readdirSync(outDir, { recursive: true });
  assert.equal(files.filter((file) => file.endsWith(".wasm")).length, 1);
  await assertTalks(`${server.url}/vite/index.html`);
});

test("development server: the page talks", async () => {
  const development = await vite.createServer(
    config({
      cacheDir: join(here, ".build/vite-cache"),
      server: { host: "127.0.0.1", port: 0, hmr: false, watch: null, proxy: { "/api": server.url } },
    }),
  );
  await development.listen();
  try {
    await assertTalks(development.resolvedUrls.local[0]);
  } finally {
    await development.close();
  }
});
