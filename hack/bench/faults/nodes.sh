# Sourced by run: faults of whole nodes, on a cluster of three. Each part repeats its fault BENCHNET_FAULTS_REPETITIONS
# times (5) and adds a row of times to nodes.tsv for each. Expects out, root and namespace; made is the number of networks.
# shellcheck shell=bash disable=SC2154,SC2034

# How long a lost node stays lost, in seconds: it is not ready after about 55 s.
readonly outage=90

part_node-stopped() { repeat_fault inject_during_run lose_node stop; }
part_node-killed() { repeat_fault inject_during_run lose_node kill; }
part_node-gone() { repeat_fault inject_during_run lose_node_forever; }
part_node-drained() { repeat_fault inject_during_run drain_node; }
part_node-cordoned() { repeat_fault inject_during_run cordon_node; }
part_link-cut() { repeat_fault inject_during_run cut_link; }
part_operator-lost() {
  place_operators '{"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
    {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "NotIn", "values": ["benchnet"]}]}]}}'
  scale_installed_operator 2
  repeat_fault inject_during_run lose_operator
  scale_installed_operator 1
  place_operators null
}
part_node-genesis() { repeat_fault inject_in_stage Genesis; }
part_node-members() { repeat_fault inject_in_stage Members; }
part_node-deletion() { repeat_fault inject_in_stage Finished delete; }

# repeat_fault COMMAND...: creates a network for each repetition and runs the command, which knows it as $network.
repeat_fault() {
  local repetition network
  shape=spread_network
  record_reference
  for ((repetition = 1; repetition <= ${BENCHNET_FAULTS_REPETITIONS:-5}; repetition++)); do
    network=$part-$repetition-1
    create_networks "$part-$repetition" 1
    "$@"
  done
  record_counts "$part"
}

# inject_during_run FAULT...: injects the fault into a node with one of four validators, 10 s after the run has begun to
# measure.
inject_during_run() {
  wait_until 300 "the run of $network measures" is_run_measuring "$network-blocks"
  sleep 10
  victim=$(node_of_one_member "$network")
  watch_report "$network" "$victim"
  "$@" "$network"
  finish_repetition "$network"
}

# inject_in_stage STAGE [delete]: stops a node for 60 s when the network reaches the stage; with delete, deletes the
# network meanwhile.
inject_in_stage() {
  victim=benchnet-3
  wait_until 600 "$network reaches $1" has_reached_stage "$network" "$1"
  watch_report "$network" "$victim"
  "$root/hack/cluster/node" "$victim" stop
  if [[ ${2:-} == delete ]]; then k delete benchmarknetwork "$network" --wait=false > /dev/null; fi
  sleep 60
  start_lost_node
  if [[ ${2:-} == delete ]]; then
    made=$((made - 1))
    wait_until 300 "$network is gone" is_network_gone "$network" || true
    record_times "$network" "gone"
  else
    finish_repetition "$network"
  fi
}

# lose_node stop|kill: loses the node for a while.
lose_node() {
  "$root/hack/cluster/node" "$victim" "$1"
  sleep "$outage"
  start_lost_node
}

# lose_node_forever NETWORK: kills the node, and deletes it from the cluster when the network's condition says so. The
# node joins again for the next repetition.
lose_node_forever() {
  "$root/hack/cluster/node" "$victim" kill
  wait_until 300 "the condition says to delete $victim" reports "$1" "kubectl delete node $victim" || true
  kubectl delete node "$victim" > /dev/null
  repaired=$SECONDS
  wait_until 300 "$1 is as specified without $victim" is_ready "$1" || true
  "$root/hack/cluster/node" "$victim" start
}

drain_node() {
  timeout 120 kubectl drain "$victim" --ignore-daemonsets --delete-emptydir-data --force >> "$out/drain.log" 2>&1 || say "the drain did not finish in 120 s"
  uncordon_node
}

cordon_node() {
  "$root/hack/cluster/node" "$victim" cordon
  uncordon_node
}

# uncordon_node makes the node schedulable after 30 s.
uncordon_node() {
  sleep 30
  kubectl uncordon "$victim" > /dev/null
  repaired=$SECONDS
}

# cut_link: drops all packets between two nodes for 20 s. Both reach the node of the control plane.
cut_link() {
  local peer=benchnet-2
  [[ $victim != "$peer" ]] || peer=benchnet-3
  drop_packets insert "$victim" "$peer"
  drop_packets insert "$peer" "$victim"
  sleep 20
  drop_packets delete "$victim" "$peer"
  drop_packets delete "$peer" "$victim"
  repaired=$SECONDS
}

# drop_packets insert|delete NODE PEER: drops the packets that a node gets from another, or stops that. A link has the
# name of the other node.
drop_packets() { run_on_node "$2" iptables --table mangle "--$1" PREROUTING --in-interface "$3" --jump DROP; }

