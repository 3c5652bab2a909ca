#!/usr/bin/env bash
# The built package against the demo's server over 100 connections that break at random bytes, of one
# server and of two that share a Redis.
set -euo pipefail
. .ci/tools.sh npm:www redis
cd www
CHATWIRE_LONG=1 node --test tests/resume-kills.test.mjs
