#!/usr/bin/env bash
# Runs the checks in order, the quick ones first, each a script in .ci/stages/.
#
#   bash .ci/test.sh [STAGE...]     (default: all)
#
# Every stage runs, whatever failed before it, except where that would tell nothing: without the
# tools, and on an old package after a failed build. Shows each stage's output as it comes, keeps
# it in target/ci/, counts the tests in it and compares the count with .ci/test-counts.txt. A stage
# that hangs is ended. Ends with a table of seconds and tests
# and the line "N passed, N failed"; a stage that fails without a failing test counts as one.
# The exit status is 0 only if nothing failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

all=(tools format lint native instructions docs build imports size types package differential browser consumers react page)
needs_build=' imports size types package differential browser consumers react page '
needs_tools=" ${all[*]:1} "
stages=("${@:-${all[@]}}")

logs=target/ci
mkdir -p "$logs"
# A test that hangs must not keep the others from being reported. The longest stage needs a quarter of this.
stage_seconds=600
table=()
blocked=
total_passed=0
total_failed=0

# count_tests LOG: prints "PASSED FAILED", added up over the closing lines of cargo test, of
# wasm-bindgen's runner (the same form) and of Node's test runner.
count_tests() {
  sed 's/\x1b\[[0-9;]*m//g' "$1" | awk '
    /^test result: / { for (i = 2; i <= NF; i++) { if ($i == "passed;") p += $(i - 1); if ($i == "failed;") f += $(i - 1) } }
    /^(#|ℹ) pass [0-9]+$/ { p += $3 }
    /^(#|ℹ) (fail|cancelled) [0-9]+$/ { f += $3 }
    END { print p + 0, f + 0 }'
}

# A stage whose tests went missing must not look green.
count_guard() {
  local stage=$1 passed=$2 minimum
  minimum=$(awk -v stage="$stage" '$1 == stage { print $2 }' .ci/test-counts.txt)
  if [ -z "$minimum" ] && [ "$passed" -gt 0 ]; then
    echo "$stage: $passed tests passed, but .ci/test-counts.txt has no minimum for it"
    return 1
  fi
  if [ "$passed" -lt "${minimum:-0}" ]; then
    echo "$stage: only $passed tests passed, .ci/test-counts.txt asks for $minimum"
    return 1
  fi
  [ "$passed" = "${minimum:-0}" ] ||
    echo "$stage: $passed tests passed, raise the $minimum in .ci/test-counts.txt"
}

for stage in "${stages[@]}"; do
  if [[ $blocked == *" $stage "* ]]; then
    table+=("$(printf '%-12s %7s   not run' "$stage" -)")
    continue
  fi
  printf '\n=== %s\n' "$stage"
  started=$SECONDS
  timeout --kill-after=10 "$stage_seconds" bash ".ci/stages/$stage.sh" </dev/null 2>&1 | tee "$logs/$stage.log"
  status=${PIPESTATUS[0]}
  [ "$status" != 124 ] || echo "$stage: still running after $stage_seconds s, ended"
  seconds=$((SECONDS - started))
  read -r passed failed <<<"$(count_tests "$logs/$stage.log")"
  count_guard "$stage" "$passed" || status=1
  [ "$status" = 0 ] || [ "$failed" -gt 0 ] || failed=1
  case $stage:$failed in
    *:0) ;;
    tools:*) blocked=$needs_tools ;;
    build:*) blocked=$needs_build ;;
  esac
  total_passed=$((total_passed + passed))
  total_failed=$((total_failed + failed))
  table+=("$(printf '%-12s %6d s %6d passed %4d failed' "$stage" "$seconds" "$passed" "$failed")")
done

printf '\n=== summary\n'
printf '%s\n' "${table[@]}"
printf '%-12s %6d s\n' total "$SECONDS"
echo "$total_passed passed, $total_failed failed"
[ "$total_failed" = 0 ]
