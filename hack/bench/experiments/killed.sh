# Sourced by run: an experiment during which the operator is killed. Expects out.
# shellcheck shell=bash disable=SC2154

readonly kills=3

measure_killed() {
  local i
  apply_experiment killed
  for ((i = 1; i <= kills; i++)); do
    wait_until "did $((i - 1)) runs" has_done_enough_runs 15
    sleep $((RANDOM % 20))
    list_runs "before kill $i"
    kill_operator
    list_runs "after kill $i"
  done
  await_result
  list_runs "at the end"
  print_points
  check_each_run_once
}

# has_done_enough_runs reports whether enough runs are done for kill i, so that each kill hits a different run.
has_done_enough_runs() { [[ $(experiment_field '{.status.display.runs}') =~ ^([0-9]+)/ ]] && ((BASH_REMATCH[1] >= i - 1)); }

# kill_operator deletes the operator's pod without a grace period, as if its node had failed, and waits for the next
# pod.
kill_operator() {
  local pod
  pod=$(kubectl get pods --namespace "$operator_namespace" --selector app.kubernetes.io/name=benchnet --output jsonpath='{.items[0].metadata.name}')
  say "killing $pod while $(experiment_field '{.status.display.runs}') runs are done and under way: $(experiment_field '{.status.display.current}')"
  kubectl delete pod --namespace "$operator_namespace" "$pod" --grace-period=0 --force 2> /dev/null
  kubectl rollout status --namespace "$operator_namespace" deployment/benchnet-operator --timeout=3m > /dev/null
}

# list_runs WHEN: prints the runs, and records the values of each that would change if it were created, started or
# ended twice.
list_runs() {
  say "$1"
  print_runs
  k get benchmarkruns --output 'jsonpath={range .items[*]}{.metadata.name} made {.metadata.uid}{"\n"}{.metadata.name} began {.status.startTime}{"\n"}{.metadata.name} ended {.status.completionTime}{"\n"}{end}' |
    awk 'NF == 3' >> "$out/doings.txt"
}

# check_each_run_once fails if a run was created, started or ended twice, or if the number of runs differs from the
# plan.
check_each_run_once() {
  local twice planned there
  twice=$(sort -u "$out/doings.txt" | cut -d' ' -f1,2 | uniq -d)
  planned=$(experiment_field '{.status.plan.runs}')
  there=$(k get benchmarkruns --no-headers | wc -l)
  if [[ -n $twice ]] || ((there != planned)); then
    say "FAILED: $there runs of $planned; done twice: ${twice:-nothing}"
    return 1
  fi
  say "PASSED: $there runs of $planned, each made, begun and ended once, the operator killed $kills times"
}
