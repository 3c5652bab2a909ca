// Fresh projects with the packed tarball installed.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const packageFolder = join(here, "../../../pkg");
const templates = join(here, "../projects");
const folder = mkdtempSync(join(tmpdir(), "chatwire-package-"));

/** The tarball, as `npm publish` would send it. */
export const tarball = pack();

function pack() {
  npm(packageFolder, "pack", "--ignore-scripts", "--pack-destination", folder);
  return join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")));
}

/**
 * A copy of the project `template` with the tarball as its only dependency.
 *
 * @returns {string} its folder
 */
export function createProject(template, name = template) {
  const project = join(folder, name);
  mkdirSync(project);
  cpSync(join(templates, template), project, { recursive: true });
  cpSync(join(templates, "talk.js"), join(project, "talk.js"));
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({
      private: true,
      type: "module",
      dependencies: { chatwire: `file:${tarball}` },
    }),
  );
  npm(project, "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund");
  return project;
}

/** Runs a command in `cwd`; its output, or an error that shows it. */
export function run(cwd, command, ...parameters) {
  try {
    return execFileSync(command, parameters, {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    throw new Error(`${command} failed:\n${error.stdout ?? ""}${error.stderr ?? error}`);
  }
}

/** A program of this folder's dependencies. */
export function tool(name) {
  return join(here, "../node_modules/.bin", name);
}

export function removeProjects() {
  rmSync(folder, { recursive: true, force: true });
}

function npm(cwd, ...parameters) {
  return run(cwd, "npm", ...parameters);
}
