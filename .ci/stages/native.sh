#!/usr/bin/env bash
set -euo pipefail
cargo test --no-fail-fast
