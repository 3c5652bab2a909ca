# shellcheck shell=bash
# Finds the tools of the build and the checks, and installs once what is missing.
#
#   . .ci/tools.sh NAME...      in a bash script: installs, then exports what is listed below
#   bash .ci/tools.sh NAME...   installs, then prints the same as KEY=value lines on stdout
#
#   NAME          exports
#   wasm-target   nothing with rustup; on the Debian route RUSTUP_TOOLCHAIN and the linker
#   wasm-bindgen  WASM_BINDGEN, the CLI of exactly the version of the crate in Cargo.lock
#   wasm-opt      WASM_OPT
#   wasm-pack     WASM_PACK, and a PATH on which it finds wasm-bindgen
#   browser       CHROME and CHROMEDRIVER
#   redis         REDIS_SERVER
#   valgrind      VALGRIND
#   npm:FOLDER    nothing; FOLDER/node_modules is what FOLDER/package-lock.json says
#
# Settings (environment):
#   CHATWIRE_CACHE        where tools are kept, one folder per tool and version, for every clone
#                         (default: ${XDG_CACHE_HOME:-$HOME/.cache}/chatwire)
#   CHATWIRE_WASM_TARGET  rustup, debian or auto (default auto: rustup, Debian where it refuses)
#   CHROME, CHROMEDRIVER  paths of a browser and its driver, to use instead of Debian's
#   REDIS_SERVER          path of a redis-server, to use instead of Debian's
#   VALGRIND              path of a valgrind, to use instead of Debian's

set -euo pipefail

wasm_pack_version=0.15.1
binaryen_version=132.0.0
wasm_triple=wasm32-unknown-unknown

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${CHATWIRE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/chatwire}
exported=()

say() { printf '[tools] %s\n' "$*" >&2; }
fail() { printf 'chatwire: %s\n' "$*" >&2; exit 1; }

# have COMMAND REMEDY...
have() {
  local command=$1
  shift
  command -v "$command" >/dev/null || fail "$command was not found: $*."
}

set_export() {
  export "$1=$2"
  exported+=("$1")
}

# Runs "$@" and shows its output only if it fails; says how long it took.
quietly() {
  local what=$1 log started=$SECONDS
  shift
  say "$what ..."
  log=$(mktemp)
  if "$@" >"$log" 2>&1 </dev/null; then
    rm -f "$log"
    say "$what: done in $((SECONDS - started)) s"
  else
    tail -n 60 "$log" >&2
    rm -f "$log"
    say "$what: failed after $((SECONDS - started)) s"
    return 1
  fi
}

# install_folder NAME COMMAND...: runs COMMAND with a fresh folder as its last argument and
# renames that folder to NAME once it succeeded: half an installation is never taken for one, and
# of two clones that install at the same time one wins.
install_folder() {
  local target=$cache/$1 fresh
  shift
  [ -d "$target" ] && return
  mkdir -p "$cache"
  fresh=$(mktemp -d "$cache/installing.XXXXXX")
  if ! quietly "install ${target##*/} into $cache" "$@" "$fresh"; then
    rm -rf "$fresh"
    return 1
  fi
  mv -T "$fresh" "$target" 2>/dev/null || rm -rf "$fresh"
  [ -d "$target" ]
}

# The tools run for seconds: a quick build is worth more than quick code.
cargo_install() {
  local crate=$1 version=$2 folder=$3 build
  build=$(mktemp -d)
  (
    cd "$cache" || exit # not in the clone: its .cargo/config.toml is not meant for tools
    unset RUSTFLAGS CARGO_BUILD_TARGET RUSTUP_TOOLCHAIN
    export CARGO_TARGET_DIR=$build CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
      CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
    # A registry mirror may lag behind the crate's own lock file: then without it.
    cargo install --locked --root "$folder" --version "=$version" "$crate" ||
      cargo install --root "$folder" --version "=$version" "$crate"
  )
  local status=$?
  rm -rf "$build"
  return $status
}

npm_install() {
  local package=$1 version=$2 folder=$3
  npm install --prefix "$folder" --no-save --no-audit --no-fund "$package@$version"
}

