# Sourced by run: the programs of the local provider's node, which stand still while they are stopped. Expects root.
# shellcheck shell=bash disable=SC2154

stopped=()

# node_process NAME: the process of the node's program, and no other of that name on the machine.
node_process() {
  local state=${BENCHNET_STATE:-/var/lib/benchnet-cluster} first pid name
  read -r first _ < "$state/pid"
  for pid in $(pgrep --exact "${1:0:15}"); do
    name=$(readlink "/proc/$pid/ns/pid")
    if [[ $name == "$(readlink "/proc/$first/ns/pid_for_children")" ]]; then
      echo "$pid"
      return
    fi
  done
  say "no $1 on the node"
  return 1
}

# stop PROGRAM: it keeps its connections and answers nothing.
stop() {
  local pid
  pid=$(node_process "$1")
  kill -STOP "$pid"
  stopped+=("$pid")
}

resume_all() {
  local pid
  for pid in "${stopped[@]}"; do kill -CONT "$pid" 2> /dev/null || true; done
  stopped=()
}
