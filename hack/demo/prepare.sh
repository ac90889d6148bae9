# Sourced by run: brings up the cluster, builds and loads the images and builds Helm, side by side, and reports progress.
# shellcheck shell=bash disable=SC2154

# Typical CPU seconds of each part with empty caches (docs/performance.md). Only the estimate of the time left depends on them.
declare -Ar typical_cost=([cluster]=560 [helm]=90 [operator]=200 [agent]=15 [corda]=150 [jmeter-corda]=60 [genesis-corda]=60
  [postgresql]=30 [postgres-exporter]=70 [cordapps]=60 [malachite-bench]=900 [evm]=120 [jpaxos-client]=60)

# prepare IMAGE...: returns when the cluster runs, the images are loaded and Helm is built. What an earlier start has finished is
# found in the caches.
prepare() {
  logs=$(mktemp -d)
  local failed=0 pid part pids=() parts=(cluster helm "$@")
  # Each job has a process group of its own, so that all of them end with this script.
  set -m
  "$root/hack/cluster/up" > "$logs/cluster" 2>&1 && touch "$logs/cluster.done" &
  pids+=($!)
  "$root/hack/images/build" "$@" > "$logs/images" 2>&1 &
  pids+=($!)
  "$root/hack/tools/get" helm > "$logs/helm" 2>&1 && touch "$logs/helm.done" &
  pids+=($!)
  load_images "$@" > "$logs/load" 2>&1 &
  pids+=($!)
  set +m
  trap 'stop_jobs "${pids[@]}"' EXIT
  report_progress "${parts[@]}" &
  local reporter=$!
  for pid in "${pids[@]}"; do
    wait "$pid" || { failed=1; break; }
  done
  kill "$reporter" 2> /dev/null || true
  ((failed == 0)) || { tail -n 25 "$logs"/{cluster,images,helm,load} >&2; stop_jobs "${pids[@]}"; return 1; }
  trap - EXIT
  rm -r "$logs"
}

stop_jobs() {
  local pid
  for pid in "$@"; do kill -- "-$pid" 2> /dev/null || true; done
}

# load_images IMAGE...: loads each image once it is built and the cluster runs.
load_images() {
  local image
  until [[ -e $logs/cluster.done ]]; do sleep 1; done
  for image in "$@"; do
    until is_built "$image"; do sleep 1; done
    "$root/hack/images/load" "$image"
  done
}

is_built() { grep -qE "\] $1: (.* built in|up to date)" "$logs/images"; }

# report_progress PART...: prints, whenever a part gets ready and each minute, which parts are left and an estimate of the time.
report_progress() {
  local part left=("$@") still printed=0
  while ((${#left[@]})); do
    still=()
    for part in "${left[@]}"; do
      [[ -e $logs/$part.done ]] || is_built "$part" || still+=("$part")
    done
    if ((${#still[@]} < ${#left[@]} || SECONDS - printed >= 60)); then
      say "$(($# - ${#still[@]})) of $# parts ready${still:+, at least $(minutes_left "${still[@]}") min left: ${still[*]}}"
      printed=$SECONDS
    fi
    left=("${still[@]}")
    sleep 2
  done
}

# minutes_left PART...: estimates the minutes that these parts take on idle cores.
minutes_left() {
  local part seconds=0
  for part in "$@"; do seconds=$((seconds + ${typical_cost[$part]:-60})); done
  echo $((seconds / 60 / $(nproc) + 1))
}
