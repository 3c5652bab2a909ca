// Puts the packed package into node_modules, and bundles the pages of the tests into .build/.
//
//   node build.mjs        (after `node pkg/build.mjs`)

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const installed = join(here, "node_modules/chatwire");

/** What stands for the AI SDK's packages in each of the two builds. */
const VARIANTS = {
  peer: {},
  chatwire: { ai: "chatwire", "@ai-sdk/react": "chatwire/react" },
};
const PAGES = { example: "example/main.tsx", hooks: "hooks/main.tsx" };

installPackage();
rmSync(join(here, ".build"), { recursive: true, force: true });
for (const [variant, alias] of Object.entries(VARIANTS)) {
  await buildPages(join(here, ".build", variant), variant, alias);
}

/** As npm would: the files of the tarball, where imports of this folder find them. */
function installPackage() {
  const folder = mkdtempSync(join(tmpdir(), "chatwire-react-"));
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], {
    cwd: join(here, "../../pkg"),
    stdio: ["ignore", "ignore", "inherit"],
  });
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  const [tarball] = readdirSync(folder);
  execFileSync("tar", ["xzf", join(folder, tarball), "-C", installed, "--strip-components=1"]);
  rmSync(folder, { recursive: true });
}

async function buildPages(folder, variant, alias) {
  await build({
    absWorkingDir: here,
    entryPoints: PAGES,
    outdir: folder,
    bundle: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    alias,
    define: {
      // Development: double mounts of StrictMode, warnings, frozen messages.
      "process.env.NODE_ENV": '"development"',
      VARIANT: JSON.stringify(variant),
    },
    logLevel: "warning",
  });
  for (const wasm of ["core.wasm", "markdown.wasm"]) copyFileSync(join(installed, "dist", wasm), join(folder, wasm));
  for (const page of Object.keys(PAGES)) {
    writeFileSync(
      join(folder, `${page}.html`),
      `<!doctype html><meta charset="utf-8"><title>${page}, ${variant}</title>` +
        `<link rel="icon" href="data:,"><script type="module" src="${page}.js"></script>`,
    );
  }
}
