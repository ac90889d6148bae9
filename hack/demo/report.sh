# Sourced by run: reads and prints the state of the demo's network and its runs, and writes its report. Expects root,
# network and namespace.
# shellcheck shell=bash disable=SC2154

network_field() { kubectl get benchmarknetwork --namespace "$namespace" "$network" --output "jsonpath=$1"; }

# run_fields JSONPATH: prints a line for each run of the network, in the order of its workloads.
run_fields() {
  local workload
  for workload in $(network_field '{.spec.workloads[*].name}'); do
    kubectl get benchmarkrun --namespace "$namespace" "$network-$workload" --ignore-not-found --output "jsonpath=$1"'{"\n"}'
  done | sed '/^$/d'
}

# read_state prints, from one request to the API server, a line for the network and for each of its runs:
# name|network of a run|phase|progress|throughput|Ready|Stalled|Complete|message
# Watching costs the measured machine only one process every two seconds.
read_state() {
  local fields name
  fields='{.metadata.name}|{.metadata.labels.benchnet\.dev/network}|{.status.phase}|{.status.display.progress}|{.status.display.throughput}|'
  for name in Ready Stalled Complete; do fields+="{.status.conditions[?(@.type==\"$name\")].status}|"; done
  fields+='{.status.conditions[?(@.type=="Ready")].message}{"\n"}'
  kubectl get benchmarknetwork,benchmarkrun --namespace "$namespace" --output "jsonpath={range .items[*]}$fields{end}" |
    awk -F '|' -v network="$network" '$1 == network || $2 == network'
}

# summarize_state reads the output of read_state and prints what the network waits for or, once it is ready, the state
# of the current run.
summarize_state() {
  awk -F '|' -v network="$network" '
    $1 == network { if ($6 != "True") line = ($9 == "" ? "the operator has not processed it yet" : $9); next }
    $8 == "True" { ended++; next }
    line == "" { line = "run " $1 ": " ($3 == "Pending" ? $9 : $4 ($5 == "" ? "" : ", " $5)) }
    END { print (line == "" ? ended + 0 " runs have ended" : line) }'
}

# is_stalled reports whether the network is Stalled, and count_ended_runs prints the number of completed runs. Both
# read the output of read_state.
is_stalled() { awk -F '|' -v network="$network" '$1 == network && $7 == "True" { found = 1 } END { exit !found }'; }
count_ended_runs() { awk -F '|' -v network="$network" '$2 == network && $8 == "True"' | wc -l; }

# print_stage_times prints the duration of each provisioning stage.
print_stage_times() {
  local name started ready
  network_field '{range .status.stages[*]}{.name}|{.startedAt}|{.readyAt}{"\n"}{end}' | while IFS='|' read -r name started ready; do
    printf '  %-12s %6s s\n' "$name" "$(seconds_between "$started" "$ready")"
  done
  printf '  %-12s %6s s\n' "all" "$(seconds_between "$(network_field '{.metadata.creationTimestamp}')" \
    "$(network_field '{range .status.stages[*]}{.readyAt}{"\n"}{end}' | sort | tail -n 1)")"
}

seconds_between() {
  if [[ -z $1 || -z $2 ]]; then
    echo "-"
    return
  fi
  awk -v from="$(date -d "$1" +%s.%N)" -v to="$(date -d "$2" +%s.%N)" 'BEGIN { printf "%.1f", to - from }'
}

# print_results prints the results of the runs; latencies (for blocks: block times) are in milliseconds.
print_results() {
  run_fields '{.spec.workload.name}|{.status.display.throughput}|{.status.latencyMicroseconds.mean}|{.status.latencyMicroseconds.p50}|{.status.latencyMicroseconds.p90}|{.status.latencyMicroseconds.p95}|{.status.latencyMicroseconds.p99}|{.status.latencyMicroseconds.max}|{.status.operations.completed}|{.status.operations.failed}|{.spec.workload.measure.window}|{.status.verdict}' |
    awk -F '|' '
      BEGIN {
        row = "%-14s %20s  %9s %9s %9s %9s %9s %9s  %9s %7s  %7s  %s\n"
        printf row, "workload", "throughput", "mean ms", "p50", "p90", "p95", "p99", "max", "completed", "errors", "window", "verdict"
      }
      { for (i = 3; i <= 8; i++) if ($i != "") $i = sprintf("%.1f", $i / 1000) }
      { for (i = 2; i <= 12; i++) if ($i == "") $i = "-"; printf row, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 }'
  print_measures
  print_findings
}

# print_measures prints the platform-specific measurements of each run.
print_measures() {
  local workload
  for workload in $(network_field '{.spec.workloads[*].name}'); do
    kubectl get benchmarkrun --namespace "$namespace" "$network-$workload" --ignore-not-found \
      --output 'jsonpath={range .status.measures[*]}{.name}|{.milliValue}|{.unit}{"\n"}{end}' |
      awk -F '|' -v workload="$workload" 'NF { printf "  %s: %s: %.6g %s\n", workload, $1, $2 / 1000, $3 }'
  done
}

# print_findings prints the reasons of each run's verdict, with their severity.
print_findings() {
  local workload
  for workload in $(network_field '{.spec.workloads[*].name}'); do
    kubectl get benchmarkrun --namespace "$namespace" "$network-$workload" --ignore-not-found \
      --output 'jsonpath={range .status.reasons[*]}{.severity}: {.message}{"\n"}{end}' | sed "s/^/  $workload: /"
  done
}

# print_failures prints the runs that completed without a result, with the reason.
print_failures() {
  run_fields '{.metadata.name}|{.status.phase}|{.status.conditions[?(@.type=="Complete")].status}|{.status.conditions[?(@.type=="Measured")].status}|{.status.conditions[?(@.type=="Measured")].message}' |
    awk -F '|' '$3 == "True" && $4 != "True" { print "run " $1 ": " $5 }'
}

print_debug_commands() {
  cat << TEXT
Look further with
  export KUBECONFIG=$KUBECONFIG
  kubectl describe bnet,brun -n $namespace
  kubectl get pods -n $namespace
  kubectl logs -n $namespace POD --all-containers
  kubectl logs -n $operator_namespace deployment/benchnet-operator
  hack/cluster/logs DIRECTORY        collects all of it
TEXT
}

# write_report writes the report of the network's first workload; the plugin prints its path.
write_report() {
  "$root/bin/kubectl-benchnet" report "brun/$network-$(network_field '{.spec.workloads[0].name}')" \
    --namespace "$namespace" --output "$root/demo-report.html" 2>&1
}

print_next_commands() {
  cat << TEXT
  export KUBECONFIG=$KUBECONFIG PATH=$root/bin:$(dirname "$(command -v kubectl)"):\$PATH
  kubectl benchnet status $network -n $namespace      stages, members and runs
  kubectl benchnet results $network -n $namespace     throughput, latency and verdicts; -o json prints every number
  kubectl benchnet report $network -n $namespace      a report of each run
Clean up with
  kubectl delete bnet $network -n $namespace
  make cluster-down
TEXT
}
