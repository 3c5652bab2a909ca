#!/usr/bin/env bash
# The wasm module and the npm package around it, into pkg/dist.
set -euo pipefail
. .ci/tools.sh wasm-target wasm-bindgen wasm-opt npm:pkg
node pkg/build.mjs
