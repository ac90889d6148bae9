# Sourced by run: processes of the nodes of the local provider; suspends and resumes those of the first. Expects root.
# shellcheck shell=bash disable=SC2154

stopped=()

# node_pid NODE: prints the PID of the process that ends the node when it is killed, and that has the node's network.
node_pid() { cut -d' ' -f1 "${BENCHNET_STATE:-/var/lib/benchnet-cluster}/nodes/$1/pid"; }

# node_process NAME: prints the PID of the program in the first node's PID namespace, and of no other process with that name.
node_process() {
  local first pid name
  first=$(node_pid benchnet)
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
