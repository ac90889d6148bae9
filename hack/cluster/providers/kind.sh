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
  local count
  count=$(requested_nodes)
  mkdir -p "$state"
  if kind get clusters 2>/dev/null | grep -qx "$cluster_name"; then
    kind export kubeconfig --name "$cluster_name" --kubeconfig "$state/kubeconfig"
  else
    write_config "$count" | kind create cluster --name "$cluster_name" --image "$kind_image" --config - \
      --kubeconfig "$state/kubeconfig" --wait 180s >&2
    # The control plane also runs pods, as in a cluster of one node. There, kind has removed the taint.
    kubectl --kubeconfig "$state/kubeconfig" taint nodes --all node-role.kubernetes.io/control-plane- >/dev/null 2>&1 || true
  fi
  echo kind >"$state/provider"
}

# write_config COUNT prints the configuration of a cluster with COUNT nodes.
write_config() {
  local index
  cat "$here/manifests/kind.yaml"
  for ((index = 2; index <= $1; index++)); do echo "- role: worker"; done
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

cluster_trust() {
  local node directory=/etc/containerd/certs.d/$1
  for node in $(cluster_nodes); do
    docker exec "$node" mkdir -p "$directory"
    docker cp --quiet "$2" "$node:$directory/ca.crt"
  done
}

cluster_nodes() { kind get nodes --name "$cluster_name"; }
cluster_start_node() { docker start "$1" >&2 && docker exec "$1" systemctl start containerd kubelet; }
cluster_stop_node() { docker exec "$1" systemctl stop kubelet containerd; }
cluster_kill_node() { docker kill "$1" >&2; }
