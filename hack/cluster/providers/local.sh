# Provider `local`: a single-node Kubernetes from package registries only, in its own PID, mount and network namespaces.
# Sourced by use_provider; requires root.
# shellcheck shell=bash
# shellcheck disable=SC2154 # here and state come from settings.sh

readonly node_name=benchnet
readonly host_address=10.245.0.1 node_address=10.245.0.2
readonly pod_range=10.244.0.0/16 service_range=10.96.0.0/16
readonly service_address=10.96.0.1 dns_address=10.96.0.10
readonly packages=(containerd runc containernetworking-plugins iptables iproute2 mount procps util-linux)
# shellcheck source=../node/machine.sh
source "$here/node/machine.sh"

cluster_kubeconfig() { echo "$state/kubeconfig"; }

cluster_up() {
  [[ $EUID -eq 0 ]] || fail "the local cluster needs root"
  mkdir -p "$state"
  require_disk_space "$state"
  exec 8>"$state/lock"
  flock 8
  if node_alive && node_ready; then
    say "the cluster is up"
    return
  fi
  local bin
  # Stop the node of this state first. Change nothing else while another kubelet runs: it may be the node of another
  # state.
  stop_node
  require_no_kubelet /proc
  remove_state
  require_packages
  require_free_addresses
  bin=$("$here/assets")
  prepare_state "$bin"
  start_node
  apply_manifests
  wait_ready
}

cluster_down() {
  remove_state
  if [[ -s $state/packages ]]; then say "packages that were installed stay: $(xargs <"$state/packages")"; fi
  if [[ ${1:-} == --purge ]]; then rm -rf "$state"; fi
}

# cluster_load imports Docker or OCI image archives.
cluster_load() {
  local archive
  for archive in "$@"; do
    say "loading $archive"
    ctr --address "$state/run/containerd/containerd.sock" --namespace k8s.io images import "$archive" >&2
  done
}

cluster_logs() {
  cp "$state"/log/*.log "$1/"
}

require_packages() {
  local package missing=()
  for package in "${packages[@]}"; do
    dpkg-query --show --showformat='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  "$here/../tools/install-packages" "${missing[@]}"
  printf '%s\n' "${missing[@]}" >>"$state/packages"
}

# require_free_addresses fails if the machine has a route into one of the cluster's address ranges.
require_free_addresses() {
  local range taken
  for range in "$pod_range" "$service_range" "$host_address/30"; do
    taken=$(ip -4 route show to root "$range")
    [[ -z $taken ]] || fail "the machine has a route into $range, which the cluster needs: $taken"
  done
}

prepare_state() {
  local bin=$1
  change_machine
  mkdir -p "$state"/{run,log/pods,volumes,kubelet,config}
  cp -r "$here"/node/{containerd.toml,kubelet.yaml,kube-proxy.yaml,cni} "$state/config/"
  install -m 755 "$here/node/init" "$state/init"
  ln -sfn "$bin" "$state/bin"
  "$bin/cluster-pki" --directory "$state/pki" --node-name "$node_name" --node-address "$node_address" --service-address "$service_address"
  install -m 600 "$state/pki/admin.kubeconfig" "$state/kubeconfig"
  echo local >"$state/provider"
}

# start_node starts node/init in new namespaces, outside of this session and its control groups, and links both
# networks.
start_node() {
  say "starting the node"
  local image pid
  image=localhost/benchnet/pause:$(image_tag)
  BIN=$state/bin STATE=$state PAUSE=$image NODE_NAME=$node_name NODE_ADDRESS=$node_address SERVICE_RANGE=$service_range \
    POD_RANGE=$pod_range DNS_ADDRESS=$dns_address \
    setsid "$here/node/enter" "$state/init" </dev/null >"$state/log/init.log" 2>&1 8>&- &
  until pid=$(init_pid); do
    kill -0 $! 2>/dev/null || fail "the node did not start: $(tail -3 "$state/log/init.log")"
    sleep 0.05
  done
  ip link add benchnet type veth peer name uplink netns "$pid"
  ip address add "$host_address/30" dev benchnet
  ip link set benchnet up
  ip route add "$pod_range" via "$node_address"
  ip route add "$service_range" via "$node_address"
  wait_until 600 "containerd answers" ctr --address "$state/run/containerd/containerd.sock" version
  cluster_load "$(dirname "$(readlink -f "$state/bin")")"/images/*.tar
}

image_tag() { basename "$(dirname "$(readlink -f "$state/bin")")"; }

kubectl() { "$state/bin/kubectl" --kubeconfig "$state/kubeconfig" "$@"; }

apply_manifests() {
  wait_until 600 "the API server is ready" kubectl get --raw /readyz
  sed "s|@COREDNS@|localhost/benchnet/coredns:$(image_tag)|; s|@DNS_ADDRESS@|$dns_address|" "$here/manifests/dns.yaml" |
    kubectl apply --server-side --filename - --filename "$here/manifests/storage.yaml" >/dev/null
}

wait_ready() {
  wait_until 600 "the node is registered" kubectl get node "$node_name"
  kubectl wait --for=condition=Ready "node/$node_name" --timeout=600s >/dev/null
  say "the node is Ready"
  kubectl --namespace kube-system rollout status deployment/coredns --timeout=600s >/dev/null
  say "DNS is available"
}

# wait_until SECONDS WHAT COMMAND...: retries the command until it succeeds; fails after SECONDS.
wait_until() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || fail "not within the time allowed: $what (see $state/log)"
    sleep 0.2
  done
  say "$what"
}

node_ready() { kubectl wait --for=condition=Ready "node/$node_name" --timeout=10s >/dev/null 2>&1; }

# node_alive reports whether the recorded process still exists. It compares the start time too, since PIDs are reused.
node_alive() {
  local pid started
  [[ -s $state/pid ]] || return 1
  read -r pid started <"$state/pid"
  [[ $(process_start "$pid") == "$started" ]]
}

# process_start prints the start time of a process, in clock ticks after boot, with the boot ID.
process_start() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  stat=${stat##*) }
  awk '{print $20}' <<<"$stat" | sed "s|\$|@$(cat /proc/sys/kernel/random/boot_id)|"
}

# init_pid prints the PID that the node's process 1 has outside of the namespaces.
init_pid() {
  local pid child
  node_alive || return 1
  read -r pid _ <"$state/pid"
  child=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null)
  [[ -n $child ]] || return 1
  echo "${child% }"
}

stop_node() {
  local pid
  node_alive || return 0
  say "stopping the node"
  pid=$(init_pid) || true
  kill -KILL "$(cut -d' ' -f1 "$state/pid")"
  while [[ -n $pid && -e /proc/$pid ]]; do sleep 0.1; done
}

# remove_state stops the node and removes everything that a start leaves behind, except the images.
remove_state() {
  stop_node
  # Without a node of this state, the link and the control groups belong to the node of another state.
  if [[ -e $state/pid ]]; then
    if ip link show benchnet >/dev/null 2>&1; then ip link delete benchnet; fi
    remove_cgroups
  fi
  restore_machine
  rm -rf "${state:?}"/{run,log,volumes,kubelet,config,etcd,pki,init,bin,pid,provider,kubeconfig}
}

remove_cgroups() {
  local root
  for root in /sys/fs/cgroup/benchnet-cluster /sys/fs/cgroup/*/benchnet-cluster; do
    [[ -d $root ]] || continue
    find "$root" -depth -type d -exec rmdir {} + 2>/dev/null || true
  done
}
