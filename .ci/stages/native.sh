#!/usr/bin/env bash
set -euo pipefail
cargo test --all-features --no-fail-fast
