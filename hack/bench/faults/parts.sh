# Sourced by run: one function for each part. Expects out and namespace; made is the number of networks.
# shellcheck shell=bash disable=SC2154

readonly at_once=5

# part_killed kills the operator repeatedly while networks are starting. When all are finished, it counts and deletes
# them and creates the next ones. Each round adds a row.
part_killed() {
  local kills=0 before round=0 wanted=${BENCHNET_FAULTS_KILLS:-100}
  build_operator
  record_reference
  scale_installed_operator 0
  while ((kills < wanted)); do
    round=$((round + 1)) before=$kills
    create_networks "round$round" "$at_once"
    while ((kills < wanted)) && ! are_all_finished; do
      start_own_operator
      sleep "$((RANDOM % 8)).$((RANDOM % 10))"
      stop_own_operator
      kills=$((kills + 1))
    done
    start_own_operator
    wait_until 300 "all networks are finished" are_all_finished || true
    record_counts "killed $((kills - before)) times (round $round)"
    k delete benchmarknetworks --all > /dev/null
    wait_until 180 "all is gone" is_all_deleted || true
    stop_own_operator
    made=0
  done
  scale_installed_operator 1
}

part_apiserver() { inject_during_provisioning apiserver pause_for kube-apiserver 30; }

part_kubelet() { inject_during_provisioning kubelet pause_for kubelet 90; }

part_etcd() { inject_during_provisioning etcd throttle_etcd; }

# inject_during_provisioning NAME FAULT...: injects the fault while networks are starting, running or finished.
inject_during_provisioning() {
  local name=$1
  shift
  record_reference
  create_networks "$name-early" 2
  sleep $((5 + RANDOM % 10))
  create_networks "$name-late" 3
  sleep $((RANDOM % 5))
  "$@"
  wait_until 420 "all networks are finished after $name" are_all_finished || true
  record_counts "$name"
}

pause_for() {
  pause_program "$1"
  sleep "$2"
  resume_programs
}

# throttle_etcd lets etcd run for 0.2 s of each second.
throttle_etcd() {
  local pulse
  for ((pulse = 0; pulse < 60; pulse++)); do
    pause_program etcd
    sleep 0.8
    resume_programs
    sleep 0.2
  done
}

# part_volume fills a member's volume beyond its size limit, as a growing ledger does.
part_volume() {
  local state=${BENCHNET_STATE:-/var/lib/benchnet-cluster} uid folder
  record_reference
  create_networks volume 1
  wait_until 300 "the network is finished" are_all_finished
  uid=$(k get pod volume-1-member-0-0 --output jsonpath='{.metadata.uid}')
  folder=$state/nodes/benchnet/kubelet/pods/$uid/volumes/kubernetes.io~empty-dir/home
  fallocate --length 2G "$folder/full"
  wait_until 300 "the member is evicted" is_pod_replaced volume-1-member-0-0 "$uid"
  wait_until 300 "the network is finished again" are_all_finished || true
  record_counts volume
}

is_pod_replaced() { [[ $(k get pod "$1" --ignore-not-found --output jsonpath='{.metadata.uid}') != "$2" ]]; }

# part_edited edits one network in each stage and deletes another one in it.
part_edited() {
  local stage name gone=()
  record_reference
  for stage in Genesis Members Run Finished; do
    name=$(tr '[:upper:]' '[:lower:]' <<< "$stage")
    create_networks "edited-$name" 1
    wait_until 300 "edited-$name reaches $stage" has_reached_stage "edited-$name-1" "$stage" || true
    k annotate benchmarknetwork "edited-$name-1" example.com/edited=yes > /dev/null
    k label benchmarknetwork "edited-$name-1" example.com/edited=yes > /dev/null
    k patch benchmarknetwork "edited-$name-1" --type merge --patch '{"spec":{"ttlSecondsAfterFinished":86400}}' > /dev/null
    create_networks "deleted-$name" 1
    wait_until 300 "deleted-$name reaches $stage" has_reached_stage "deleted-$name-1" "$stage" || true
    k delete benchmarknetwork "deleted-$name-1" > /dev/null
    made=$((made - 1))
    gone+=("deleted-$name-1")
  done
  wait_until 300 "all networks are finished" are_all_finished || true
  sleep 20
  say "left of the deleted: $(list_remaining | grep -c -F "$(printf '%s\n' "${gone[@]}")" || true)"
  record_counts edited
}

part_leader() {
  local kill
  record_reference
  scale_installed_operator 2
  for kill in 1 2 3; do
    create_networks "leader-$kill" 2
    sleep $((3 + RANDOM % 8))
    say "kill $kill: $(leader_pod)"
    kubectl delete pod --namespace "$operator_namespace" "$(leader_pod)" --grace-period=0 --force > /dev/null 2>&1
  done
  wait_until 420 "all networks are finished" are_all_finished || true
  record_counts "leader"
  scale_installed_operator 1
}

# part_database deletes the database's pod during a measurement: the run must report it, and the network must recover.
part_database() {
  local run=database-1-issue
  k apply --server-side --filename "$here/database.yaml" > /dev/null
  made=1
  wait_until 1200 "the run measures" is_run_measuring "$run"
  sleep 5
  k delete pod database-1-db-0 --grace-period=0 --force > /dev/null 2>&1
  wait_until 600 "the run has ended" has_run_ended "$run" || true
  wait_until 600 "the network is finished" are_all_finished || true
  say "the run's verdict: $(k get benchmarkrun "$run" --output jsonpath='{.status.verdict}: {.status.reasons[*].message}')"
  shape=database
  list_objects | count_by_name > "$out/$shape.reference.json"
  record_counts database
}

is_run_measuring() { [[ $(k get benchmarkrun "$1" --ignore-not-found --output jsonpath='{.status.phase}') == Measuring ]]; }

has_run_ended() { [[ -n $(k get benchmarkrun "$1" --output jsonpath='{.status.completionTime}') ]]; }
