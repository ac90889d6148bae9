# Sourced by run: faults of whole nodes, on a cluster of three. Each part injects its fault into at_once networks,
# BENCHNET_FAULTS_REPETITIONS times (1), and adds a row of times to nodes.tsv for each network. Expects out, root,
# at_once and namespace; made is the number of networks.
# shellcheck shell=bash disable=SC2154,SC2034

# The node of the control plane, which no part loses.
readonly kept_node=benchnet
# How long a lost node stays lost, in seconds: it is not ready after about 55 s.
readonly outage=90
watchers=()
# The operator's affinity before place_operators, as JSON.
affinity_before=

part_node-stopped() { repeat_fault inject_during_run lose_node stop; }
part_node-killed() { repeat_fault inject_during_run lose_node kill; }
part_node-gone() { repeat_fault inject_during_run lose_node_forever; }
part_node-drained() { repeat_fault inject_during_run drain_node; }
part_node-cordoned() { repeat_fault inject_during_run cordon_node; }
part_link-cut() { repeat_fault inject_during_run cut_link; }
part_operator-lost() {
  scale_installed_operator 2
  operators_place=NotIn repeat_fault inject_during_run lose_operator
  scale_installed_operator 1
}
part_node-genesis() { repeat_fault inject_in_stage Genesis; }
part_node-members() { repeat_fault inject_in_stage Members; }
part_node-deletion() { repeat_fault inject_in_stage Finished delete; }

# repeat_fault COMMAND...: creates the networks of each repetition and runs the command, which knows them as networks. The
# operator runs on the kept node, or elsewhere with operators_place=NotIn.
repeat_fault() {
  local repetition networks
  shape=spread_network
  place_operators "${operators_place:-In}"
  record_reference
  for ((repetition = 1; repetition <= ${BENCHNET_FAULTS_REPETITIONS:-1}; repetition++)); do
    mapfile -t networks < <(seq --format "$part-$repetition-%g" "$at_once")
    create_networks "$part-$repetition" "$at_once"
    "$@"
  done
  record_counts "$part"
  restore_placement
}

# inject_during_run FAULT...: injects the fault into a node with one of the four validators of the first network, 10 s
# after all runs have begun to measure. The other networks have one or two validators on it.
inject_during_run() {
  local network
  for network in "${networks[@]}"; do
    wait_until 300 "the run of $network measures" is_run_measuring "$network-blocks"
  done
  sleep 10
  victim=$(node_of_one_member "${networks[0]}")
  watch_reports
  "$@"
  finish_repetition
}

# inject_in_stage STAGE [delete]: stops a node for 60 s when the first network reaches the stage; with delete, deletes the
# networks meanwhile.
inject_in_stage() {
  victim=benchnet-3
  wait_until 600 "${networks[0]} reaches $1" has_reached_stage "${networks[0]}" "$1"
  watch_reports
  "$root/hack/cluster/node" "$victim" stop
  if [[ ${2:-} == delete ]]; then k delete benchmarknetworks "${networks[@]}" --wait=false > /dev/null; fi
  sleep 60
  start_lost_node
  if [[ ${2:-} == delete ]]; then
    made=$((made - at_once))
    record_times "gone" is_network_gone
  else
    finish_repetition
  fi
}

# lose_node stop|kill: loses the node for a while.
lose_node() {
  "$root/hack/cluster/node" "$victim" "$1"
  sleep "$outage"
  start_lost_node
}

# lose_node_forever: kills the node, and deletes it from the cluster when the conditions of all networks say so. The node
# joins again when all networks are as specified without it.
lose_node_forever() {
  local network
  "$root/hack/cluster/node" "$victim" kill
  for network in "${networks[@]}"; do
    wait_until 300 "the condition of $network says to delete $victim" reports "$network" "kubectl delete node $victim" || true
  done
  kubectl delete node "$victim" > /dev/null
  repaired=$SECONDS
  record_times "as specified" is_ready
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
  watch_reports
  lose_node kill
}

