# Provider `existing`: the cluster of KUBECONFIG. It only checks that the cluster answers, and starts or stops nothing.
# Sourced by use_provider; kubectl must be on the PATH.
# shellcheck shell=bash

cluster_kubeconfig() { echo "${KUBECONFIG:-$HOME/.kube/config}"; }

cluster_up() {
  kubectl --kubeconfig "$(cluster_kubeconfig)" get --raw /readyz >/dev/null || fail "the cluster of $(cluster_kubeconfig) does not answer"
}

cluster_down() { say "the cluster is not ours to stop"; }

# cluster_load runs the user's command BENCHNET_LOAD once for each archive; `true` if the cluster has the images.
cluster_load() {
  local archive
  [[ -n ${BENCHNET_LOAD:-} ]] || fail "BENCHNET_LOAD: set it to the command that loads an image archive into the cluster"
  for archive in "$@"; do "$BENCHNET_LOAD" "$archive" >&2; done
}

cluster_logs() { kubectl --kubeconfig "$(cluster_kubeconfig)" cluster-info dump --output-directory "$1" >/dev/null; }

cluster_trust() { fail "the cluster is not ours: make its nodes trust $1"; }

cluster_nodes() { kubectl --kubeconfig "$(cluster_kubeconfig)" get nodes --output 'jsonpath={.items[*].metadata.name}'; }
cluster_start_node() { fail "the node $1 is not ours to start"; }
cluster_stop_node() { fail "the node $1 is not ours to stop"; }
cluster_kill_node() { fail "the node $1 is not ours to kill"; }
