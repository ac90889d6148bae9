# Sourced by run: an experiment whose operator is killed. Expects out.
# shellcheck shell=bash disable=SC2154

readonly kills=3

measure_killed() {
  local i
  apply killed
  for ((i = 1; i <= kills; i++)); do
    wait_until "did $((i - 1)) runs" enough_done 15
    sleep $((RANDOM % 20))
    list_runs "before kill $i"
    kill_operator
    list_runs "after kill $i"
  done
  follow
  list_runs "at the end"
  points
  nothing_twice
}

# enough_done lets each kill meet another run.
enough_done() { [[ $(field '{.status.progress}') =~ ^([0-9]+)/ ]] && ((BASH_REMATCH[1] >= i - 1)); }

# kill_operator takes the operator's pod away without grace, as when its node dies, and waits for the next one.
kill_operator() {
  local pod
  pod=$(kubectl get pods --namespace "$operator_namespace" --selector app.kubernetes.io/name=benchnet --output jsonpath='{.items[0].metadata.name}')
  say "killing $pod while $(field '{.status.progress}') runs are done and under way: $(field '{.status.current}')"
  kubectl delete pod --namespace "$operator_namespace" "$pod" --grace-period=0 --force 2> /dev/null
  kubectl rollout status --namespace "$operator_namespace" deployment/benchnet-operator --timeout=3m > /dev/null
}

# list_runs WHEN: prints the runs, and keeps of each what would be another if it were made, begun or ended twice.
list_runs() {
  say "$1"
  runs
  k get benchmarkruns --output 'jsonpath={range .items[*]}{.metadata.name} made {.metadata.uid}{"\n"}{.metadata.name} began {.status.startTime}{"\n"}{.metadata.name} ended {.status.completionTime}{"\n"}{end}' |
    awk 'NF == 3' >> "$out/doings.txt"
}

# nothing_twice fails if a run was made, begun or ended at two times, or is not there at the end; or if there are others than planned.
nothing_twice() {
  local twice planned there
  twice=$(sort -u "$out/doings.txt" | cut -d' ' -f1,2 | uniq -d)
  planned=$(field '{.status.plan.runs}')
  there=$(k get benchmarkruns --no-headers | wc -l)
  if [[ -n $twice ]] || ((there != planned)); then
    say "FAILED: $there runs of $planned; done twice: ${twice:-nothing}"
    return 1
  fi
  say "PASSED: $there runs of $planned, each made, begun and ended once, the operator killed $kills times"
}
