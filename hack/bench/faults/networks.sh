# Sourced by run: the networks that exist while faults are injected. Expects namespace and out.
# shellcheck shell=bash disable=SC2154

say() { printf '%5d s  %s\n' "$SECONDS" "$*" >&2; }

k() { kubectl --namespace "$namespace" "$@"; }

open_namespace() {
  kubectl delete namespace "$namespace" --ignore-not-found > /dev/null
  restricted_namespace "$namespace"
  made=0 shape=network
}

# print_network NAME: prints a small network with one run of a few seconds.
print_network() {
  print_validators "$1" 4s '{cores: 200m, memory: 128Mi}' \
    '{count: 2, cores: 200m, memory: 300Mi, reservation: Minimal, storage: {type: Ephemeral}}'
}

# print_spread_network NAME: prints a network of four validators on three nodes, which leave a node 20 s after it is not
# ready. Its run measures for 2 minutes from the node of the control plane, which no part loses.
print_spread_network() {
  print_validators "$1" 2m '{cores: 500m, memory: 128Mi, scheduling: {nodeSelector: {kubernetes.io/hostname: benchnet}}}' "
    count: 4
    cores: 200m
    memory: 300Mi
    reservation: Minimal
    storage: {type: Ephemeral}
    scheduling:
      tolerations:
      - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 20}
      - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 20}
      topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: kubernetes.io/hostname
        whenUnsatisfiable: ScheduleAnyway
        labelSelector: {matchLabels: {benchnet.dev/network: $1, app.kubernetes.io/component: member}}"
}

# print_validators NAME WINDOW WORKERS MEMBERS: prints a network with one run. Its members make few blocks, so that
# several networks fit on a small machine, and keep all, so that a member that lost its own can catch up.
print_validators() {
  cat << MANIFEST
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: $1}
spec:
  platform: {type: Malachite, malachite: {blockSize: 1Ki, targetBlockTime: 200ms, keptBlocks: 100000}}
  members: $4
  workloads:
  - name: blocks
    type: Blocks
    blocks: {}
    measure: {warmUp: 1s, window: $2, environmentPolicy: Record}
    workers: $3
---
MANIFEST
}

# create_networks PREFIX NUMBER
create_networks() {
  local i
  for ((i = 1; i <= $2; i++)); do "print_$shape" "$1-$i"; done | k apply --server-side --filename - > /dev/null
  made=$((made + $2))
}

# are_all_finished reports whether the phase of every network is Finished.
are_all_finished() {
  k get benchmarknetworks --output json 2> /dev/null | jq --exit-status --argjson made "$made" '
    [.items[] | select(.status.phase == "Finished")] | length == $made' > /dev/null
}

# wait_until SECONDS WHAT COMMAND...: waits until the command succeeds; fails after SECONDS.
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

# has_reached_stage NETWORK STAGE: reports whether the stage has started. Run and Finished are the phases after the
# stages.
has_reached_stage() {
  k get benchmarknetwork "$1" --output json | jq --exit-status --arg stage "$2" '
    if $stage == "Run" then .status.phase == "Running"
    elif $stage == "Finished" then .status.phase == "Finished"
    else any(.status.stages[]?; .name == $stage and .startedAt != null) end' > /dev/null
}
