#!/usr/bin/env bash
# The packed tarball in fresh projects.
set -euo pipefail
. .ci/tools.sh npm:pkg npm:tests/package browser
node tests/package/run.mjs
