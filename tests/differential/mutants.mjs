// Shows that the random runs see faults of the core: builds the package with one line of the core
// changed, for each of the mutants below, and expects a run to fail. Faults of the decoder's fast
// path are to be seen by the native comparison with the general path.
//
//   node tests/differential/mutants.mjs [NAME...]
//
// Works on a copy in a temporary folder. Each build takes about half a minute.

import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** Name, file, the line as it is, and as it is not to be. */
const FAST_PATH_MUTANTS = [
  [
    "one hexadecimal digit makes an escape",
    "src/protocol/ui_stream/repeated_delta.rs",
    "iter().all(u8::is_ascii_hexdigit)",
    "iter().any(u8::is_ascii_hexdigit)",
  ],
  [
    "a delta may end in any way",
    "src/protocol/ui_stream/repeated_delta.rs",
    "data.as_bytes().starts_with(before) && data.as_bytes().ends_with(after)",
    "data.as_bytes().starts_with(before)",
  ],
  [
    "a run goes on through a replay",
    "src/chat/apply.rs",
    "if response.request != request || response.resume.is_replaying() {",
    "if response.request != request {",
  ],
  [
    "a spelling outlives the end of its part",
    "src/chat/apply.rs",
    "None => response.repeated.clear(),",
    "None => {}",
  ],
  [
    "an event may begin in the middle of another",
    "src/sse.rs",
    "if self.is_between_events() && rest.len() <= self.limit {",
    "if self.line.is_empty() && rest.len() <= self.limit {",
  ],
];

/** The same, for the package. */
const MUTANTS = [
  [
    "reasoning loses its id",
    "src/protocol/ui_stream/texts.rs",
    "part.fields.set_if_given(FieldName::Id, id);",
    "",
  ],
  [
    "a delta without a part goes to any open one",
    "src/protocol/ui_stream/texts.rs",
    "(is_only || !self.has_opened(kind)).then_some(last)",
    "Some(last)",
  ],
  [
    "a final output stays preliminary",
    "src/protocol/ui_stream/tool_calls.rs",
    "part.fields.set_or_remove(FieldName::Preliminary, chunk.raw(Key::Preliminary));",
    "part.fields.set_if_given(FieldName::Preliminary, chunk.raw(Key::Preliminary));",
  ],
  [
    "an approval loses its signature",
    "src/protocol/ui_stream/tool_calls.rs",
    '("signature", chunk.raw(Key::Signature)),',
    '("signature", None),',
  ],
  [
    "a late input delta is taken",
    "src/protocol/ui_stream/tool_calls.rs",
    "message.parts().get(index).and_then(Part::tool_state) == Some(ToolState::InputStreaming)",
    "message.parts().get(index).and_then(Part::tool_state).is_some()",
  ],
  [
    "nested metadata is replaced",
    "src/protocol/ui_stream/metadata.rs",
    "Some(old) => merge(old, value)?,",
    "Some(_) => value.to_owned(),",
  ],
  [
    "a reset step keeps its parts",
    "src/protocol/ui_stream/fold.rs",
    "let removed = message.split_parts(step);",
    "let removed = message.split_parts(step + 1);",
  ],
  [
    "provider metadata may hold anything",
    "src/protocol/ui_stream/schema.rs",
    "Self::Any | Self::AnyOptional => true,",
    "Self::Any | Self::AnyOptional | Self::ProviderMetadata => true,",
  ],
  ["a cut is complete", "src/chat/ending.rs", "End::Clean if self.looks_complete() => {", "End::Clean => {"],
  [
    "nothing new is sent again",
    "src/chat/auto_send.rs",
    "self.auto_send.facts != self.auto_send.sent_facts",
    "self.auto_send.facts >= self.auto_send.sent_facts",
  ],
  [
    "a number counts up to its exponent's sign",
    "src/json/partial/number.rs",
    "matches!(self, Self::Zero | Self::Integer | Self::Fraction | Self::ExponentDigit)",
    "matches!(self, Self::Zero | Self::Integer | Self::ExponentDigit)",
  ],
];

