#!/usr/bin/env bash
set -euo pipefail
node --test .ci/size.test.mjs
