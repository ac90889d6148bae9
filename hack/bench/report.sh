# Sourced by run: records measurements and prints them. Expects out and here.
# shellcheck shell=bash disable=SC2154

say() { printf '%5d s  %s\n' "$SECONDS" "$*" >&2; }

die() { say "$*"; exit 1; }

# record_row PART CASE MEASURE VALUE UNIT: records one measurement.
record_row() {
  local IFS=$'\t'
  printf '%s\n' "$*" >> "$out/results.tsv"
  say "$1, $2: $3 $4 $5"
}

now() { date +%s.%N; }

# elapsed_seconds FROM TO: prints TO - FROM; both are seconds since the epoch.
elapsed_seconds() { awk -v from="$1" -v to="$2" 'BEGIN { printf "%.1f", to - from }'; }

to_epoch() { date -d "$1" +%s.%N; }

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# corda_version_of MANIFEST: prints the Corda version of the manifest's network.
corda_version_of() { sed -n 's/.*corda: {version: "\([^"]*\)".*/\1/p' "$here/$1"; }

# print_conditions prints the conditions of the measurement: machine, versions, date and load.
print_conditions() {
  kubectl get nodes --output jsonpath='{range .items[*]}node {.metadata.name}: {.status.capacity.cpu} cores, {.status.capacity.memory}, kernel {.status.nodeInfo.kernelVersion}, {.status.nodeInfo.containerRuntimeVersion}, kubelet {.status.nodeInfo.kubeletVersion}{"\n"}{end}'
  echo "benchnet $(cat "$root/VERSION"), commit $(git -C "$root" rev-parse --short HEAD 2> /dev/null || echo unknown); Corda $CORDA_VERSION on both sides, in reset $(corda_version_of reset-network.yaml)"
  echo "begun $(date -u +%FT%TZ), load average of this machine $(cut -d' ' -f1-3 /proc/loadavg)"
}

# write_report prints the table and writes it as Markdown and JSON.
write_report() {
  {
    echo "# benchnet, measured"
    echo
    sed 's/^/- /' "$out/conditions.txt"
    echo "- ended $(date -u +%FT%TZ), load average $(cut -d' ' -f1-3 /proc/loadavg)"
    echo
    awk -F '\t' 'BEGIN { print "| part | case | measure | value | unit |\n|---|---|---|---:|---|" } { printf "| %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5 }' "$out/results.tsv"
  } > "$out/results.md"
  awk -F '\t' 'BEGIN { printf "[" } { printf "%s\n  {\"part\": \"%s\", \"case\": \"%s\", \"measure\": \"%s\", \"value\": %s, \"unit\": \"%s\"}", (NR > 1 ? "," : ""), $1, $2, $3, $4, $5 } END { print "\n]" }' \
    "$out/results.tsv" > "$out/results.json"
  cat "$out/results.md"
  echo
  echo "written to $out"
}
