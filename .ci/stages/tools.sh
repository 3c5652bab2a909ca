#!/usr/bin/env bash
# Everything that the other stages need; compiling and downloading side by side.
set -uo pipefail
bash .ci/tools.sh wasm-target wasm-pack >/dev/null &
bash .ci/tools.sh wasm-opt browser redis valgrind npm:pkg npm:www npm:tests/package >/dev/null
downloaded=$?
wait $!
compiled=$?
exit $((downloaded | compiled))
