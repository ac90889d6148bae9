# Sourced by run: measures the time from kubectl apply to Ready. Expects namespace.
# shellcheck shell=bash disable=SC2154

measure_startup() {
  local i ours theirs
  fetch_bootstrapper
  for ((i = 1; i <= ${BENCHNET_BENCH_REPEATS:-1}; i++)); do
    bring_up_network "benchnet $i"
    bring_up_bootstrapper "bootstrapper $i"
    record_row startup "ratio $i" "benchnet / bootstrapper" "$(ratio "$ours" "$theirs")" ""
  done
}

network_field() { kubectl get benchmarknetwork --namespace "$namespace" bench --output "jsonpath=$1"; }

# bring_up_network CASE: sets ours to the seconds from apply to Ready.
bring_up_network() {
  local began
  say "startup: a network with benchnet"
  began=$(now)
  kubectl apply --namespace "$namespace" --filename "$here/network.yaml" > /dev/null
  kubectl wait --namespace "$namespace" --for=condition=Ready --timeout=15m benchmarknetwork/bench > /dev/null
  ours=$(elapsed_seconds "$began" "$(now)")
  record_row startup "$1" "apply to Ready" "$ours" s
  record_stages "$1"
  record_member_start "$1" "$ours"
  kubectl delete --namespace "$namespace" benchmarknetwork/bench > /dev/null
  kubectl wait --namespace "$namespace" --for=delete --timeout=5m pod --selector benchnet.dev/network=bench > /dev/null
}

record_stages() {
  local name from to
  while IFS='|' read -r name from to; do
    record_row startup "$1" "stage $name" "$(elapsed_seconds "$(to_epoch "$from")" "$(to_epoch "$to")")" s
  done < <(network_field '{range .status.stages[*]}{.name}|{.startedAt}|{.readyAt}{"\n"}{end}')
}

# record_member_start CASE READY: records how long the nodes took, from the first container start to the last Ready
# pod, in the whole seconds that Kubernetes reports, and the ratio of READY to it.
record_member_start() {
  local times first last own
  times=$(kubectl get pods --namespace "$namespace" --selector benchnet.dev/network=bench,app.kubernetes.io/component=member \
    --output jsonpath='{range .items[*]}{.status.containerStatuses[0].state.running.startedAt} {.status.conditions[?(@.type=="Ready")].lastTransitionTime}{"\n"}{end}')
  first=$(cut -d' ' -f1 <<< "$times" | sort | head -n 1)
  last=$(cut -d' ' -f2 <<< "$times" | sort | tail -n 1)
  own=$(elapsed_seconds "$(to_epoch "$first")" "$(to_epoch "$last")")
  record_row startup "$1" "members' own start" "$own" s
  record_row startup "$1" "apply to Ready / members' own start" "$(ratio "$2" "$own")" ""
}
