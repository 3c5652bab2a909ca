// Makes what the browser tests import beside the built package, into generated/ (ignored by git):
//
//   peer.js              the AI SDK's own reader, to compare with
//   debug.js, core.wasm  the package over a debug build of the crate, which has `trapForTest`;
//                        `glue` has the bindings themselves
//
//   WASM_BINDGEN=path node tests/web/build.mjs      the wasm-bindgen CLI, as .ci/tools.sh gives it

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const repository = join(folder, "../..");
const generated = join(folder, "generated");
const bindings = join(generated, "bindings");
const { build } = createRequire(join(repository, "pkg/package.json"))("esbuild");

const { WASM_BINDGEN } = process.env;
if (!WASM_BINDGEN) throw new Error("Set WASM_BINDGEN: bash .ci/tools.sh wasm-bindgen prints it.");

const options = {
  bundle: true,
  format: "esm",
  target: "es2022",
  platform: "browser",
  legalComments: "none",
  logLevel: "error",
  absWorkingDir: repository,
};

rmSync(generated, { recursive: true, force: true });
mkdirSync(generated);
run("cargo", ["build", "--lib", "--target", "wasm32-unknown-unknown"]);
run(WASM_BINDGEN, [
  ...["--target", "web", "--out-dir", bindings, "--out-name", "chatwire"],
  ...["--omit-default-module-path", "--experimental-reset-state-function"],
  join(targetFolder(), "wasm32-unknown-unknown/debug/chatwire.wasm"),
]);
copyFileSync(join(bindings, "chatwire_bg.wasm"), join(generated, "core.wasm"));

await build({
  ...options,
  stdin: { contents: 'export { readUIMessageStream } from "ai";', resolveDir: join(repository, "pkg") },
  outfile: join(generated, "peer.js"),
});
await build({
  ...options,
  stdin: {
    contents:
      'export * from "./pkg/src/index.ts"; export * as glue from "./pkg/wasm/core/chatwire.js";',
    resolveDir: repository,
  },
  plugins: [{ name: "debug-bindings", setup: useDebugBindings }],
  outfile: join(generated, "debug.js"),
});

/** The package's sources name the release build's bindings. */
function useDebugBindings({ onResolve }) {
  onResolve({ filter: /\/wasm\/core\/chatwire\.js$/ }, () => ({ path: join(bindings, "chatwire.js") }));
}

function targetFolder() {
  const metadata = ["metadata", "--format-version", "1", "--no-deps"];
  return JSON.parse(execFileSync("cargo", metadata, { cwd: repository, encoding: "utf8" })).target_directory;
}

function run(command, parameters) {
  execFileSync(command, parameters, { cwd: repository, stdio: "inherit" });
}
