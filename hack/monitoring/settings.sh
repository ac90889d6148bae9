# Settings of the scripts in this directory. Sourced, never run.
# shellcheck shell=bash disable=SC2034

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${BENCHNET_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/benchnet}
namespace=benchnet-monitoring

say() { printf '%4ds  %s\n' "$SECONDS" "$*" >&2; }
