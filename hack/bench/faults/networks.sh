# Sourced by run: the networks that are under way while something breaks. Expects namespace, out.
# shellcheck shell=bash disable=SC2154

say() { printf '%5d s  %s\n' "$SECONDS" "$*" >&2; }

k() { kubectl --namespace "$namespace" "$@"; }

open_namespace() {
  kubectl delete namespace "$namespace" --ignore-not-found > /dev/null
  restricted_namespace "$namespace"
  made=0
}

# network NAME: a small network with one run of a few seconds. Its members keep all blocks, for one that has lost its own.
network() {
  cat << MANIFEST
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: $1}
spec:
  platform: {type: Malachite, malachite: {blockSize: 1Ki, keptBlocks: 100000}}
  members: {count: 2, cores: 200m, memory: 300Mi, reservation: Minimal, storage: {type: Ephemeral}}
  workloads:
  - name: blocks
    malachite: {}
    measure: {warmUp: 1s, window: 4s}
    workers: {cores: 200m, memory: 128Mi}
---
MANIFEST
}

# make_networks PREFIX NUMBER
make_networks() {
  local i
  for ((i = 1; i <= $2; i++)); do network "$1-$i"; done | k apply --server-side --filename - > /dev/null
  made=$((made + $2))
}

# all_finished tells whether every network is Ready and its run complete.
all_finished() {
  k get benchmarknetworks --output json 2> /dev/null | jq --exit-status --argjson made "$made" '
    [.items[] | select(.status.phase == "Finished")] | length == $made' > /dev/null
}

# wait_until SECONDS WHAT COMMAND...: fails if it is not so in time.
wait_until() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    if ((SECONDS > deadline)); then
      say "FAILED: not in time: $what"
      return 1
    fi
    sleep 0.5
  done
}

# stage_reached NETWORK STAGE: the stage was begun; Run and Finished stand for what comes after the stages.
stage_reached() {
  k get benchmarknetwork "$1" --output json | jq --exit-status --arg stage "$2" '
    if $stage == "Run" then .status.phase == "Running"
    elif $stage == "Finished" then .status.phase == "Finished"
    else any(.status.stages[]?; .name == $stage and .startedAt != null) end' > /dev/null
}
