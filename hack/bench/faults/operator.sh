# Sourced by run: the installed operator, or an operator process that the script can kill at any time. Expects out and
# root.
# shellcheck shell=bash disable=SC2154

own=

# scale_installed_operator REPLICAS
scale_installed_operator() {
  kubectl scale --namespace "$operator_namespace" deployment/benchnet-operator --replicas="$1" > /dev/null
  if (($1 > 0)); then
    wait_for_rollout
  else
    kubectl wait --namespace "$operator_namespace" --for=delete pod --selector app.kubernetes.io/name=benchnet --timeout=2m > /dev/null 2>&1 || true
  fi
}

# set_operator_affinity JSON: replaces the affinity of the installed operator.
set_operator_affinity() {
  kubectl patch deployment --namespace "$operator_namespace" benchnet-operator --type json \
    --patch "[{\"op\": \"add\", \"path\": \"/spec/template/spec/affinity\", \"value\": $1}]" > /dev/null
  wait_for_rollout
}

wait_for_rollout() {
  kubectl rollout status --namespace "$operator_namespace" deployment/benchnet-operator --timeout=5m > /dev/null
}

build_operator() {
  (cd "$root" && CGO_ENABLED=0 go build -o "$out/manager" .)
  # Pods must use the images that the cluster has.
  images=$(kubectl get deployment --namespace "$operator_namespace" benchnet-operator --output jsonpath='{.spec.template.spec.containers[0].args}' |
    jq --raw-output '.[] | select(startswith("--image"))')
}

# start_own_operator: starts an operator outside the cluster, without leader election, so that a restart waits for no
# lease.
start_own_operator() {
  local flags
  mapfile -t flags <<< "$images"
  "$out/manager" --watch-namespace "$namespace" --metrics-bind-address 0 --health-probe-bind-address 0 "${flags[@]}" >> "$out/manager.log" 2>&1 &
  own=$!
}

stop_own_operator() {
  [[ -n $own ]] || return 0
  kill -KILL "$own" 2> /dev/null || true
  wait "$own" 2> /dev/null || true
  own=
}

# leader_pod: prints the name of the pod that holds the lease.
leader_pod() { kubectl get lease --namespace "$operator_namespace" benchnet.dev --output jsonpath='{.spec.holderIdentity}' | cut -d_ -f1; }
