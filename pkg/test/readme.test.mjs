// The examples of both READMEs compile, and the first one of the package's runs.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const examplesOf = (readme) =>
  [...readFileSync(join(here, readme), "utf8").matchAll(/```(tsx?)\n(.*?)```/gs)].map(([, language, code]) => ({ language, code }));
const examples = examplesOf("../README.md");
const repositoryExamples = examplesOf("../../README.md");

test("the examples compile", (t) => {
  assert.ok(examples.length >= 3 && repositoryExamples.length >= 1);
  // Inside the package, so that its name resolves to itself.
  const folder = mkdtempSync(join(here, "readme-"));
  t.after(() => rmSync(folder, { recursive: true }));
  [...examples, ...repositoryExamples].forEach(({ language, code }, index) =>
    writeFileSync(join(folder, `example-${index}.${language}`), code),
  );
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: "../../tsconfig.json",
      compilerOptions: {
        rootDir: "../..",
        noEmit: true,
        emitDeclarationOnly: false,
        jsx: "react-jsx",
        noUnusedLocals: false,
      },
      include: ["*.ts", "*.tsx"],
    }),
  );
  try {
    execFileSync(join(here, "../node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });
  } catch (error) {
    assert.fail(error.stdout);
  }
});

test("the first example shows the answer", async (t) => {
  const events = [
    { type: "start" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "Good " },
    { type: "text-delta", id: "1", delta: "day." },
    { type: "text-end", id: "1" },
    { type: "finish" },
  ];
  const body = [...events.map((event) => JSON.stringify(event)), "[DONE]"]
    .map((data) => `data: ${data}\n\n`)
    .join("");
  const headers = { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" };
  const fetch = t.mock.method(globalThis, "fetch", async () => new Response(body, { headers }));
  const log = t.mock.method(console, "log", () => {});
  t.mock.method(console, "error", (error) => assert.fail(error));

  await run(examples[0]);

  assert.equal(fetch.mock.calls[0].arguments[0], "/api/chat");
  assert.deepEqual(log.mock.calls.at(-1).arguments, ["ready", "Good day."]);
});

test("the example of a script shows how its response ended", async (t) => {
  const log = t.mock.method(console, "log", () => {});
  await run(examples.find(({ code }) => code.includes("ScriptedChatTransport")));
  assert.deepEqual(log.mock.calls.map((call) => call.arguments), [["disconnect", 1]]);
});

async function run({ code }) {
  const { code: script } = await transform(code, { loader: "ts", format: "esm" });
  const resolved = script.replaceAll(/"(chatwire[^"]*)"/g, (_, name) => JSON.stringify(import.meta.resolve(name)));
  await import(`data:text/javascript,${encodeURIComponent(resolved)}`);
}
