#!/usr/bin/env bash
# The demo's server, and its page in a browser against it.
set -euo pipefail
. .ci/tools.sh npm:www browser redis
npm test --prefix www
