# Sourced by run: functions with which each part applies an experiment, follows it and saves its results. Expects out
# and here; open_namespace sets namespace.
# shellcheck shell=bash disable=SC2154

say() { printf '%5d s  %s\n' "$SECONDS" "$*"; }

k() { kubectl --namespace "$namespace" "$@"; }

# open_namespace PART: creates a namespace with the pod security standard that the part needs, and sets namespace.
open_namespace() {
  local level=restricted
  namespace=benchnet-bench-$1
  kubectl delete namespace "$namespace" --ignore-not-found > /dev/null
  restricted_namespace "$namespace"
  # Round-trip times and partitions require NET_ADMIN.
  [[ $1 != slowed && $1 != e2 && $1 != consensus-regions && $1 != failover ]] || level=privileged
  kubectl label namespace "$namespace" "pod-security.kubernetes.io/enforce=$level" --overwrite > /dev/null
}

close_namespace() {
  [[ -z ${BENCHNET_BENCH_KEEP:-} ]] || return 0
  k delete benchmarkexperiments --all > /dev/null
  kubectl delete namespace "$namespace" > /dev/null
}

# print_manifest PART: prints the part's manifest, with BENCHNET_BENCH_REPETITIONS if that is set.
print_manifest() {
  if [[ -z ${BENCHNET_BENCH_REPETITIONS:-} ]]; then
    print_default_manifest "$1"
  else
    print_default_manifest "$1" | kubectl patch --local --filename - --type merge \
      --patch "{\"spec\": {\"repetitions\": $BENCHNET_BENCH_REPETITIONS}}" --output yaml
  fi
}

# print_default_manifest PART: prints the part's manifest with its own repetitions.
print_default_manifest() {
  if [[ -d $here/$1 ]]; then
    "$("$root/hack/tools/get" kustomize)" build --load-restrictor LoadRestrictionsNone "$here/$1" |
      sed "s|registry.example.com/jpaxos:2021|${BENCHNET_JPAXOS_IMAGE:-&}|"
  else
    cat "$here/$1.yaml"
  fi
}

# load_images MANIFEST: builds and loads the images that an experiment needs, for each Corda version in the manifest.
# It skips the operator's image, because the operator's pod must not change during a measurement.
load_images() {
  local needed images versions version
  needed=$("$root/hack/images/needed" "$1")
  mapfile -t images < <(grep -vx operator <<< "$needed")
  versions=$(sed -nE 's/.*version"?: "(4\.[0-9]+)".*/\1/p' "$1" | sort -u)
  for version in ${versions:-4.10}; do
    CORDA_VERSION=$version "$root/hack/images/build" "${images[@]}"
    CORDA_VERSION=$version "$root/hack/images/load" "${images[@]}"
  done
}

# apply_experiment PART: starts the part's experiment and sets experiment to its name.
apply_experiment() {
  print_manifest "$1" > "$out/$1.yaml"
  load_images "$out/$1.yaml"
  experiment=$(k apply --server-side --filename "$out/$1.yaml" --output jsonpath='{.metadata.name}')
  say "experiment $experiment in namespace $namespace"
}

# experiment_field JSONPATH: prints a field of the experiment.
experiment_field() { k get benchmarkexperiment "$experiment" --output "jsonpath=$1"; }

condition_field() { experiment_field "{.status.conditions[?(@.type==\"$1\")].$2}"; }

# print_plan prints the resources and the duration that the operator plans for the experiment.
print_plan() {
  experiment_field '{.status.plan.networks} networks, {.status.plan.runs} runs; at one time {.status.plan.networksAtOnce} networks, {.status.plan.pods} pods, {.status.plan.cores} cores, {.status.plan.memory} of memory; {.status.plan.duration}{"\n"}'
}

