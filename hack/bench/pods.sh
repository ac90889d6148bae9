# Sourced by run: pods that run the scripts of hack/bench/pod in the cluster, without limits. Expects namespace.
# shellcheck shell=bash disable=SC2154

image_reference() { (source "$root/hack/images/settings.sh" && echo "$REGISTRY/$1:$VERSION${2:+-$2}"); }

# start_pod NAME IMAGE: starts a pod that waits for scripts.
start_pod() {
  sed -e "s|NAME|$1|" -e "s|IMAGE|$2|" "$here/pod/pod.yaml" | kubectl apply --namespace "$namespace" --filename - > /dev/null
  kubectl wait --namespace "$namespace" --for=condition=Ready --timeout=5m "pod/$1" > /dev/null
}

stop_pod() { kubectl delete pod --namespace "$namespace" "$1" --grace-period=1 > /dev/null; }

# in_pod NAME SCRIPT [ARGUMENT...]: runs a script in the pod and prints its output. Its stderr goes to $out/NAME.log.
in_pod() {
  local pod=$1 script=$2
  shift 2
  kubectl exec --stdin --namespace "$namespace" "$pod" -- bash -s -- "$@" < "$here/pod/$script" 2>> "$out/$pod.log"
}

# record_pod_rows PART CASE: records the lines "MEASURE<tab>VALUE<tab>UNIT" on stdin.
record_pod_rows() {
  local measure value unit
  while IFS=$'\t' read -r measure value unit; do record_row "$1" "$2" "$measure" "$value" "$unit"; done
}
