set -euo pipefail
node --test .ci/size.test.mjs
