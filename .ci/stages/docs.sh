#!/usr/bin/env bash
set -euo pipefail
export RUSTDOCFLAGS='-D warnings'
cargo doc --all-features --no-deps --document-private-items
. .ci/tools.sh wasm-target
cargo doc --all-features --no-deps --document-private-items --target wasm32-unknown-unknown
