# Sourced by build, load and bases: paths and progress messages.
# Environment: BENCHNET_ARCHITECTURE (of the images to build; default: this machine's), BENCHNET_CACHE,
# BENCHNET_REGISTRY (prefix of the image names), CORDA_VERSION.
# shellcheck shell=bash disable=SC2034

# A failure inside $(...) ends the script too.
shopt -s inherit_errexit

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CACHE="${BENCHNET_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/benchnet}/images"
REGISTRY=${BENCHNET_REGISTRY:-ghcr.io/benchnet}
VERSION=$(<"$ROOT/VERSION")
MACHINE_ARCHITECTURE=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
ARCHITECTURE=${BENCHNET_ARCHITECTURE:-$MACHINE_ARCHITECTURE}
[[ $ARCHITECTURE == amd64 || $ARCHITECTURE == arm64 ]] || { echo "BENCHNET_ARCHITECTURE is $ARCHITECTURE, want amd64 or arm64" >&2; exit 1; }
# Cargo's directories on this host. hack/tools/cargo uses the second too, so that images and tests share compiled
# packages.
CARGO_HOME_=${CARGO_HOME:-$HOME/.cargo}
CARGO_TARGET="${CACHE%/images}/rust/target"
CORDA_VERSION=${CORDA_VERSION:-4.10}
# The label with the hash of an image's inputs; the image is rebuilt when the hash differs.
INPUTS_LABEL=dev.benchnet.inputs
# The label of images on stand-ins for base images (see bases), which must not be published.
STAND_INS_LABEL=dev.benchnet.stand-ins
STAND_INS=localhost/benchnet-stand-in

say() { printf '[%4d s] %s\n' "$SECONDS" "$*" >&2; }
die() { say "error: $*"; exit 1; }

# is_cross_build: reports whether the images are for another architecture than this machine's. Their local tags end in it.
is_cross_build() { [[ $ARCHITECTURE != "$MACHINE_ARCHITECTURE" ]]; }

# require_private_registry IMAGE: refuses an image on stand-ins if an address of BENCHNET_REGISTRY is neither a loopback
# nor a private one, or is unknown.
require_private_registry() {
  local host=${REGISTRY%%/*} addresses
  addresses=$(getent ahosts "${host%:*}" | awk '{ print $1 }') || true
  if grep -Eqv '^(127|10|192\.168|172\.(1[6-9]|2[0-9]|3[01]))\.|^(::1$|f[cd])' <<< "$addresses"; then
    die "$1 is built on stand-ins for base images, and $host has no private address: publish images of a machine that reaches Docker Hub"
  fi
}

# offline: reports whether no public registry answers, so that base images are built here (see bases).
# BENCHNET_OFFLINE=1 or 0 overrides the check.
offline() {
  if [[ -n ${BENCHNET_OFFLINE:-} ]]; then [[ $BENCHNET_OFFLINE == 1 ]]; return; fi
  local code
  "$ROOT/hack/tools/require" curl
  code=$(curl -sS -o /dev/null -m 5 -w '%{http_code}' https://registry-1.docker.io/v2/ 2>/dev/null) || true
  [[ $code != 200 && $code != 401 ]]
}
