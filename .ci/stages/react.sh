#!/usr/bin/env bash
# The React adapter: its types, its hooks and an example in a browser beside the AI SDK's own hooks,
# the account of the AI SDK's exports.
set -euo pipefail
. .ci/tools.sh npm:pkg npm:www npm:tests/react browser
npm test --prefix tests/react
