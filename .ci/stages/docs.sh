#!/usr/bin/env bash
set -euo pipefail
export RUSTDOCFLAGS='-D warnings'
cargo doc --no-deps --document-private-items
. .ci/tools.sh wasm-target
cargo doc --no-deps --document-private-items --target wasm32-unknown-unknown
