# Sourced by run: compares the reset of a network with its deletion and recreation. Both follow a run, in turn.
# Expects namespace and here.
# shellcheck shell=bash disable=SC2154

measure_reset() {
  local i recreated reset
  create_network
  for ((i = 1; i <= ${BENCHNET_BENCH_REPEATS:-3}; i++)); do
    await_first_run
    reset_network "$i"
    [[ $(count_member_rows) == 0 ]] || die "reset $i left $(count_member_rows) transactions with member-0"
    run_again "$i"
    recreate_network "$i"
    record_row reset "$i" "reset / recreated" "$(ratio "$reset" "$recreated")" ""
  done
}

create_network() {
  kubectl apply --namespace "$namespace" --filename "$here/reset-network.yaml" > /dev/null
  kubectl wait --namespace "$namespace" --for=condition=Ready --timeout=15m benchmarknetwork/bench > /dev/null
}

# await_first_run waits for the run of the network's workload.
await_first_run() {
  kubectl wait --namespace "$namespace" --for=create --timeout=5m benchmarkrun/bench-used > /dev/null
  kubectl wait --namespace "$namespace" --for=condition=Complete --timeout=10m benchmarkrun/bench-used > /dev/null
  (($(count_member_rows) > 0)) || die "the run left nothing with member-0"
}

# run_again I: runs the workload again, so that the recreated network was used like the one that was reset.
run_again() {
  network_field '{.spec.workloads[0]}' | jq --arg name "used-$1" '.name = $name |
    {apiVersion: "benchnet.dev/v1alpha1", kind: "BenchmarkRun", metadata: {$name}, spec: {networkName: "bench", workload: .}}' |
    kubectl apply --namespace "$namespace" --filename - > /dev/null
  kubectl wait --namespace "$namespace" --for=condition=Complete --timeout=10m "benchmarkrun/used-$1" > /dev/null
}

count_member_rows() {
  kubectl exec --namespace "$namespace" bench-db-0 --container postgresql -- \
    psql -At -U postgres -d corda -c 'SELECT count(*) FROM member_0.node_transactions'
}

# reset_network I: sets reset to the seconds from the annotation to Ready.
reset_network() {
  local began before
  before=$(network_field '{.status.epoch.id}')
  began=$(now)
  kubectl annotate --namespace "$namespace" --overwrite benchmarknetwork/bench "benchnet.dev/reset=$began" > /dev/null
  until [[ $(network_field '{.status.epoch.id}') != "$before" ]]; do sleep 0.1; done
  kubectl wait --namespace "$namespace" --for=condition=Ready --timeout=15m benchmarknetwork/bench > /dev/null
  reset=$(elapsed_seconds "$began" "$(now)")
  record_row reset "$1" "reset: annotation to Ready" "$reset" s
}

# recreate_network I: deletes and recreates the network; sets recreated to the seconds until it is Ready.
recreate_network() {
  local began gone
  began=$(now)
  kubectl delete --namespace "$namespace" benchmarknetwork/bench > /dev/null
  kubectl wait --namespace "$namespace" --for=delete --timeout=5m pod --selector benchnet.dev/network=bench > /dev/null
  gone=$(now)
  create_network
  recreated=$(elapsed_seconds "$began" "$(now)")
  record_row reset "$1" "recreated: delete to gone" "$(elapsed_seconds "$began" "$gone")" s
  record_row reset "$1" "recreated: apply to Ready" "$(elapsed_seconds "$gone" "$(now)")" s
  record_row reset "$1" "load average at the end" "$(cut -d' ' -f1 /proc/loadavg)" ""
}