# lose_operator kills the node of the leading operator, with the members and the other pods on it.
lose_operator() {
  victim=$(kubectl get pod --namespace "$operator_namespace" "$(leader_pod)" --output jsonpath='{.spec.nodeName}')
  watch_report "$1" "$victim"
  lose_node kill
}

# place_operators AFFINITY: sets the node affinity of the installed operator.
place_operators() {
  kubectl patch deployment --namespace "$operator_namespace" benchnet-operator --type merge \
    --patch "{\"spec\": {\"template\": {\"spec\": {\"affinity\": {\"nodeAffinity\": $1}}}}}" > /dev/null
}

start_lost_node() {
  "$root/hack/cluster/node" "$victim" start
  repaired=$SECONDS
}

# run_on_node NODE COMMAND...: runs a command in the node's network namespace.
run_on_node() { nsenter --target "$(node_pid "$1")" --net -- "${@:2}"; }

# node_of_one_member NETWORK: prints a node with exactly one member of the network, and without the control plane.
node_of_one_member() {
  k get pods --selector "benchnet.dev/network=$1,benchnet.dev/member" --output json | jq --raw-output '
    [.items[].spec.nodeName] | group_by(.) | map(select(length == 1 and .[0] != "benchnet")) | first[0] // "benchnet-3"'
}

# watch_report NETWORK NODE: measures in the background how long it takes until the network's condition names the node.
watch_report() {
  local began=$SECONDS
  if [[ -n ${watcher:-} ]]; then kill "$watcher" 2> /dev/null || true; fi
  rm -f "$out/reported-after"
  repaired=$SECONDS
  (wait_until 240 "$1 names $2" reports "$1" "$2" 2> /dev/null && echo $((SECONDS - began)) > "$out/reported-after") &
  watcher=$!
}

# reports NETWORK WORDS: succeeds if the condition Ready of the network is false and its message contains the words.
reports() {
  k get benchmarknetwork "$1" --output json 2> /dev/null | jq --exit-status --arg words "$2" '
    any(.status.conditions[]?; .type == "Ready" and .status == "False" and (.message | contains($words)))' > /dev/null
}

is_ready() {
  k get benchmarknetwork "$1" --output json 2> /dev/null | jq --exit-status '
    any(.status.conditions[]?; .type == "Ready" and .status == "True")' > /dev/null
}

is_network_gone() { [[ -z $(k get benchmarknetwork "$1" --ignore-not-found --output name) ]]; }

# finish_repetition NETWORK: waits until the network is as specified and its run has ended, and records the times.
finish_repetition() {
  wait_until 420 "$1 is ready again" is_ready "$1" || true
  record_times "$1" "as specified"
  wait_until 420 "the run of $1 has ended" has_run_ended "$1-blocks" || true
  say "$1: $(k get benchmarkrun "$1-blocks" --output jsonpath='{.status.verdict}: {.status.reasons[*].reason}')"
  k get benchmarkrun "$1-blocks" --output json | jq --raw-output --arg part "$part" '
    [$part, .status.verdict, ([.status.reasons[] | select(.severity == "Invalid") | .reason] | unique | join(" "))] | @tsv' >> "$out/verdicts.tsv"
}

# record_times NETWORK STATE: adds a row: seconds from the fault until the condition named the node ("-" if it did not),
# and from the repair until the state was reached.
record_times() {
  kill "$watcher" 2> /dev/null || true
  printf '%s\t%s\t%s\t%s\t%s\n' "$part" "$victim" "$(cat "$out/reported-after" 2> /dev/null || echo -)" "$((SECONDS - repaired))" "$2" >> "$out/nodes.tsv"
  tail -1 "$out/nodes.tsv" >&2
}

# print_node_table prints the times and the verdicts of each part.
print_node_table() {
  local name
  [[ -s $out/nodes.tsv ]] || return 0
  {
    echo
    echo "| part | seconds until Ready names the node | seconds from the repair until as specified, or gone | verdicts |"
    echo "|---|---|---|---|"
    for name in $(cut -f1 "$out/nodes.tsv" | uniq); do
      printf '| %s | %s | %s | %s |\n' "$name" "$(list_column "$name" 3)" "$(list_column "$name" 4)" \
        "$(awk -F '\t' -v part="$name" '$1 == part { print $2 " (" $3 ")" }' "$out/verdicts.tsv" 2> /dev/null | sort | uniq -c | sed 's/^ *//' | paste -sd ';')"
    done
  } | tee -a "$out/results.md"
}

# list_column PART NUMBER: prints the values of a column of the part, in order.
list_column() { awk -F '\t' -v part="$1" -v column="$2" '$1 == part { print $column }' "$out/nodes.tsv" | paste -sd ' '; }
