# Sourced by scripts that use the cluster: use_cluster sets KUBECONFIG to the project's cluster and ensures that
# kubectl is on the PATH.
# shellcheck shell=bash disable=SC2034

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
operator_namespace=benchnet-system

use_cluster() {
  KUBECONFIG=$("$root/hack/cluster/kubeconfig")
  export KUBECONFIG
  if ! command -v kubectl > /dev/null; then
    PATH=$PATH:$("$root/hack/cluster/assets")
  fi
}

# cluster_answers reports whether the project's cluster is up.
cluster_answers() {
  local kubeconfig
  kubeconfig=$("$root/hack/cluster/kubeconfig") && [[ -s $kubeconfig ]] && use_cluster &&
    timeout 10 kubectl get --raw /readyz > /dev/null 2>&1
}

# restricted_namespace NAME: creates the namespace with the pod security standard "restricted".
restricted_namespace() {
  kubectl apply --server-side --filename - > /dev/null << MANIFEST
apiVersion: v1
kind: Namespace
metadata:
  name: $1
  labels:
    pod-security.kubernetes.io/enforce: restricted
MANIFEST
}

# remember_offline checks once whether an image registry answers, and exports the answer to all scripts called later.
remember_offline() {
  if [[ -z ${BENCHNET_OFFLINE:-} ]]; then
    BENCHNET_OFFLINE=$(source "$root/hack/images/settings.sh" && if offline; then echo 1; else echo 0; fi)
  fi
  export BENCHNET_OFFLINE
}
