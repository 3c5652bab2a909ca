#!/usr/bin/env bash
# The bindings in a headless browser: tests/web_*.rs, through ChromeDriver.
set -euo pipefail

# Behind a proxy, without which the test runner's server may leave a page unanswered.
if [ -z "${PROXY_PORT:-}" ]; then
  exec node tests/web/proxy.mjs bash "$0"
fi

. .ci/tools.sh wasm-target wasm-pack npm:pkg browser
node tests/web/build.mjs

# The committed flags, with the browser and the proxy of this run.
mkdir -p target
export WASM_BINDGEN_TEST_WEBDRIVER_JSON=$PWD/target/webdriver.json
node -e '
  const capabilities = JSON.parse(require("fs").readFileSync("webdriver.json", "utf8"));
  const options = capabilities["goog:chromeOptions"];
  options.binary = process.env.CHROME;
  const proxy = `--proxy-server=http://127.0.0.1:${process.env.PROXY_PORT}`;
  options.args.push(proxy, "--proxy-bypass-list=<-loopback>");
  console.log(JSON.stringify(capabilities));
' >"$WASM_BINDGEN_TEST_WEBDRIVER_JSON"

# Seconds for one file of tests; the default of 20 is too short for those that measure memory.
export WASM_BINDGEN_TEST_TIMEOUT=120
"$WASM_PACK" test --headless --chrome --chromedriver "$CHROMEDRIVER" --mode no-install . --test 'web_*'