# As root, or through sudo where it asks no password.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

apt_install() {
  as_root apt-get update &&
    as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends "$@"
}

locked_version() {
  awk -v name="name = \"$1\"" '$0 == name { getline; gsub(/version = |"/, ""); print; exit }' \
    "$root/Cargo.lock"
}

need_cargo() { have cargo 'install Rust with rustup (https://rustup.rs)'; }

need_node() {
  have node 'install Node.js 20 or newer (https://nodejs.org)'
  have npm 'install npm, it comes with Node.js (https://nodejs.org)'
  local version
  version=$(node -p 'process.versions.node')
  [ "${version%%.*}" -ge 20 ] ||
    fail "Node.js $version is too old: install version 20 or newer (https://nodejs.org)."
}

# --- the wasm32 standard library ---------------------------------------------------------------

# has_wasm_target RUSTC
has_wasm_target() {
  command -v "$1" >/dev/null &&
    compgen -G "$("$1" --print target-libdir --target $wasm_triple)/libcore-*.rlib" >/dev/null
}

tool_wasm_target() {
  need_cargo
  local route=${CHATWIRE_WASM_TARGET:-auto}
  if [ "$route" != debian ]; then
    has_wasm_target rustc && return
    if [ "$route" = rustup ] || ! has_wasm_target /usr/bin/rustc; then
      have rustup "install it (https://rustup.rs), or set CHATWIRE_WASM_TARGET=debian"
      quietly "add the target $wasm_triple" rustup target add $wasm_triple && return
      [ "$route" = auto ] || fail "the target $wasm_triple is missing: rustup target add $wasm_triple."
      say "rustup cannot add the target: taking Debian's Rust for it"
    fi
  fi
  debian_wasm_target
}

# Debian's compiler with a standard library for wasm32 that is built here, from Debian's source.
debian_wasm_target() {
  unset RUSTUP_TOOLCHAIN # an outer script may have been here already
  if ! command -v apt-get >/dev/null || ! command -v rustup >/dev/null; then
    fail "the target $wasm_triple is missing and cannot be had from Debian here: rustup target add $wasm_triple."
  fi
  if ! [ -x /usr/bin/rustc ] || ! [ -d /usr/lib/rustlib/src ] || ! [ -x /usr/bin/cargo-clippy ]; then
    quietly "install Debian's Rust" apt_install rustc-web rust-web-src cargo-web rust-web-clippy ||
      fail "Debian's Rust could not be installed: apt-get install rustc-web rust-web-src cargo-web rust-web-clippy."
  fi
  has_wasm_target /usr/bin/rustc || quietly "build the standard library for $wasm_triple" build_wasm_std ||
    fail "the standard library for $wasm_triple could not be built: see above."
  # Debian's Rust comes without the linker for wasm32; rustup's does it for both.
  local host
  host=$(rustc -vV | sed -n 's/^host: //p')
  set_export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER \
    "$(rustc --print sysroot)/lib/rustlib/$host/bin/rust-lld"
  rustup toolchain list | grep -q '^chatwire-debian' || rustup toolchain link chatwire-debian /usr
  set_export RUSTUP_TOOLCHAIN chatwire-debian
}

