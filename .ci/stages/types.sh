#!/usr/bin/env bash
set -euo pipefail
. .ci/tools.sh npm:pkg
npm run check --prefix pkg
# The demo page is JavaScript with types in comments; it sees the package's declarations.
pkg/node_modules/.bin/tsc -p www/page
# So are the files that travel with the wasm.
pkg/node_modules/.bin/tsc -p src/web
