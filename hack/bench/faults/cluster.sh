# Sourced by run: suspends and resumes processes of the first node of the local provider. Expects root.
# shellcheck shell=bash disable=SC2154

stopped=()

# node_process NAME: prints the PID of the program in that node's PID namespace, and of no other process with that name.
node_process() {
  local state=${BENCHNET_STATE:-/var/lib/benchnet-cluster} first pid name
  read -r first _ < "$state/nodes/benchnet/pid"
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

# pause_program PROGRAM: suspends the program. It keeps its connections and answers nothing.
pause_program() {
  local pid
  pid=$(node_process "$1")
  kill -STOP "$pid"
  stopped+=("$pid")
}

resume_programs() {
  local pid
  for pid in "${stopped[@]}"; do kill -CONT "$pid" 2> /dev/null || true; done
  stopped=()
}
