# Sourced by providers/local.sh: kube-router, which enforces NetworkPolicies on each node with BENCHNET_POLICIES=enforced.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # providers/local.sh uses policy_packages; here, cache and state come from settings.sh

readonly policy_packages=(ipset)
readonly enforcer_module=github.com/cloudnativelabs/kube-router enforcer_version=v1.6.1
# shellcheck source=../../tools/once.sh
source "$here/../tools/once.sh"

# get_enforcer prints the path of kube-router, and builds it first if it is not in the cache.
get_enforcer() {
  local directory=$cache/cluster/kube-router-$enforcer_version
  build_once "kube-router $enforcer_version" "$directory/kube-router" compile_enforcer "$directory"
}

# link_enforcer makes nodes that start from now on run kube-router.
link_enforcer() {
  local enforcer
  enforcer=$(get_enforcer)
  ln -sfn "$enforcer" "$state/kube-router"
}

# compile_enforcer DIRECTORY builds in a copy of the module, whose go.sum has the hashes of all dependencies. `go install`
# ignores it, and the checksum database lacks one of them.
compile_enforcer() {
  local module
  rm -rf "$1/source"
  module=$(cd / && GOFLAGS='' go mod download -json "$enforcer_module@$enforcer_version" | sed -nE 's/^\s*"Dir": "(.*)",$/\1/p')
  cp -r --no-preserve=mode "$module" "$1/source"
  (cd "$1/source" && CGO_ENABLED=0 GOWORK=off GOFLAGS='' go build -trimpath -buildvcs=false -ldflags "-s -w" \
    -o ../kube-router ./cmd/kube-router)
  rm -rf "$1/source"
}
