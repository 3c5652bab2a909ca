#!/usr/bin/env bash
# The built package beside the AI SDK's own client, on a few hundred random streams of each kind.
set -euo pipefail
. .ci/tools.sh npm:pkg
node --test tests/differential/*.test.mjs
