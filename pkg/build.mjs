// Builds the package into dist/: Rust → WebAssembly → wasm-bindgen → wasm-opt; TypeScript → JavaScript
// and declarations. Prints what a page has to load.
//
//   node build.mjs [--debug]
//
//   --debug        readable output with source maps, and function names in the WebAssembly
//   WASM_BINDGEN   the wasm-bindgen CLI, of the crate's exact version  } by default
//   WASM_OPT       wasm-opt of binaryen                                } what .ci/tools.sh finds

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

const packageFolder = dirname(fileURLToPath(import.meta.url));
const repository = dirname(packageFolder);
const dist = join(packageFolder, "dist");
const debug = process.argv.includes("--debug");

// What every supported engine has. Not --all-features: it lets wasm-opt emit types that Node 20 refuses.
const WASM_FEATURES = [
  "bulk-memory",
  "sign-ext",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "multivalue",
];

/** The builds of the WebAssembly, and the crate's features that each one has. */
const builds = { core: "core", full: "agent", markdown: "markdown" };

const env = { ...process.env, ...findTools() };
const modules = Object.entries(builds).map(([name, features]) => buildWasm(name, features));
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
for (const module of modules) copyFileSync(module, join(dist, basename(module)));
run(join(packageFolder, "node_modules/.bin/tsc"), ["-p", packageFolder]);
const { metafile } = await bundle();
for (const entry of ["index", "inline", "agent", "markdown"]) printSizes(entry, filesOfPage(entry, metafile));

/** @returns {Record<string, string>} */
function findTools() {
  if (process.env.WASM_BINDGEN && process.env.WASM_OPT) return {};
  const lines = execFileSync("bash", [".ci/tools.sh", "wasm-target", "wasm-bindgen", "wasm-opt"], {
    cwd: repository,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return Object.fromEntries(
    lines
      .split("\n")
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}

/** @returns {string} the finished module, named by its build */
function buildWasm(name, features) {
  const glue = join(packageFolder, "wasm", name);
  const finished = join(packageFolder, "wasm", `${name}.wasm`);
  run("cargo", [
    ...["build", "--release", "--lib", "--target", "wasm32-unknown-unknown"],
    ...["--no-default-features", "--features", features],
  ]);
  const { target_directory } = JSON.parse(
    execFileSync("cargo", ["metadata", "--format-version", "1", "--no-deps"], {
      cwd: repository,
      env,
      encoding: "utf8",
    }),
  );
  rmSync(glue, { recursive: true, force: true });
  run(env.WASM_BINDGEN, [
    ...["--target", "web", "--out-dir", glue, "--out-name", "chatwire"],
    // The loader names the file; a second mention would make bundlers emit a second copy.
    "--omit-default-module-path",
    // A fresh instance after a crash.
    "--experimental-reset-state-function",
    join(target_directory, "wasm32-unknown-unknown/release/chatwire.wasm"),
  ]);
  run(env.WASM_OPT, [
    "-Os",
    ...(debug ? ["--debuginfo"] : []),
    "--mvp-features",
    ...WASM_FEATURES.map((feature) => `--enable-${feature}`),
    ...["--output", finished, join(glue, "chatwire_bg.wasm")],
  ]);
  return finished;
}

function bundle() {
  return build({
    absWorkingDir: packageFolder,
    entryPoints: [
      ...["index", "inline", "node", "react", "testing", "json-schema", "telemetry"],
      ...["markdown", "markdown-node", "markdown-react", "agent", "agent-node"],
    ].map((entry) => `src/${entry}.ts`),
    outdir: dist,
    bundle: true,
    splitting: true,
    // In the entries' own folder, so that import.meta.url means the same in all of them.
    chunkNames: "shared-[hash]",
    format: "esm",
    target: "es2022",
    // Not "browser": that would decide process.env.NODE_ENV here instead of in the app.
    platform: "neutral",
    // An adapter imports the package by its name: a bundler or Node then picks the entry for it.
    external: ["node:*", "chatwire", "react"],
    loader: { ".wasm": "base64" },
    minify: !debug,
    sourcemap: debug,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
}

/** The JavaScript that importing an entry loads, and the WebAssembly if it is a file. */
function filesOfPage(entry, { outputs }) {
  const files = new Set([`dist/${entry}.js`]);
  for (const file of files) {
    for (const { path, external } of outputs[file].imports) if (!external) files.add(path);
  }
  const wasm = { index: ["dist/core.wasm"], inline: [], agent: ["dist/full.wasm"], markdown: ["dist/markdown.wasm"] };
  return [...files, ...wasm[entry]];
}

function printSizes(entry, files) {
  const rows = files.map((file) => ({ file, ...sizes(readFileSync(join(packageFolder, file))) }));
  const total = { file: `chatwire${entry === "index" ? "" : `/${entry}`}, all`, raw: 0, gzip: 0, brotli: 0 };
  for (const row of rows) for (const key of ["raw", "gzip", "brotli"]) total[key] += row[key];
  console.log(`${"bytes".padEnd(32)}${"raw".padStart(9)}${"gzip".padStart(9)}${"brotli".padStart(9)}`);
  for (const { file, raw, gzip, brotli } of [...rows, total]) {
    console.log(file.padEnd(32) + [raw, gzip, brotli].map((size) => String(size).padStart(9)).join(""));
  }
}

function sizes(content) {
  return {
    raw: content.length,
    gzip: gzipSync(content, { level: 9 }).length,
    brotli: brotliCompressSync(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
    }).length,
  };
}

function run(command, args) {
  execFileSync(command, args, { cwd: repository, env, stdio: "inherit" });
}
