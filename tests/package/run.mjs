// The packed tarball in fresh projects: bundlers, a real browser, Node, TypeScript, package linters.
//
//   node run.mjs        (after `node pkg/build.mjs`)
//
//   CHROME   a Chromium to use (default: /usr/bin/chromium)

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as esbuild from "esbuild";
import * as vite from "vite";
import { openBrowser } from "./support/browser.mjs";
import { createProject, removeProjects, run, tarball, tool } from "./support/project.mjs";
import { answer, startServer } from "./support/server.mjs";

const here = dirname(fileURLToPath(import.meta.url));
let browser;
test.before(async () => {
  browser = await openBrowser();
});
test.after(async () => {
  await browser?.close();
  removeProjects();
});

function assertTalked({ statuses, outcome, messages, text, error, faults }, bodies) {
  assert.equal(error, undefined);
  assert.deepEqual(statuses, ["ready", "submitted", "streaming", "ready"]);
  assert.equal(outcome, "complete");
  assert.deepEqual(text, [answer]);
  assert.deepEqual(faults, ["0.parts.0.data schema"]);
  assert.deepEqual(messages, [
    { role: "user", parts: [{ type: "text", text: "Hello" }] },
    {
      role: "assistant",
      parts: [{ type: "step-start" }, { type: "text", text: answer, state: "done" }],
    },
  ]);
  assert.equal(bodies.length, 1);
  const [{ id, messages: sent, trigger }] = bodies;
  assert.equal(typeof id, "string");
  assert.equal(trigger, "submit-message");
  assert.deepEqual(sent.map(({ role, parts }) => ({ role, parts })), messages.slice(0, 1));
}

function assertNotLoaded({ error, rejectedWithError, statuses }, code, message) {
  assert.equal(error?.code, code);
  assert.match(error.message, message);
  assert.ok(rejectedWithError);
  assert.equal(statuses.at(-1), "error");
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
}

/** A program of its own: Vite tells a build from development by a variable of the whole process. */
function buildWithVite(project) {
  run(project, tool("vite"), "build", "--logLevel", "warn");
  return join(project, "dist");
}

async function buildWithEsbuild(project, entry) {
  const root = join(project, "dist");
  await esbuild.build({
    entryPoints: { main: join(project, entry) },
    bundle: true,
    format: "esm",
    outdir: root,
    logLevel: "warning",
  });
  writeFileSync(join(root, "index.html"), readFileSync(join(project, "index.html")));
  return root;
}

test("Vite build: one wasm file, loaded once, without a complaint", async (t) => {
  const root = buildWithVite(createProject("vite"));
  assert.equal(filesIn(root).filter((name) => name.endsWith(".wasm")).length, 1);
  const server = await startServer({
    root,
    policy: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:",
  });
  t.after(() => server.close());
  const found = await browser.talk(server.origin, server.api);
  assertTalked(found, server.bodies);
  assert.equal(found.wasmRequests.length, 1);
  assert.deepEqual(found.complaints, []);
  assert.equal(found.isFrozen, false, "messages are frozen in development only");
});

test("Vite build on a server that answers unknown paths with the page: a typed error", async (t) => {
  const root = buildWithVite(createProject("vite", "vite-lost"));
  const [wasm] = filesIn(root).filter((name) => name.endsWith(".wasm"));
  run(root, "rm", wasm);
  const server = await startServer({ root, homeForUnknown: true });
  t.after(() => server.close());
  const found = await browser.talk(server.origin, server.api);
  assertNotLoaded(found, "wasm_not_found", /text\/html.*init\(\{ url \}\)/);
  assert.equal(server.bodies.length, 0);
});

test("Vite development server", async (t) => {
  const project = createProject("vite", "vite-dev");
  const development = await vite.createServer({
    root: project,
    logLevel: "warn",
    server: { host: "127.0.0.1", port: 0, hmr: false, watch: null },
  });
  await development.listen();
  t.after(() => development.close());
  const server = await startServer();
  t.after(() => server.close());
  const found = await browser.talk(development.resolvedUrls.local[0], server.api);
  assertTalked(found, server.bodies);
  assert.equal(found.wasmRequests.length, 1);
  assert.deepEqual(found.complaints, []);
  assert.equal(found.isFrozen, true, "messages are frozen in development");
});

test("esbuild with chatwire/inline: one file, under a strict policy", async (t) => {
  const root = await buildWithEsbuild(createProject("esbuild", "esbuild-inline"), "inline.js");
  assert.deepEqual(filesIn(root).sort(), ["index.html", "main.js"]);
  const server = await startServer({
    root,
    policy: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:",
  });
  t.after(() => server.close());
  const found = await browser.talk(server.origin, server.api);
  assertTalked(found, server.bodies);
  assert.deepEqual(found.wasmRequests, []);
  assert.deepEqual(found.complaints, []);
});

