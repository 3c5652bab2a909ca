set -euo pipefail
node --test .ci/imports.test.mjs
