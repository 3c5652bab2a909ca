#!/usr/bin/env bash
set -euo pipefail
. .ci/tools.sh npm:pkg
npm test --prefix pkg
