# Provider `kind`: Kubernetes in Docker. Sourced by use_provider; requires Docker, Go and kubectl.
# shellcheck shell=bash
# shellcheck disable=SC2154 # here and state come from settings.sh

readonly cluster_name=benchnet
# Version and digest belong together: kind's release notes list them as a pair.
readonly kind_version=v0.33.0
readonly kind_image=kindest/node:v1.34.11@sha256:44e222ee2132dab25ff87301682f89eb82c7880ea3a1bf543bfe9708fd08d67d

kind() { GOFLAGS='' go run "sigs.k8s.io/kind@$kind_version" "$@"; }

cluster_kubeconfig() { echo "$state/kubeconfig"; }

cluster_up() {
  mkdir -p "$state"
  if kind get clusters 2>/dev/null | grep -qx "$cluster_name"; then
    kind export kubeconfig --name "$cluster_name" --kubeconfig "$state/kubeconfig"
  else
    kind create cluster --name "$cluster_name" --image "$kind_image" --config "$here/manifests/kind.yaml" \
      --kubeconfig "$state/kubeconfig" --wait 180s >&2
  fi
  echo kind >"$state/provider"
}

cluster_down() {
  kind delete cluster --name "$cluster_name" --kubeconfig "$state/kubeconfig" >&2
  rm -f "$state/kubeconfig" "$state/provider"
}

cluster_load() {
  local archive
  for archive in "$@"; do kind load image-archive "$archive" --name "$cluster_name" >&2; done
}

cluster_logs() { kind export logs "$1" --name "$cluster_name" >&2; }
