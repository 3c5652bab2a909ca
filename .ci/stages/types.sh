#!/usr/bin/env bash
set -euo pipefail
. .ci/tools.sh npm:pkg
npm run check --prefix pkg
