# Sourced by run: counts deviations from the expected state in the API server. Expects namespace, out and part.
# shellcheck shell=bash disable=SC2154

readonly kinds=benchmarknetworks,benchmarkruns,benchmarkexperiments,secrets,configmaps,services,serviceaccounts,persistentvolumeclaims,roles,rolebindings,statefulsets,jobs,networkpolicies,poddisruptionbudgets,pods

# list_objects: prints all objects of the namespace as one JSON list.
list_objects() { k get "$kinds" --output json; }

# count_by_name counts the objects of an inventory on stdin by kind and by name without the network's name. It omits
# pods.
count_by_name() {
  jq '[.items[] | select(.kind != "Pod" and .kind != "BenchmarkNetwork") | .metadata as $m
    | ($m.labels["benchnet.dev/network"] // ($m.labels["benchnet.dev/run"] // "" | sub("-[a-z]+$"; ""))) as $network
    | select($network != "") | "\(.kind) \($m.name | sub("^" + $network; ""))"]
    | group_by(.) | map({key: .[0], value: length}) | from_entries'
}

# record_counts NAME: adds a row: networks as specified, orphans, excess objects, missing objects, results of ended
# runs. An orphan has an owner that no longer exists. Excess and missing are relative to a network without a fault.
record_counts() {
  list_objects > "$out/$part.json"
  count_by_name < "$out/$part.json" > "$out/$part.shape.json"
  jq --raw-output --arg name "$1" --argjson made "$made" --slurpfile one "$out/$shape.reference.json" --slurpfile got "$out/$part.shape.json" '
    ([.items[].metadata.uid] | map({key: ., value: true}) | from_entries) as $there
    | [.items[] | select(.kind == "BenchmarkNetwork" and .status.phase == "Finished"
        and any(.status.conditions[]; .type == "Ready" and .status == "True"))] as $right
    | [.items[] | select(any(.metadata.ownerReferences[]?; $there[.uid] | not))] as $orphans
    | [$got[0] | to_entries[] | .value - $made * ($one[0][.key] // 0) | select(. > 0)] as $more
    | [$one[0] | to_entries[] | $made * .value - ($got[0][.key] // 0) | select(. > 0)] as $less
    | [.items[] | select(.kind == "BenchmarkRun" and .status.completionTime != null)] as $ended
    | [.items[] | select(.kind == "ConfigMap" and (.metadata.name | endswith("-result")))] as $results
    | [$name, "\($right | length) of \($made)", ($orphans | length), ($more | add // 0), ($less | add // 0),
       "\($results | length) of \($ended | length)"]
    | @tsv' "$out/$part.json" >> "$out/rows.tsv"
  tail -1 "$out/rows.tsv" >&2
}

# record_reference: records how many objects of each kind a network of this shape has without a fault.
record_reference() {
  [[ ! -s $out/$shape.reference.json ]] || return 0
  made=0
  create_networks reference 1
  wait_until 300 "the reference is finished" are_all_finished
  list_objects | count_by_name > "$out/$shape.reference.json"
  k delete benchmarknetworks --all > /dev/null
  wait_until 120 "the reference is gone" is_all_deleted
  made=0
}

# list_remaining: lists the operator's objects in the namespace.
list_remaining() {
  list_objects | jq --raw-output '.items[] | select(.metadata.labels["app.kubernetes.io/managed-by"] == "benchnet" or (.apiVersion | startswith("benchnet.dev")))
    | "\(.kind) \(.metadata.name)"'
}

is_all_deleted() { [[ -z $(list_remaining) ]]; }

# close_namespace PART: deletes the networks and counts the objects that remain.
close_namespace() {
  k delete benchmarknetworks --all --wait=false > /dev/null
  wait_until 180 "everything is gone after $1" is_all_deleted || true
  list_remaining > "$out/$1.left"
  printf '%s\t%d\n' "$1" "$(wc -l < "$out/$1.left")" >> "$out/left.tsv"
  kubectl delete namespace "$namespace" > /dev/null
}

# print_table prints all rows, each with the number of objects left after deletion.
print_table() {
  {
    echo "# Faults"
    echo
    echo "- benchnet $(git -C "$root" rev-parse --short HEAD), $(date -u +%FT%TZ), $(nproc) cores, load average $(cut -d' ' -f1-3 /proc/loadavg)"
    echo
    echo "| fault | networks as specified | orphans | objects too many | objects missing | results of ended runs | left after deletion |"
    echo "|---|---|---:|---:|---:|---|---:|"
    while IFS=$'\t' read -r part right orphans more less results; do
      echo "| $part | $right | $orphans | $more | $less | $results | $(awk -F '\t' -v part="${part%% *}" '$1 == part { print $2 }' "$out/left.tsv") |"
    done < "$out/rows.tsv"
  } | tee "$out/results.md"
  echo "written to $out"
}
