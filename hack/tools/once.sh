# shellcheck shell=bash
# Sourced by what prints the path of a program that it builds into the cache.

# build_once NAME FILE COMMAND...: prints the path of FILE. Where it is not there yet, the command makes it, and says on stderr how
# long that took; of several that ask at the same time one builds and the others wait.
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
