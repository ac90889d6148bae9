# Provider `local`: Kubernetes from package registries only. Each node has its own PID, mount and network namespaces.
# Sourced by use_provider; requires root.
# shellcheck shell=bash
# shellcheck disable=SC2154 # here and state come from settings.sh

readonly packages=(apache2-utils containerd runc containernetworking-plugins iptables iproute2 mount procps skopeo util-linux)
# shellcheck source=../local/machine.sh
source "$here/local/machine.sh"
# shellcheck source=../local/network.sh
source "$here/local/network.sh"
# shellcheck source=../local/nodes.sh
source "$here/local/nodes.sh"
# shellcheck source=../local/policies.sh
source "$here/local/policies.sh"
# shellcheck source=../local/registry.sh
source "$here/local/registry.sh"

cluster_kubeconfig() { echo "$state/kubeconfig"; }

cluster_prepare() {
  "$here/assets" >/dev/null
  "$here/../tools/get" registry >/dev/null
  if enforces_policies; then get_enforcer >/dev/null; fi
}

cluster_up() {
  local count bin
  [[ $EUID -eq 0 ]] || fail "the local cluster needs root"
  count=$(requested_nodes)
  mkdir -p "$state"
  require_disk_space "$state"
  lock_state
  if nodes_ready; then
    require_requested_cluster
    say "the cluster is up"
    return
  fi
  # Remove the nodes of this state first. Change nothing else while another kubelet runs: it may be a node of another
  # state.
  remove_nodes
  require_no_kubelet /proc
  remove_state
  require_packages
  require_free_addresses
  bin=$("$here/assets")
  prepare_state "$bin" "$count"
  if enforces_policies; then link_enforcer; fi
  start_nodes
  apply_manifests
  wait_ready
}

cluster_down() {
  remove_state
  if [[ -s $state/packages ]]; then say "packages that were installed stay: $(xargs <"$state/packages")"; fi
  if [[ ${1:-} == --purge ]]; then rm -rf "$state"; fi
}

# cluster_load pushes Docker archives to the registry, from which the nodes pull on demand.
cluster_load() {
  local archive
  node_alive "$first_node" || fail "the node $first_node does not run: start the cluster with hack/cluster/up"
  for archive in "$@"; do push_image "$archive"; done
}

cluster_loaded() { echo "$state/images/loaded"; }

# cluster_logs copies the logs of every node that was ever started.
cluster_logs() {
  local name logs
  for name in $(list_nodes); do
    logs=$(node_directory "$name")/log
    mkdir -p "$1/$name"
    [[ ! -d $logs ]] || find "$logs" -maxdepth 1 -name '*.log' -exec cp --target-directory "$1/$name" {} +
  done
}

# cluster_trust needs no restart: containerd reads the directory for every pull.
cluster_trust() {
  mkdir -p "$state/registries/$1"
  install -m 644 "$2" "$state/registries/$1/ca.crt"
}

cluster_nodes() { list_nodes; }

# cluster_start_node starts a node that was killed, or the agents of one that was stopped.
cluster_start_node() {
  lock_state
  if node_alive "$1"; then resume_agents "$1"; else start_node "$1"; fi
}

cluster_stop_node() { stop_agents "$1"; }
cluster_kill_node() { kill_node "$1"; }

# lock_state waits until no other command starts nodes.
lock_state() {
  exec 8>"$state/lock"
  flock 8
}

# require_requested_cluster fails if BENCHNET_NODES or BENCHNET_POLICIES asks for another cluster than the one that runs.
require_requested_cluster() {
  local count policies=ignored
  count=$(list_nodes | wc -l)
  if [[ -e $state/kube-router ]]; then policies=enforced; fi
  [[ ${BENCHNET_NODES:-$count} -eq $count ]] ||
    fail "BENCHNET_NODES: $BENCHNET_NODES is not the number of nodes that run, $count: stop them with hack/cluster/down first"
  [[ ${BENCHNET_POLICIES:-$policies} == "$policies" ]] ||
    fail "BENCHNET_POLICIES: $BENCHNET_POLICIES is not what the cluster does, $policies: stop it with hack/cluster/down first"
}

