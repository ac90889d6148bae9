# Sourced by providers/local.sh: the addresses of the nodes and the links between them. A pair of virtual interfaces
# joins the machine with every node, and every node with every other, so that one connection can be cut alone and the
# machine forwards nothing.
# shellcheck shell=bash
# shellcheck disable=SC2034 # some are used only by those who source it

readonly host_address=10.245.0.1 node_range=10.245.0.0/24
readonly pod_range=10.244.0.0/16 service_range=10.96.0.0/16
readonly service_address=10.96.0.1 dns_address=10.96.0.10
readonly first_node=benchnet

# node_name INDEX prints the name of a node; the indices begin with 1.
node_name() { if (($1 == 1)); then echo $first_node; else echo "$first_node-$1"; fi; }

# node_index NAME is the inverse of node_name.
node_index() { if [[ $1 == "$first_node" ]]; then echo 1; else echo "${1##*-}"; fi; }

node_address() { echo "10.245.0.$(($(node_index "$1") + 1))"; }
node_pod_range() { echo "10.244.$(($(node_index "$1") - 1)).0/24"; }

# require_free_addresses fails if the machine has a route into one of the cluster's address ranges.
require_free_addresses() {
  local range taken
  for range in "$pod_range" "$service_range" "$node_range"; do
    taken=$(ip -4 route show to root "$range")
    [[ -z $taken ]] || fail "the machine has a route into $range, which the cluster needs: $taken"
  done
}

# link_node NAME connects a node that has started with the machine and with the other nodes that run. Its process 1
# waits for the last route.
link_node() {
  local name=$1 address other
  address=$(node_address "$name")
  for other in $(list_nodes); do
    if [[ $other != "$name" ]] && node_alive "$other"; then link_nodes "$name" "$other"; fi
  done
  create_link $$ "$name" "$(init_pid "$name")" uplink
  configure_link $$ "$name" "$host_address" "$address" "$(machine_routes "$name")"
  # The API server calls webhooks at addresses of Services, which needs a route before kube-proxy's rules apply.
  configure_link "$(init_pid "$name")" uplink "$address" "$host_address" "$service_range"
}

# machine_routes NAME prints the ranges that the machine reaches through the node.
machine_routes() {
  node_pod_range "$1"
  if [[ $1 == "$first_node" ]]; then echo "$service_range"; fi
}

# link_nodes A B connects two nodes. Each end has the name of the other node.
link_nodes() {
  create_link "$(init_pid "$1")" "$2" "$(init_pid "$2")" "$1"
  configure_link "$(init_pid "$1")" "$2" "$(node_address "$1")" "$(node_address "$2")" "$(node_pod_range "$2")"
  configure_link "$(init_pid "$2")" "$1" "$(node_address "$2")" "$(node_address "$1")" "$(node_pod_range "$1")"
}

# create_link PID LINK PEER_PID PEER_LINK makes a pair of virtual interfaces between the network namespaces of two
# processes. It replaces a link that the kernel has not yet removed with a namespace that ended.
create_link() {
  run_in_network "$1" ip link delete "$2" 2>/dev/null || true
  run_in_network "$3" ip link delete "$4" 2>/dev/null || true
  run_in_network "$1" ip link add "$2" type veth peer name "$4" netns "$3"
}

# configure_link PID LINK ADDRESS PEER_ADDRESS RANGES brings up one end of a link and routes the ranges through it.
configure_link() {
  local range
  run_in_network "$1" ip address add "$3" peer "$4" dev "$2"
  run_in_network "$1" ip link set "$2" up
  for range in $5; do run_in_network "$1" ip route add "$range" via "$4" dev "$2" src "$3"; done
}

# run_in_network PID COMMAND... runs a command in the network namespace of a process.
run_in_network() { nsenter --target "$1" --net -- "${@:2}"; }