build_wasm_std() {
  local work
  work=$(mktemp -d)
  (
    cd "$work" || exit
    unset RUSTFLAGS CARGO_TARGET_DIR
    mkdir src
    printf '[package]\nname = "empty"\nversion = "0.0.0"\nedition = "2021"\n' >Cargo.toml
    printf '#![no_std]\n' >src/lib.rs
    RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 /usr/bin/cargo build --release \
      -Zbuild-std=std,panic_abort,test --target $wasm_triple &&
      as_root mkdir -p /usr/lib/rustlib/$wasm_triple/lib &&
      as_root cp target/$wasm_triple/release/deps/*.rlib /usr/lib/rustlib/$wasm_triple/lib/
  )
  local status=$?
  rm -rf "$work"
  return $status
}

# --- tools in the cache ------------------------------------------------------------------------

tool_wasm_bindgen() {
  need_cargo
  local version
  version=$(locked_version wasm-bindgen)
  install_folder "wasm-bindgen-cli-$version" cargo_install wasm-bindgen-cli "$version" ||
    fail "wasm-bindgen-cli $version could not be installed: see above."
  set_export WASM_BINDGEN "$cache/wasm-bindgen-cli-$version/bin/wasm-bindgen"
}

tool_wasm_pack() {
  tool_wasm_bindgen
  install_folder "wasm-pack-$wasm_pack_version" cargo_install wasm-pack "$wasm_pack_version" ||
    fail "wasm-pack $wasm_pack_version could not be installed: see above."
  set_export WASM_PACK "$cache/wasm-pack-$wasm_pack_version/bin/wasm-pack"
  set_export PATH "${WASM_BINDGEN%/*}:$PATH"
}

tool_wasm_opt() {
  need_node
  install_folder "binaryen-$binaryen_version" npm_install binaryen "$binaryen_version" ||
    fail "binaryen $binaryen_version could not be installed from npm: see above."
  set_export WASM_OPT "$cache/binaryen-$binaryen_version/node_modules/.bin/wasm-opt"
}

# --- browser, Redis, Valgrind and npm folders --------------------------------------------------

first_command() {
  local name
  for name in "$@"; do command -v "$name" && return; done
  return 1
}

find_browser() {
  CHROME=${CHROME:-$(first_command chromium chromium-browser google-chrome google-chrome-stable)} &&
    CHROMEDRIVER=${CHROMEDRIVER:-$(first_command chromedriver)}
}

tool_browser() {
  if ! find_browser && command -v apt-get >/dev/null; then
    quietly 'install Chromium and ChromeDriver' apt_install chromium chromium-driver || true
  fi
  find_browser ||
    fail 'no Chromium with ChromeDriver was found: install both (Debian: chromium, chromium-driver) or set CHROME and CHROMEDRIVER.'
  set_export CHROME "$CHROME"
  set_export CHROMEDRIVER "$CHROMEDRIVER"
}

find_redis() { REDIS_SERVER=${REDIS_SERVER:-$(first_command redis-server)}; }

tool_redis() {
  if ! find_redis && command -v apt-get >/dev/null; then
    quietly 'install redis-server' apt_install redis-server || true
  fi
  find_redis || fail 'no redis-server was found: install it (Debian: redis-server) or set REDIS_SERVER.'
  set_export REDIS_SERVER "$REDIS_SERVER"
}

find_valgrind() { VALGRIND=${VALGRIND:-$(first_command valgrind)}; }

tool_valgrind() {
  if ! find_valgrind && command -v apt-get >/dev/null; then
    quietly 'install Valgrind' apt_install valgrind || true
  fi
  find_valgrind || fail 'no valgrind was found: install it (Debian: valgrind) or set VALGRIND.'
  set_export VALGRIND "$VALGRIND"
}

# The lock file is copied beside what was installed from it, so that an unchanged one costs nothing.
tool_npm() {
  need_node
  local folder=$root/$1 stamp=$root/$1/node_modules/.installed-lock.json
  cmp -s "$folder/package-lock.json" "$stamp" && return
  quietly "install the npm packages of $1" npm ci --prefix "$folder" --no-audit --no-fund ||
    fail "the npm packages of $1 could not be installed: see above."
  cp "$folder/package-lock.json" "$stamp"
}

for tool in "$@"; do
  case $tool in
    wasm-target) tool_wasm_target ;;
    wasm-bindgen) tool_wasm_bindgen ;;
    wasm-pack) tool_wasm_pack ;;
    wasm-opt) tool_wasm_opt ;;
    browser) tool_browser ;;
    redis) tool_redis ;;
    valgrind) tool_valgrind ;;
    npm:*) tool_npm "${tool#npm:}" ;;
    *) fail "tools.sh knows no tool called $tool." ;;
  esac
done

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  for key in "${exported[@]}"; do printf '%s=%s\n' "$key" "${!key}"; done
fi