# place_operators In|NotIn: keeps the installed operator on the kept node, or off it, until restore_placement.
place_operators() {
  affinity_before=$(kubectl get deployment --namespace "$operator_namespace" benchnet-operator --output json |
    jq --compact-output .spec.template.spec.affinity)
  set_operator_affinity '{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
    {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "'"$1"'", "values": ["'"$kept_node"'"]}]}]}}}'
}

# restore_placement gives the installed operator the affinity that it had before place_operators.
restore_placement() {
  [[ -n $affinity_before ]] || return 0
  set_operator_affinity "$affinity_before"
  affinity_before=
}

start_lost_node() {
  "$root/hack/cluster/node" "$victim" start
  repaired=$SECONDS
}

# run_on_node NODE COMMAND...: runs a command in the node's network namespace.
run_on_node() { nsenter --target "$(node_pid "$1")" --net -- "${@:2}"; }

# node_of_one_member NETWORK: prints a node with exactly one member of the network, and without the control plane.
node_of_one_member() {
  k get pods --selector "benchnet.dev/network=$1,benchnet.dev/member" --output json | jq --raw-output --arg kept "$kept_node" '
    [.items[].spec.nodeName] | group_by(.) | map(select(length == 1 and .[0] != $kept)) | first[0] // "benchnet-3"'
}

# watch_reports: measures in the background how long it takes until the condition of each network names the victim.
watch_reports() {
  local network began=$SECONDS
  stop_watchers
  rm -f "$out"/reported-after.*
  repaired=$SECONDS
  for network in "${networks[@]}"; do
    (wait_until 240 "$network names $victim" reports "$network" "$victim" 2> /dev/null && echo $((SECONDS - began)) > "$out/reported-after.$network") &
    watchers+=($!)
  done
}

stop_watchers() {
  local watcher
  for watcher in "${watchers[@]}"; do kill "$watcher" 2> /dev/null || true; done
  watchers=()
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

# is_network_gone NETWORK: succeeds if neither the network nor an object of it exists.
is_network_gone() {
  [[ -z $(k get benchmarknetwork "$1" --ignore-not-found --output name) ]] &&
    [[ -z $(k get "$kinds" --selector "benchnet.dev/network=$1" --output name) ]]
}

# finish_repetition: waits until all networks are as specified and their runs have ended, and records times and verdicts.
# lose_node_forever has recorded the times before the node joined again.
finish_repetition() {
  local network
  [[ $part == node-gone ]] || record_times "as specified" is_ready
  for network in "${networks[@]}"; do
    wait_until 420 "the run of $network has ended" has_run_ended "$network-blocks" || true
    k get benchmarkrun "$network-blocks" --output json | jq --raw-output --arg part "$part" '
      [$part, .status.verdict // .status.phase, ([.status.reasons[]? | select(.severity == "Invalid") | .reason] | unique | join(" "))] | @tsv' >> "$out/verdicts.tsv"
    tail -1 "$out/verdicts.tsv" >&2
  done
}

# record_times STATE TEST: waits until all networks pass the test, and adds a row for each: seconds from the fault until its
# condition named the node ("-" if it did not), and from the repair until it passed ("-" if it did not in time).
record_times() {
  local network pids=()
  rm -f "$out"/passed-after.*
  for network in "${networks[@]}"; do
    (wait_until 420 "$network is $1" "$2" "$network" && echo $((SECONDS - repaired)) > "$out/passed-after.$network") &
    pids+=($!)
  done
  wait "${pids[@]}" || true
  stop_watchers
  for network in "${networks[@]}"; do
    printf '%s\t%s\t%s\t%s\t%s\n' "$part" "$victim" "$(read_seconds reported-after "$network")" "$(read_seconds passed-after "$network")" "$1" >> "$out/nodes.tsv"
  done
  tail -n "$at_once" "$out/nodes.tsv" >&2
}

# read_seconds EVENT NETWORK: prints when the event was observed, "-" if it was not.
read_seconds() { cat "$out/$1.$2" 2> /dev/null || echo -; }

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