require_packages() {
  local package wanted=("${packages[@]}") missing=()
  if enforces_policies; then wanted+=("${policy_packages[@]}"); fi
  for package in "${wanted[@]}"; do
    dpkg-query --show --showformat='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  "$here/../tools/install-packages" "${missing[@]}"
  printf '%s\n' "${missing[@]}" >>"$state/packages"
}

# prepare_state BIN COUNT makes the changes to the machine, the configuration of the nodes and their certificates.
prepare_state() {
  local bin=$1 count=$2 index name nodes=()
  change_machine
  mkdir -p "$state"/{nodes,volumes}
  install -m 755 "$here/local/init" "$state/init"
  ln -sfn "$bin" "$state/bin"
  for ((index = 1; index <= count; index++)); do
    name=$(node_name "$index")
    prepare_node "$name" "$count" "localhost/benchnet/pause:$(image_tag)"
    nodes+=(--node "$name=$(node_address "$name")")
  done
  "$bin/cluster-pki" --directory "$state/pki" --server-address "$(node_address "$first_node")" \
    --service-address "$service_address" "${nodes[@]}"
  prepare_registry
  install -m 600 "$state/pki/admin.kubeconfig" "$state/kubeconfig"
  echo local >"$state/provider"
}

# start_nodes starts all nodes at the same time and loads the images of pods that run on every cluster.
start_nodes() {
  local name stamp
  for name in $(list_nodes); do
    say "starting the node $name"
    start_node "$name"
  done
  wait_until 600 "the registry answers" bash -c ": </dev/tcp/${registry_address/:/\/}"
  stamp=$(cluster_loaded)/cluster-$(image_tag)
  if [[ ! -e $stamp ]]; then
    cluster_load "$(dirname "$(readlink -f "$state/bin")")"/images/*.tar
    touch "$stamp"
  fi
}

image_tag() { basename "$(dirname "$(readlink -f "$state/bin")")"; }

kubectl() { "$state/bin/kubectl" --kubeconfig "$state/kubeconfig" "$@"; }

apply_manifests() {
  wait_until 600 "the API server is ready" kubectl get --raw /readyz
  sed "s|@COREDNS@|localhost/benchnet/coredns:$(image_tag)|; s|@DNS_ADDRESS@|$dns_address|" "$here/manifests/dns.yaml" |
    kubectl apply --server-side --filename - --filename "$here/manifests/storage.yaml" >/dev/null
  if enforces_policies; then kubectl apply --server-side --filename "$here/manifests/policies.yaml" >/dev/null; fi
}

wait_ready() {
  local name
  for name in $(list_nodes); do
    wait_until 600 "the node $name is registered" kubectl get node "$name"
    kubectl wait --for=condition=Ready "node/$name" --timeout=600s >/dev/null
    say "the node $name is Ready"
  done
  kubectl --namespace kube-system rollout status deployment/coredns --timeout=600s >/dev/null
  say "DNS is available"
}

# nodes_ready reports whether the cluster has nodes, and all of them run and are Ready.
nodes_ready() {
  local name nodes
  nodes=$(list_nodes)
  [[ -n $nodes ]] || return 1
  for name in $nodes; do
    if ! node_alive "$name" || ! node_ready "$name"; then return 1; fi
  done
}

node_ready() { kubectl wait --for=condition=Ready "node/$1" --timeout=10s >/dev/null 2>&1; }

# remove_state stops the nodes and removes everything that a start leaves behind, except the registry's images.
remove_state() {
  remove_nodes
  restore_machine
  rm -rf "${state:?}"/{volumes,etcd,pki,init,bin,kube-router,registry,registries,provider,kubeconfig}
}
