# Sourced by run: the operator, as it is installed or as a process of ours that can be killed at any instant. Expects out, root.
# shellcheck shell=bash disable=SC2154

own=

# installed_operator REPLICAS
installed_operator() {
  kubectl scale --namespace "$operator_namespace" deployment/benchnet-operator --replicas="$1" > /dev/null
  if (($1 > 0)); then
    kubectl rollout status --namespace "$operator_namespace" deployment/benchnet-operator --timeout=5m > /dev/null
  else
    kubectl wait --namespace "$operator_namespace" --for=delete pod --selector app.kubernetes.io/name=benchnet --timeout=2m > /dev/null 2>&1 || true
  fi
}

build_operator() {
  (cd "$root" && CGO_ENABLED=0 go build -o "$out/manager" .)
  # What is in the pods must be of the images that are there.
  images=$(kubectl get deployment --namespace "$operator_namespace" benchnet-operator --output jsonpath='{.spec.template.spec.containers[0].args}' |
    jq --raw-output '.[] | select(startswith("--image"))')
}

# start_own_operator: a process outside of the cluster, which no lease holds up when it comes back.
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

# leader: the pod that holds the lease.
leader() { kubectl get lease --namespace "$operator_namespace" benchnet.dev --output jsonpath='{.spec.holderIdentity}' | cut -d_ -f1; }
