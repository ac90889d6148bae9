# Sourced by run: compares the reset of a network with its deletion and recreation. Both follow a run, in turn.
# Expects namespace and here.
# shellcheck shell=bash disable=SC2154

measure_reset() {
  local i anew reset
  make_network
  for ((i = 1; i <= ${BENCHNET_BENCH_REPEATS:-3}; i++)); do
    use_network
    reset_network "$i"
    [[ $(rows_of_member) == 0 ]] || die "reset $i left $(rows_of_member) transactions with member-0"
    use_again "$i"
    make_anew "$i"
    row reset "$i" "reset / made anew" "$(ratio "$reset" "$anew")" ""
  done
}

make_network() {
  kubectl apply --namespace "$namespace" --filename "$here/reset-network.yaml" > /dev/null
  kubectl wait --namespace "$namespace" --for=condition=Ready --timeout=15m benchmarknetwork/bench > /dev/null
}

# use_network waits for the run of the network's workload.
use_network() {
  kubectl wait --namespace "$namespace" --for=create --timeout=5m benchmarkrun/bench-used > /dev/null
  kubectl wait --namespace "$namespace" --for=condition=Complete --timeout=10m benchmarkrun/bench-used > /dev/null
  (($(rows_of_member) > 0)) || die "the run left nothing with member-0"
}

# use_again I: runs the workload again, so that the recreated network was used like the one that was reset.
use_again() {
  network '{.spec.workloads[0]}' | jq --arg name "used-$1" '.name = $name |
    {apiVersion: "benchnet.dev/v1alpha1", kind: "BenchmarkRun", metadata: {$name}, spec: {networkName: "bench", workload: .}}' |
    kubectl apply --namespace "$namespace" --filename - > /dev/null
  kubectl wait --namespace "$namespace" --for=condition=Complete --timeout=10m "benchmarkrun/used-$1" > /dev/null
}

rows_of_member() {
  kubectl exec --namespace "$namespace" bench-db-0 --container postgresql -- \
    psql -At -U postgres -d corda -c 'SELECT count(*) FROM member_0.node_transactions'
}

# reset_network I: sets reset to the seconds from the annotation to Ready.
reset_network() {
  local began before
  before=$(network '{.status.epoch.id}')
  began=$(now)
  kubectl annotate --namespace "$namespace" --overwrite benchmarknetwork/bench "benchnet.dev/reset=$began" > /dev/null
  until [[ $(network '{.status.epoch.id}') != "$before" ]]; do sleep 0.1; done
  kubectl wait --namespace "$namespace" --for=condition=Ready --timeout=15m benchmarknetwork/bench > /dev/null
  reset=$(seconds "$began" "$(now)")
  row reset "$1" "reset: annotation to Ready" "$reset" s
}

# make_anew I: deletes and recreates the network; sets anew to the seconds until it is Ready.
make_anew() {
  local began gone
  began=$(now)
  kubectl delete --namespace "$namespace" benchmarknetwork/bench > /dev/null
  kubectl wait --namespace "$namespace" --for=delete --timeout=5m pod --selector benchnet.dev/network=bench > /dev/null
  gone=$(now)
  make_network
  anew=$(seconds "$began" "$(now)")
  row reset "$1" "made anew: delete to gone" "$(seconds "$began" "$gone")" s
  row reset "$1" "made anew: apply to Ready" "$(seconds "$gone" "$(now)")" s
  row reset "$1" "load average at the end" "$(cut -d' ' -f1 /proc/loadavg)" ""
}
