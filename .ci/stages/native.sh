set -euo pipefail
cargo test
