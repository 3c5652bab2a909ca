#!/usr/bin/env bash
# The bindings in a headless browser: tests/web_*.rs, through ChromeDriver.
set -euo pipefail
. .ci/tools.sh wasm-target wasm-pack npm:pkg browser
node tests/web/build.mjs

# The committed flags, with the browser that was found.
mkdir -p target
export WASM_BINDGEN_TEST_WEBDRIVER_JSON=$PWD/target/webdriver.json
node -e '
  const capabilities = JSON.parse(require("fs").readFileSync("webdriver.json", "utf8"));
  capabilities["goog:chromeOptions"].binary = process.env.CHROME;
  console.log(JSON.stringify(capabilities));
' >"$WASM_BINDGEN_TEST_WEBDRIVER_JSON"

# Seconds for one file of tests; the default of 20 is too short for those that measure memory.
export WASM_BINDGEN_TEST_TIMEOUT=120
run_tests() {
  "$WASM_PACK" test --headless --chrome --chromedriver "$CHROMEDRIVER" --mode no-install . --test 'web_*' \
    2>&1 | tee target/browser.log
}

# A busy machine's browser may never load the page. No test has run then, so none is hidden.
if ! run_tests; then
  grep -q 'Failed to detect test as having been run' target/browser.log || exit 1
  echo '[browser] the browser did not load a page of tests; once more'
  run_tests
fi