const RUNS = ["legal", "illegal", "partial-json"];

const names = process.argv.slice(2);
const isChosen = ([name]) => names.length === 0 || names.includes(name);
const chosen = MUTANTS.filter(isChosen);
const chosenOfFastPath = FAST_PATH_MUTANTS.filter(isChosen);
const work = mkdtempSync(join(tmpdir(), "mutants-"));
const copy = join(work, "repository");
let survivors = 0;
try {
  copyRepository();
  tryMutants(chosenOfFastPath, comparePaths);
  tryMutants(chosen, () => (build() ? failingRun() : "the build"));
} finally {
  rmSync(work, { recursive: true });
}
const count = chosen.length + chosenOfFastPath.length;
console.log(`${count - survivors} of ${count} mutants caught`);
process.exitCode = survivors === 0 ? 0 : 1;

function copyRepository() {
  const list = execFileSync(
    "git",
    ["ls-files", "-z", "--", "Cargo.toml", "Cargo.lock", "src", "pkg", "tests", ".ci", "*.toml"],
    {
      cwd: repository,
      encoding: "utf8",
    },
  );
  for (const file of list.split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(repository, file), join(copy, file));
  }
  symlinkSync(join(repository, "pkg/node_modules"), join(copy, "pkg/node_modules"));
  // Small code is not what is tested.
  const copyInstead = join(work, "wasm-opt");
  writeFileSync(
    copyInstead,
    '#!/bin/sh\nwhile [ $# -gt 1 ]; do [ "$1" = --output ] && out=$2; shift; done\ncp "$1" "$out"\n',
  );
  chmodSync(copyInstead, 0o755);
}

/** @returns {boolean} whether the package could be built */
function build() {
  const { status, stderr } = spawnSync("node", ["pkg/build.mjs"], {
    cwd: copy,
    encoding: "utf8",
    env: {
      ...process.env,
      CARGO_TARGET_DIR: join(work, "target"),
      CARGO_PROFILE_RELEASE_LTO: "off",
      CARGO_PROFILE_RELEASE_OPT_LEVEL: "1",
      CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16",
      WASM_OPT: join(work, "wasm-opt"),
    },
  });
  if (status !== 0) console.error(stderr);
  return status === 0;
}

/** The first run that fails. */
function failingRun() {
  return RUNS.find((run) => {
    const { status } = spawnSync("node", ["--test", `tests/differential/${run}.test.mjs`], { cwd: copy });
    return status !== 0;
  });
}

/** The native comparison of both paths of the decoder, when it fails. */
function comparePaths() {
  const { status, stderr } = spawnSync("cargo", ["test", "--test", "fast_path", "--", "random_streams"], {
    cwd: copy,
    encoding: "utf8",
    env: { ...process.env, CARGO_TARGET_DIR: join(work, "target") },
  });
  if (status === 0) return undefined;
  if (stderr.includes("test failed")) return "fast_path";
  console.error(stderr);
  return "the build";
}

/**
 * @param {string[][]} mutants
 * @param {() => string | undefined} failing the first that fails: a run, or the build
 */
function tryMutants(mutants, failing) {
  if (mutants.length === 0) return;
  const atOnce = failing();
  if (atOnce) throw new Error(`without a mutant, ${atOnce} fails`);
  for (const [name, file, line, mutant] of mutants) {
    const caughtBy = tryMutant(join(copy, file), line, mutant, failing);
    if (!caughtBy) survivors++;
    console.log("%s: %s", name, caughtBy ? `caught by ${caughtBy}` : "NOT CAUGHT");
  }
}

/** @returns {string | undefined} the run that sees the mutant */
function tryMutant(file, line, mutant, failing) {
  const source = readFileSync(file, "utf8");
  if (source.split(line).length !== 2) throw new Error(`${file} does not have this line once: ${line}`);
  writeFileSync(
    file,
    source.replace(line, () => mutant),
  );
  try {
    const caughtBy = failing();
    if (caughtBy === "the build") throw new Error(`${mutant} does not compile`);
    return caughtBy;
  } finally {
    writeFileSync(file, source);
  }
}
