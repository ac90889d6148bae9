# Sourced by providers/local.sh: changes that a start makes to the machine outside of the nodes' namespaces, and their
# reversal. $state/machine records them with the boot ID: after a reboot there is nothing to restore.
# shellcheck shell=bash
# shellcheck disable=SC2154 # state comes from settings.sh

readonly modules=(overlay br_netfilter nf_conntrack)
# The kubelet sets the last five.
readonly sysctls=(fs.inotify.max_user_instances vm.overcommit_memory kernel.panic kernel.panic_on_oops kernel.keys.root_maxkeys kernel.keys.root_maxbytes)
# Every node mounts private file systems on these paths, which are fixed in the kubelet and in the CNI library.
readonly private_directories=(/var/lib/kubelet /var/lib/cni)

boot_id() { cat /proc/sys/kernel/random/boot_id; }

# require_no_kubelet PROC fails if a kubelet runs on the machine. It searches process names and sockets under /proc,
# since a distribution that embeds the kubelet in another program still has its sockets.
require_no_kubelet() {
  local proc=$1 found
  found=$(cd "$proc" && grep --files-with-matches --line-regexp --no-messages kubelet [0-9]*/comm | cut -d/ -f1 | xargs) || true
  [[ -z $found ]] || fail "a kubelet runs on this machine (process $found): stop it, or choose another provider with BENCHNET_CLUSTER"
  found=$(awk '$NF ~ "^/var/lib/kubelet/" { print $NF; exit }' "$proc/net/unix")
  [[ -z $found ]] || fail "a kubelet listens on $found: stop it, or choose another provider with BENCHNET_CLUSTER"
}

# require_disk_space DIRECTORY fails if less than a tenth of the directory's file system is available. The message
# broker of a Corda node would then block all clients without an error.
require_disk_space() {
  local size available
  read -r size available < <(df --output=size,avail --block-size=1M "$1" | tail -n 1)
  ((available * 10 >= size)) ||
    fail "only $available of $size MiB are available in the file system of $1: free at least a tenth, below which Corda nodes accept no messages"
}

# change_machine records the state of the machine and makes the changes that a start needs.
change_machine() {
  local record=$state/machine name
  mkdir -p "$record"
  boot_id >"$record/boot"
  sysctl "${sysctls[@]}" >"$record/sysctl" 2>/dev/null || true
  # Pods of a benchmark may watch files; the default of 128 instances is too low for one user.
  sysctl --quiet --write fs.inotify.max_user_instances=8192
  for name in "${modules[@]}"; do
    [[ -e /sys/module/$name ]] || echo "$name" >>"$record/modules"
    modprobe "$name" 2>/dev/null || true
  done
  for name in "${private_directories[@]}"; do
    [[ -d $name ]] || echo "$name" >>"$record/directories"
    mkdir -p "$name"
  done
}

# restore_machine reverts the changes of change_machine and local/enter. The nodes must have ended.
restore_machine() {
  local record=$state/machine
  if [[ -s $record/boot && $(<"$record/boot") == "$(boot_id)" ]]; then
    sysctl --quiet --load "$record/sysctl" || true
    disable_controllers /sys/fs/cgroup
    unload_modules
    remove_directories
  fi
  rm -rf "$record"
}

# disable_controllers ROOT disables the controllers that local/enter enabled for the children of the root control group.
disable_controllers() {
  local controller
  [[ -s $state/machine/controllers ]] || return 0
  while read -r controller; do
    { echo "-$controller" >"$1/cgroup.subtree_control"; } 2>/dev/null ||
      say "the controller $controller stays enabled: another control group uses it"
  done <"$state/machine/controllers"
}

# unload_modules retries each module for 2 s, because the kernel removes a node's network namespace in the background.
unload_modules() {
  local module
  [[ -s $state/machine/modules ]] || return 0
  while read -r module; do
    # A module that is built into the kernel has no initstate.
    for _ in {1..10}; do
      if [[ ! -e /sys/module/$module/initstate ]] || modprobe --remove --quiet "$module" 2>/dev/null; then continue 2; fi
      sleep 0.2
    done
    say "the kernel module $module stays loaded: it is in use"
  done < <(tac "$state/machine/modules")
}

remove_directories() {
  local directory
  [[ -s $state/machine/directories ]] || return 0
  while read -r directory; do
    rmdir "$directory" 2>/dev/null || say "$directory stays: it is not empty"
  done <"$state/machine/directories"
}
