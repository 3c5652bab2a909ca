// The names that a package exports.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const modules = join(dirname(fileURLToPath(import.meta.url)), "../node_modules");

/** All names of the AI SDK's package, those of types included. @param {string} name */
export function peerNames(name) {
  const declarations = readFileSync(join(modules, name, "dist/index.d.ts"), "utf8");
  const names = new Set();
  const declared =
    /^export (?:declare )?(?:abstract )?(?:class|function|const|type|interface|namespace) (\w+)/gm;
  for (const [, declaration] of declarations.matchAll(declared)) names.add(declaration);
  for (const [, list] of declarations.matchAll(/^export (?:type )?\{([^}]*)\}/gm)) {
    for (const item of list.split(",")) names.add(/(\w+)\s*$/.exec(item)[1]);
  }
  return names;
}

/** The names that exist when a program runs. @param {string} name */
export async function runtimeNames(name) {
  return new Set(Object.keys(await import(name)));
}
