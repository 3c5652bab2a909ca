// Headless Chromium.

import { chromium } from "playwright-core";

/** Opens a browser. */
export function openBrowser() {
  return chromium.launch({
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
}

/**
 * Opens a page of its own, with what the console complained about.
 *
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 */
export async function openPage(browser, url) {
  const page = await browser.newPage();
  page.setDefaultTimeout(5000);
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(url);
  return { page, complaints };
}
