#!/usr/bin/env bash
set -euo pipefail
node --test .ci/imports.test.mjs
