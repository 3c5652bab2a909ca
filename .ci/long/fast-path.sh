#!/usr/bin/env bash
# Ten minutes of random streams through the fast and the general path of the decoder. A seed that
# fails is shown; CHATWIRE_FUZZ_SEED begins with it.
set -euo pipefail
export CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true CARGO_PROFILE_RELEASE_LTO=off
CHATWIRE_FUZZ_SECONDS=${CHATWIRE_FUZZ_SECONDS:-600} CHATWIRE_FUZZ_SEED=${CHATWIRE_FUZZ_SEED:-1000} \
  cargo test --release --test fast_path -- --nocapture random_streams
