# Sourced by build, load and bases: paths and progress messages.
# Environment: BENCHNET_CACHE, BENCHNET_REGISTRY (prefix of the image names), CORDA_VERSION.
# shellcheck shell=bash disable=SC2034

# A failure inside $(...) ends the script too.
shopt -s inherit_errexit

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CACHE="${BENCHNET_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/benchnet}/images"
REGISTRY=${BENCHNET_REGISTRY:-ghcr.io/benchnet}
VERSION=$(<"$ROOT/VERSION")
# Cargo's directories on this host. hack/tools/cargo uses the second too, so that images and tests share compiled
# packages.
CARGO_HOME_=${CARGO_HOME:-$HOME/.cargo}
CARGO_TARGET="${CACHE%/images}/rust/target"
CORDA_VERSION=${CORDA_VERSION:-4.10}
# The label with the hash of an image's inputs; the image is rebuilt when the hash differs.
INPUTS_LABEL=dev.benchnet.inputs

say() { printf '[%4d s] %s\n' "$SECONDS" "$*" >&2; }
die() { say "error: $*"; exit 1; }

# offline: reports whether no public registry answers, so that base images are built here (see bases).
# BENCHNET_OFFLINE=1 or 0 overrides the check.
offline() {
  if [[ -n ${BENCHNET_OFFLINE:-} ]]; then [[ $BENCHNET_OFFLINE == 1 ]]; return; fi
  local code
  "$ROOT/hack/tools/require" curl
  code=$(curl -sS -o /dev/null -m 5 -w '%{http_code}' https://registry-1.docker.io/v2/ 2>/dev/null) || true
  [[ $code != 200 && $code != 401 ]]
}
