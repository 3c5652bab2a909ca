# Everything that the other stages need, what is compiled beside what is only downloaded.
set -euo pipefail
bash .ci/tools.sh wasm-target wasm-pack &
bash .ci/tools.sh wasm-opt browser npm:pkg npm:www npm:tests/package
wait $!
