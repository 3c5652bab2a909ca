#!/usr/bin/env bash
# The instructions that the core takes for the workloads of the measurements, against their baseline.
set -euo pipefail
. .ci/tools.sh valgrind
node --test tests/instructions/*.test.mjs
