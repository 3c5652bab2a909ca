set -euo pipefail
cargo fmt --check