# print_forecast PART: creates the experiment paused and prints the operator's plan for it.
print_forecast() {
  open_namespace "$1"
  print_manifest "$1" > "$out/$1.yaml"
  experiment=$(k create --dry-run=client --filename "$out/$1.yaml" --output json |
    kubectl patch --local --filename - --type merge --patch '{"spec":{"pauseRuns":true}}' --output json |
    k create --filename - --output jsonpath='{.metadata.name}')
  wait_until "was accepted or refused" has_accepted_condition 1 > /dev/null
  printf '%-8s %s' "$1" "$(print_plan)"
  printf '\n         %s\n' "$(condition_field Fits message)"
  close_namespace
}

has_accepted_condition() { [[ -n $(condition_field Accepted status) ]]; }

has_ended() { [[ $(condition_field Complete status) == True || $(condition_field Stalled status) == True ]]; }

# wait_until WHAT TEST MINUTES: waits until TEST succeeds and prints each change of the experiment's progress.
wait_until() {
  local began=$SECONDS shown='' line
  until "$2"; do
    if ((SECONDS - began > $3 * 60)); then
      say "FAILED: experiment $experiment not within $3 minutes: it never $1: $(condition_field Ready message)"
      return 1
    fi
    # The API server may not answer in time while many nodes start.
    line=$(experiment_field '{.status.phase}, {.status.display.runs} runs, current: {.status.display.current}, left: {.status.display.timeLeft}') || line=$shown
    [[ $line == "$shown" ]] || say "$line"
    shown=$line
    sleep 2
  done
}

# await_result waits for the experiment to end and saves its results.
await_result() {
  wait_until "ended" has_ended "${BENCHNET_BENCH_MINUTES:-45}"
  say "$(experiment_field '{.status.phase}'): $(condition_field Complete message)"
  k get configmap "$experiment-results" --output jsonpath='{.binaryData.result\.json\.gz}' | base64 --decode > "$out/$experiment.json.gz"
  k get benchmarkruns --output json > "$out/$experiment-runs.json"
}

# print_points prints the experiment's points with their measurements.
print_points() {
  experiment_field '{range .status.points[*]}{.name}|{.display.parameters}|{.runsEnded}|{.runsInvalid}|{.display.throughput}|{.display.p95}|{.display.bottleneck}{"\n"}{end}' |
    awk -F '|' 'BEGIN { row = "  %-8s %-44s %7s %8s %22s %12s  %s\n"; printf row, "point", "parameters", "runs", "invalid", "throughput", "p95", "bottleneck" }
      { printf row, $1, $2, $3, $4 + 0, $5, $6, $7 }'
}

# print_results prints the results of the experiment's runs, with their segments and the proofs and scores of their faults, and
# saves them.
print_results() {
  local run
  (cd "$root" && go build -o "$out/kubectl-benchnet" ./cmd/kubectl-benchnet)
  for run in $(k get benchmarkruns --output name); do
    "$out/kubectl-benchnet" results --namespace "$namespace" "${run##*/}"
    k get configmap "${run##*/}-result" --output jsonpath='{.binaryData.result\.json\.gz}' | base64 --decode > "$out/${run##*/}.json.gz"
  done
}

# print_runs prints the experiment's runs: name, UID, start and end time, phase, throughput and verdict.
print_runs() {
  k get benchmarkruns --sort-by=.metadata.creationTimestamp --output \
    'jsonpath={range .items[*]}{.metadata.name}|{.metadata.uid}|{.status.startTime}|{.status.completionTime}|{.status.phase}|{.status.display.throughput}|{.status.verdict}|{range .status.reasons[*]}{.reason} {end}{"\n"}{end}' |
    awk -F '|' 'BEGIN { row = "  %-22s %-36s %-27s %-20s %-10s %16s %-8s %s\n"; printf row, "run", "uid", "began", "ended", "phase", "throughput", "verdict", "reasons" }
      { for (i = 3; i <= 7; i++) if ($i == "") $i = "-"; printf row, $1, $2, $3, $4, $5, $6, $7, $8 }'
}
