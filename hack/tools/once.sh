# shellcheck shell=bash
# Sourced by scripts that build a program into the cache and print its path.

# build_once NAME FILE COMMAND...: prints the path of FILE. If FILE does not exist, it runs the command to create it and
# reports the duration on stderr. Of several concurrent callers one builds and the others wait.
build_once() {
  local name=$1 file=$2 started
  shift 2
  if [[ ! -x $file ]]; then
    mkdir -p "$(dirname "$file")"
    exec 9> "$(dirname "$file")/.lock"
    flock 9
  fi
  if [[ ! -x $file ]]; then
    started=$SECONDS
    echo "building $name" >&2
    "$@" >&2
    echo "built $name in $((SECONDS - started)) s" >&2
  fi
  echo "$file"
}
