// Headless Chromium.

import { chromium } from "playwright-core";

/** Opens one browser for all pages. */
export async function openBrowser() {
  const browser = await chromium.launch({
    executablePath: process.env.CHROME ?? "/usr/bin/chromium",
    args: [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  return {
    close: () => browser.close(),

    /**
     * Opens `url`, lets the page talk to `api`.
     *
     * @returns what `talk` found, the WebAssembly requests, and what the console showed
     */
    async talk(url, api) {
      const page = await browser.newPage();
      const wasmRequests = [];
      const complaints = [];
      page.on("request", (request) => {
        if (new URL(request.url()).pathname.endsWith(".wasm")) wasmRequests.push(request.url());
      });
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complaints.push(message.text());
      });
      try {
        await page.goto(url);
        await page.waitForFunction(() => "talk" in globalThis, null, { timeout: 20_000 });
        const found = await page.evaluate((address) => globalThis.talk(address), api);
        return { ...found, wasmRequests, complaints };
      } finally {
        await page.close();
      }
    },
  };
}
