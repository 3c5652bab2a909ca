#!/usr/bin/env bash
# Browser tests are linted where they exist, on wasm32; everything else natively.
set -euo pipefail
cargo clippy --all-targets --all-features -- -D warnings
. .ci/tools.sh wasm-target
cargo clippy --target wasm32-unknown-unknown --all-features --lib --test 'web_*' -- -D warnings
