# Paths and the choice of the provider. Sourced by every script of this directory, never run.
# shellcheck shell=bash
# shellcheck disable=SC2034 # used by those who source it

# BENCHNET_CACHE    directory that can be deleted at any time: binaries keyed by their sources
# BENCHNET_STATE    state of the running cluster: kubeconfig, logs, volumes; images of its registry (without root: below the home directory)
# BENCHNET_CLUSTER  existing | kind | local; default: the provider that is up, else kind if Docker answers, else local
# BENCHNET_NODES    number of nodes that kind and local start, 1 to 9; default: 1
# BENCHNET_POLICIES enforced | ignored: whether local enforces NetworkPolicies; default: ignored

# A failure inside $(...) ends the script too.
shopt -s inherit_errexit

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${BENCHNET_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/benchnet}
state=${BENCHNET_STATE:-/var/lib/benchnet-cluster}
if [[ $EUID -ne 0 && -z ${BENCHNET_STATE:-} ]]; then state=${XDG_STATE_HOME:-$HOME/.local/state}/benchnet-cluster; fi

say() { printf '%4ds  %s\n' "$SECONDS" "$*" >&2; }
fail() {
  say "error: $*"
  exit 1
}

# wait_until SECONDS WHAT COMMAND...: retries the command until it succeeds; fails after SECONDS.
wait_until() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || fail "not within the time allowed: $what (see hack/cluster/logs)"
    sleep 0.2
  done
  say "$what"
}

provider() {
  if [[ -n ${BENCHNET_CLUSTER:-} ]]; then
    echo "$BENCHNET_CLUSTER"
  elif [[ -s $state/provider ]]; then
    cat "$state/provider"
  elif docker info >/dev/null 2>&1; then
    echo kind
  else
    echo local
  fi
}

# requested_nodes prints the number of nodes to start.
requested_nodes() {
  local count=${BENCHNET_NODES:-1}
  [[ $count =~ ^[1-9]$ ]] || fail "BENCHNET_NODES: $count is not a number from 1 to 9"
  echo "$count"
}

# enforces_policies reports whether to enforce NetworkPolicies.
enforces_policies() {
  local policies=${BENCHNET_POLICIES:-ignored}
  [[ $policies =~ ^(enforced|ignored)$ ]] || fail "BENCHNET_POLICIES: $policies is none of enforced, ignored"
  [[ $policies == enforced ]]
}

# cluster_loaded prints the directory of hack/cluster/loaded for images on the nodes, which go with the cluster.
cluster_loaded() {
  echo "$cache/loaded/$(kubectl --kubeconfig "$(cluster_kubeconfig)" get namespace kube-system --output 'jsonpath={.metadata.uid}')"
}

# cluster_prepare builds what cluster_up needs, without a change of the machine.
cluster_prepare() { :; }

# use_provider defines cluster_up, cluster_down, cluster_load, cluster_kubeconfig, cluster_logs, cluster_nodes,
# cluster_trust, cluster_start_node, cluster_stop_node and cluster_kill_node, and may replace cluster_loaded and
# cluster_prepare.
use_provider() {
  chosen=$(provider)
  case $chosen in
    existing | kind | local) ;;
    *) fail "BENCHNET_CLUSTER: $chosen is none of existing, kind, local" ;;
  esac
  # shellcheck source=/dev/null
  source "$here/providers/$chosen.sh"
}
