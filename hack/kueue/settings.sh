# Sourced by up and down, never run.
# shellcheck shell=bash disable=SC2034

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../environment.sh"
namespace=kueue-system

has_kueue() { kubectl get crd workloads.kueue.x-k8s.io > /dev/null 2>&1; }

# is_ours reports whether hack/kueue/up installed the cluster's Kueue.
is_ours() {
  [[ $(kubectl --namespace "$namespace" get deployment kueue-controller-manager --output 'jsonpath={..image}' 2> /dev/null) == localhost/benchnet/kueue:* ]]
}
