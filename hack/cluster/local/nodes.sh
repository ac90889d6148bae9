# Sourced by providers/local.sh: the nodes of the cluster and their processes. The directory of a node contains its
# configuration, its logs and the PID of its process 1.
# shellcheck shell=bash
# shellcheck disable=SC2154 # state comes from settings.sh, the addresses from network.sh

# agents are the programs that run on every node. Without them the node is lost to the cluster, but its pods still run.
readonly agents=(kubelet kube-proxy kube-router containerd)

node_directory() { echo "$state/nodes/$1"; }

# list_nodes prints the names of the nodes that the last start configured, the first node first.
list_nodes() {
  local directory
  for directory in "$state"/nodes/*/config; do
    [[ ! -d $directory ]] || basename "$(dirname "$directory")"
  done | sort
}

# prepare_node NAME COUNT PAUSE_IMAGE writes the configuration of one of COUNT nodes.
prepare_node() {
  local name=$1 count=$2 image=$3 directory file
  directory=$(node_directory "$name")
  mkdir -p "$directory/config"
  cp -r "$here"/local/{containerd.toml,kubelet.yaml,kube-proxy.yaml,cni} "$directory/config/"
  for file in containerd.toml kubelet.yaml kube-proxy.yaml cni/10-pods.conflist; do
    sed -i -e "s|@STATE@|$state|g; s|@NODE@|$directory|g; s|@NODE_NAME@|$name|g; s|@PAUSE@|$image|g" \
      -e "s|@POD_RANGE@|$pod_range|g; s|@NODE_POD_RANGE@|$(node_pod_range "$name")|g; s|@DNS_ADDRESS@|$dns_address|g" \
      -e "s|@RESERVED_CPU@|$(other_shares "$count" "$(count_millicores)")m|g" \
      -e "s|@RESERVED_MEMORY@|$(other_shares "$count" "$(count_memory)")Mi|g" "$directory/config/$file"
  done
}

# other_shares COUNT TOTAL prints the shares that COUNT-1 of COUNT nodes have of a total.
other_shares() { echo $(($2 * ($1 - 1) / $1)); }
count_millicores() { echo $(($(getconf _NPROCESSORS_ONLN) * 1000)); }
count_memory() { awk '$1 == "MemTotal:" { print int($2 / 1024) }' /proc/meminfo; }

# start_node NAME starts node/init in new namespaces, outside of this session and its control groups, and connects the
# node. It starts with empty /run, like a machine after a reboot.
start_node() {
  local name=$1 directory control_plane=false enforcer=""
  directory=$(node_directory "$name")
  if [[ $name == "$first_node" ]]; then control_plane=true; fi
  if [[ -e $state/kube-router ]]; then enforcer=$state/kube-router; fi
  rm -rf "${directory:?}"/{run,stopped}
  mkdir -p "$directory"/{run,log/pods,kubelet}
  BIN=$state/bin STATE=$state NODE=$directory NODE_NAME=$name NODE_ADDRESS=$(node_address "$name") \
    CONTROL_PLANE=$control_plane SERVICE_RANGE=$service_range ENFORCER=$enforcer \
    setsid "$here/local/enter" "$state/init" </dev/null >"$directory/log/init.log" 2>&1 &
  until init_pid "$name" >/dev/null; do
    kill -0 $! 2>/dev/null || fail "the node $name did not start: $(tail -3 "$directory/log/init.log")"
    sleep 0.05
  done
  link_node "$name"
}

# node_alive NAME reports whether the recorded process still exists. It compares the start time too, since PIDs are
# reused.
node_alive() {
  local record pid started
  record=$(node_directory "$1")/pid
  [[ -s $record ]] || return 1
  read -r pid started <"$record"
  [[ $(process_start "$pid") == "$started" ]]
}

# process_start prints the start time of a process, in clock ticks after boot, with the boot ID.
process_start() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  stat=${stat##*) }
  awk '{print $20}' <<<"$stat" | sed "s|\$|@$(boot_id)|"
}

# init_pid NAME prints the PID that the node's process 1 has outside of the namespaces.
init_pid() {
  local pid child
  node_alive "$1" || return 1
  read -r pid _ <"$(node_directory "$1")/pid"
  child=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null)
  [[ -n $child ]] || return 1
  echo "${child% }"
}

# kill_node NAME ends every process of a node at once, like a loss of power.
kill_node() {
  local pid
  node_alive "$1" || return 0
  pid=$(init_pid "$1") || true
  kill -KILL "$(cut -d' ' -f1 "$(node_directory "$1")/pid")"
  while [[ -n $pid && -e /proc/$pid ]]; do sleep 0.1; done
}

# stop_agents NAME ends the agents of a node until resume_agents. Its pods still run.
stop_agents() {
  local pid program
  pid=$(init_pid "$1") || fail "the node $1 does not run"
  touch "$(node_directory "$1")/stopped"
  for program in "${agents[@]}"; do pkill --exact --ns "$pid" --nslist pid "$program" || true; done
}

resume_agents() { rm -f "$(node_directory "$1")/stopped"; }

# remove_nodes ends all nodes and removes what they leave behind.
remove_nodes() {
  local directory name
  for directory in "$state"/nodes/*; do kill_node "$(basename "$directory")"; done
  for directory in "$state"/nodes/*; do
    name=$(basename "$directory")
    # Without a node of this state, the link and the control groups belong to the node of another state.
    if [[ -e $directory/pid ]]; then
      if ip link show "$name" >/dev/null 2>&1; then ip link delete "$name"; fi
      remove_cgroups "$name"
    fi
    rm -rf "${directory:?}"
  done
}

# remove_cgroups NAME removes the control groups of a node, and those of the cluster with the last node.
remove_cgroups() {
  local root
  for root in /sys/fs/cgroup/benchnet-cluster /sys/fs/cgroup/*/benchnet-cluster; do
    [[ -d $root ]] || continue
    find "$root/$1" -depth -type d -exec rmdir {} + 2>/dev/null || true
    rmdir "$root" 2>/dev/null || true
  done
}
