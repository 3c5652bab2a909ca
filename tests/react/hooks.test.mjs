// The tests of hooks/, each on a page of its own state in a browser: those that hold for the AI SDK,
// too, with its packages and with chatwire's.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openBrowser, openPage } from "./support/browser.mjs";
import { assertListed } from "./support/differences.mjs";
import { startServer } from "./support/server.mjs";

const [browser, server] = await Promise.all([openBrowser(), startServer()]);
after(async () => {
  await browser.close();
  await server.close();
});

for (const variant of ["peer", "chatwire"]) {
  const { page, complaints } = await openPage(browser, `${server.url}/${variant}/hooks.html`);
  const tests = await page.evaluate(() => globalThis.listTests());
  for (const { name, only } of tests) {
    if (only !== undefined && variant === "peer") continue;
    test(`${name} (${variant})`, async () => {
      if (only !== undefined && only !== "own") assertListed(only);
      complaints.length = 0;
      await page.evaluate((name) => globalThis.runTest(name), name);
      assert.deepEqual(complaints, []);
    });
  }
}