test("a policy without 'wasm-unsafe-eval': a typed error that names it", async (t) => {
  const root = await buildWithEsbuild(createProject("esbuild", "esbuild-blocked"), "inline.js");
  const server = await startServer({ root, policy: "default-src 'self'; img-src data:" });
  t.after(() => server.close());
  const found = await browser.talk(server.origin, server.api);
  assertNotLoaded(found, "wasm_blocked", /'wasm-unsafe-eval'/);
});

test("esbuild without the file copied: a typed error; with it copied: a chat", async (t) => {
  const project = createProject("esbuild", "esbuild-url");
  const root = await buildWithEsbuild(project, "by-url.js");
  assert.deepEqual(filesIn(root).sort(), ["index.html", "main.js"]);
  const server = await startServer({ root });
  t.after(() => server.close());
  const found = await browser.talk(server.origin, server.api);
  assertNotLoaded(found, "wasm_not_found", /HTTP 404.*chatwire\/inline/);

  run(project, "cp", "node_modules/chatwire/dist/core.wasm", root);
  assertTalked(await browser.talk(server.origin, server.api), server.bodies);
});

test("Vite build with chatwire/markdown: its own wasm file, and elements under a strict policy", async (t) => {
  const root = buildWithVite(createProject("vite-markdown"));
  const files = filesIn(root).filter((name) => name.endsWith(".wasm"));
  assert.match(files.join(" "), /^[^ ]*markdown[^ ]*\.wasm$/);
  const server = await startServer({
    root,
    policy: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:",
  });
  t.after(() => server.close());
  const { html, complaints } = await browser.talk(server.origin, server.api);
  assert.equal(html, "<p><em>a</em> &lt;script&gt;b&lt;/script&gt;</p>");
  assert.deepEqual(complaints, []);
});

test("chatwire/markdown in Node", () => {
  const project = createProject("node", "node-markdown");
  const text = { type: "text", value: "a" };
  assert.deepEqual(JSON.parse(run(project, process.execPath, "markdown.js")), [
    { type: "paragraph", children: [{ type: "emphasis", children: [text] }] },
  ]);
});

test("chatwire/agent in Node", () => {
  const project = createProject("node", "node-agent");
  const { merged, rejected, text } = JSON.parse(run(project, process.execPath, "agent.js"));
  assert.deepEqual([merged, rejected], [["c"], []]);
  assert.match(text, /"input":\{"amount":1\.0\},"approval":\{"id":"a","signature":"s","approved":true\}/);
});

test("Node", async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  const project = createProject("node");
  // Not `run`: it would stop the server that the program talks to.
  const parameters = ["main.js", server.api];
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { cwd: project });
  assertTalked(JSON.parse(stdout), server.bodies);
});

/** The environments of a consumer, with and without the DOM's types, library checks on. */
const environments = {
  "a browser app, bundler resolution": {
    module: "ESNext",
    moduleResolution: "bundler",
    lib: ["ES2022", "DOM"],
    types: [],
  },
  "a browser app, Node resolution": {
    module: "NodeNext",
    moduleResolution: "NodeNext",
    lib: ["ES2022", "DOM"],
    types: [],
  },
  "a server, no DOM": {
    module: "NodeNext",
    moduleResolution: "NodeNext",
    lib: ["ES2022"],
    types: ["node"],
    typeRoots: [join(here, "node_modules/@types")],
  },
};
for (const [name, options] of Object.entries(environments)) {
  test(`tsc --strict: ${name}`, () => {
    const project = createProject("typescript", `typescript-${name.replace(/\W+/g, "-")}`);
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          ...options,
          target: "ES2022",
          strict: true,
          exactOptionalPropertyTypes: true,
          noEmit: true,
          skipLibCheck: false,
        },
        files: ["consumer.ts"],
      }),
    );
    run(project, tool("tsc"), "-p", project);
  });
}

test("the tarball holds what it should and nothing else", () => {
  const files = run(here, "tar", "tzf", tarball).trim().split("\n");
  const unexpected = files.filter(
    (file) =>
      !/^package\/(package\.json|README\.md|LICENSE-(MIT|APACHE|THIRD-PARTY)|dist\/[\w-]+\.(js|d\.ts)|dist\/(core|full|markdown)\.wasm)$/.test(
        file,
      ),
  );
  assert.deepEqual(unexpected, []);
  const licences = ["LICENSE-MIT", "LICENSE-APACHE", "LICENSE-THIRD-PARTY"];
  for (const file of ["README.md", ...licences, "dist/core.wasm", "dist/markdown.wasm", "dist/full.wasm"]) {
    assert.ok(files.includes(`package/${file}`), file);
  }
});

test("publint", () => {
  run(here, tool("publint"), "run", tarball, "--strict");
});

test("are the types wrong?", () => {
  // An ES module package; a file that is no module needs no types.
  const parameters = ["--profile", "esm-only", "--exclude-entrypoints", "core.wasm", "markdown.wasm", "full.wasm"];
  run(here, tool("attw"), tarball, ...parameters);
});
