#!/usr/bin/env bash
# The built package beside the AI SDK's own client on 20,000 random streams of each kind, and
# whether these runs see faults of the core.
set -euo pipefail
. .ci/tools.sh wasm-target wasm-bindgen npm:pkg
cd tests/differential
SEEDS=1-7700 node --test legal.test.mjs # two or three streams a seed
SEEDS=1-20000 node --test illegal.test.mjs
SEEDS=1-1000 node --test partial-json.test.mjs # 20 inputs a seed
node mutants.mjs
