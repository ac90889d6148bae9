# Sourced by run: brings up the cluster, builds and loads the images, builds Helm and the kubectl plugin, side by side, and
# reports progress.
# shellcheck shell=bash disable=SC2154

# Typical CPU seconds of each part with empty caches (docs/performance.md). Only the estimate of the time left depends on them.
declare -Ar typical_cost=([cluster]=810 [helm]=90 [plugin]=60 [operator]=200 [agent]=15 [corda]=150 [jmeter-corda]=60 [genesis-corda]=60
  [postgresql]=30 [postgres-exporter]=70 [cordapps]=60 [malachite-bench]=900 [evm]=120 [geth]=150 [cometbft-bench]=90 [jpaxos-client]=60)

# prepare IMAGE...: returns when the cluster runs, the images are loaded, and Helm and the plugin are built. The caches
# keep what an earlier run finished. When a job fails, it prints the end of that job's log, and the exit trap stops the other jobs.
prepare() {
  pids=()
  logs=$(mktemp -d)
  trap stop_jobs EXIT
  start_job cluster "$root/hack/cluster/up"
  start_job images "$root/hack/images/build" "$@"
  start_job helm "$root/hack/tools/get" helm
  start_job plugin build_plugin
  start_job load load_images "$@"
  report_progress cluster helm plugin "$@"
  local ended
  for ended in "$logs"/*.failed; do
    [[ -e $ended ]] || continue
    tail -n 40 "${ended%.failed}" >&2
    return 1
  done
  trap - EXIT
  rm -r "$logs"
}

# start_job NAME COMMAND...: runs the command in the background, in its own process group, and records how it ended.
start_job() {
  set -m
  (
    ended=failed
    trap 'touch "$logs/$1.$ended"' EXIT
    "${@:2}" > "$logs/$1" 2>&1
    ended="done"
  ) &
  pids+=($!)
  set +m
}

stop_jobs() {
  local pid
  for pid in "${pids[@]}"; do kill -- "-$pid" 2> /dev/null || true; done
}

build_plugin() { CGO_ENABLED=0 go build -C "$root" -o bin/kubectl-benchnet ./cmd/kubectl-benchnet; }

# load_images IMAGE...: loads each image once it is built and the cluster runs.
load_images() {
  local image
  until [[ -e $logs/cluster.done ]]; do sleep 1; done
  for image in "$@"; do
    until is_built "$image"; do sleep 1; done
    "$root/hack/images/load" "$image"
  done
}

is_built() { grep -qsE "\] $1: (.* built in|up to date)" "$logs/images"; }

# report_progress PART...: prints the parts that are left and an estimate of the time, whenever a part is ready and each
# minute. It returns when all jobs have ended or one has failed.
report_progress() {
  local part left=("$@") still printed=0
  while [[ -n $(jobs -rp) ]] && ! compgen -G "$logs/*.failed" > /dev/null; do
    still=()
    for part in "${left[@]}"; do
      [[ -e $logs/$part.done ]] || is_built "$part" || still+=("$part")
    done
    if ((${#still[@]} < ${#left[@]} || (${#still[@]} && SECONDS - printed >= 60))); then
      say "$(($# - ${#still[@]})) of $# parts ready${still:+, at least $(minutes_left "${still[@]}") min left: ${still[*]}}"
      printed=$SECONDS
    fi
    left=("${still[@]}")
    sleep 1
  done
}

# minutes_left PART...: estimates the minutes that these parts take on idle cores.
minutes_left() {
  local part seconds=0
  for part in "$@"; do seconds=$((seconds + ${typical_cost[$part]:-60})); done
  echo $((seconds / 60 / $(nproc) + 1))
}
