# Sourced by run: the smaller measurements.
# shellcheck shell=bash disable=SC2154

measure_material() {
  local members
  start_pod genesis "$(image_reference genesis-corda)"
  for members in ${BENCHNET_BENCH_MEMBERS:-3 50 100}; do
    in_pod genesis material "$members" | record_pod_rows material "$members members"
  done
  stop_pod genesis
}

measure_schema() {
  start_pod schema "$(image_reference corda "$CORDA_VERSION")"
  in_pod schema schema | record_pod_rows schema "H2, finance CorDapp"
  stop_pod schema
}

# measure_operator reads the operator's memory from the kubelet, which takes it from the control group.
measure_operator() {
  local node pod
  read -r node pod < <(kubectl get pods --namespace "$operator_namespace" --selector app.kubernetes.io/name=benchnet \
    --output jsonpath='{.items[0].spec.nodeName} {.items[0].metadata.name}{"\n"}')
  kubectl get --raw "/api/v1/nodes/$node/proxy/stats/summary" > "$out/summary.json"
  record_row operator "pod $pod" "working set" "$(operator_memory "$pod" workingSetBytes)" MiB
  record_row operator "pod $pod" "resident set" "$(operator_memory "$pod" rssBytes)" MiB
}

# operator_memory POD FIELD: prints the field of the pod's first container, in MiB. In the JSON a pod's name precedes
# its containers.
operator_memory() {
  tr -d ' \n' < "$out/summary.json" | sed "s/.*\"podRef\":{\"name\":\"$1\"//" | grep -o "\"$2\":[0-9]*" | head -n 1 |
    awk -F: '{ printf "%.1f", $2 / 1048576 }'
}
