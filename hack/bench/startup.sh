# Sourced by run: measures the time from kubectl apply to Ready. Expects namespace.
# shellcheck shell=bash disable=SC2154

measure_startup() {
  local i ours theirs
  fetch_bootstrapper
  for ((i = 1; i <= ${BENCHNET_BENCH_REPEATS:-1}; i++)); do
    bring_up_network "benchnet $i"
    bring_up_bootstrapper "bootstrapper $i"
    row startup "ratio $i" "benchnet / bootstrapper" "$(ratio "$ours" "$theirs")" ""
  done
}

network() { kubectl get benchmarknetwork --namespace "$namespace" bench --output "jsonpath=$1"; }

# bring_up_network CASE: sets ours to the seconds from apply to Ready.
bring_up_network() {
  local began
  say "startup: a network with benchnet"
  began=$(now)
  kubectl apply --namespace "$namespace" --filename "$here/network.yaml" > /dev/null
  kubectl wait --namespace "$namespace" --for=condition=Ready --timeout=15m benchmarknetwork/bench > /dev/null
  ours=$(seconds "$began" "$(now)")
  row startup "$1" "apply to Ready" "$ours" s
  stages "$1"
  members_own "$1" "$ours"
  kubectl delete --namespace "$namespace" benchmarknetwork/bench > /dev/null
  kubectl wait --namespace "$namespace" --for=delete --timeout=5m pod --selector benchnet.dev/network=bench > /dev/null
}

stages() {
  local name from to
  while IFS='|' read -r name from to; do
    row startup "$1" "stage $name" "$(seconds "$(epoch "$from")" "$(epoch "$to")")" s
  done < <(network '{range .status.stages[*]}{.name}|{.startedAt}|{.readyAt}{"\n"}{end}')
}

# members_own CASE READY: records how long the nodes took, from the first container start to the last Ready pod, in
# the whole seconds that Kubernetes reports, and the ratio of READY to it.
members_own() {
  local times first last own
  times=$(kubectl get pods --namespace "$namespace" --selector benchnet.dev/network=bench,app.kubernetes.io/component=member \
    --output jsonpath='{range .items[*]}{.status.containerStatuses[0].state.running.startedAt} {.status.conditions[?(@.type=="Ready")].lastTransitionTime}{"\n"}{end}')
  first=$(cut -d' ' -f1 <<< "$times" | sort | head -n 1)
  last=$(cut -d' ' -f2 <<< "$times" | sort | tail -n 1)
  own=$(seconds "$(epoch "$first")" "$(epoch "$last")")
  row startup "$1" "members' own start" "$own" s
  row startup "$1" "apply to Ready / members' own start" "$(ratio "$2" "$own")" ""
}
