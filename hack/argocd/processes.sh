# Sourced by try: runs Argo CD in core mode as processes on this machine, on loopback, with its settings in $namespace.
# shellcheck shell=bash disable=SC2154

processes=()
made_crds=()

# free_port: prints an unused port.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# start_process NAME COMMAND...: runs the command in the background and logs to $work/NAME.log.
start_process() {
  local name=$1
  shift
  "$@" > "$work/$name.log" 2>&1 &
  processes+=($!)
}

# wait_for_api KIND: waits for up to a minute until the API server serves the kind.
wait_for_api() {
  local until=$((SECONDS + 60))
  while ! kubectl get "$1" --all-namespaces > /dev/null 2>&1; do
    if ((SECONDS >= until)); then
      echo "try: the API server does not serve $1, whose CRD was applied a minute ago" >&2
      return 1
    fi
    sleep 1
  done
}

# install_settings: applies the CRDs (kept if they existed), a key, a project and our customizations.
install_settings() {
  local crd
  for crd in applications applicationsets appprojects; do
    if ! kubectl get crd "$crd.argoproj.io" > /dev/null 2>&1; then
      made_crds+=("$crd.argoproj.io")
    fi
  done
  kubectl apply --server-side --kustomize "$(dirname "$argocd")/crds" > /dev/null
  wait_for_api applications.argoproj.io
  wait_for_api appprojects.argoproj.io
  kubectl create namespace "$namespace" > /dev/null
  "$kustomize" build "$root/config/argocd" | sed "s/namespace: argocd\$/namespace: $namespace/" |
    kubectl apply --server-side --filename - > /dev/null
  # Argo CD finds the ConfigMap by this label, which every installation has.
  kubectl label configmap argocd-cm --namespace "$namespace" app.kubernetes.io/part-of=argocd > /dev/null
  sed -e "s/@NAMESPACE@/$namespace/g" -e "s/@LAB@/$lab/g" -e "s/@OPERATOR@/$operator/g" -e "s|@KEY@|$(head --bytes 32 /dev/urandom | base64)|" \
    "$root/hack/argocd/settings.yaml" | kubectl apply --server-side --filename - > /dev/null
}

# start_argocd: starts Redis, the repo server with its tools, and the application controller. --persist-resource-health
# keeps the health of each resource in the Applications' status, which the table reads.
start_argocd() {
  local redis repositories
  redis=$(free_port)
  repositories=$(free_port)
  mkdir -p "$work/bin" "$work/tls" "$work/ssh" "$work/tmp"
  touch "$work/ssh/ssh_known_hosts"
  ln -s "$kustomize" "$work/bin/kustomize"
  ln -s "$helm" "$work/bin/helm"
  export PATH=$work/bin:$PATH TMPDIR=$work/tmp ARGOCD_GPG_ENABLED=false ARGOCD_FAKE_IN_CLUSTER=true
  export ARGOCD_TLS_DATA_PATH=$work/tls ARGOCD_SSH_DATA_PATH=$work/ssh ARGOCD_ASK_PASS_SOCK=$work/ask-pass.sock
  start_process redis redis-server --bind 127.0.0.1 --port "$redis" --save '' --appendonly no --dir "$work"
  start_process repo-server env ARGOCD_BINARY_NAME=argocd-repo-server "$argocd" --address 127.0.0.1 --port "$repositories" \
    --metrics-address 127.0.0.1 --metrics-port "$(free_port)" --redis "127.0.0.1:$redis" --disable-tls --logformat text
  start_process controller env ARGOCD_BINARY_NAME=argocd-application-controller ARGOCD_CONTROLLER_REPLICAS=1 "$argocd" --namespace "$namespace" \
    --kubeconfig "$KUBECONFIG" --redis "127.0.0.1:$redis" --repo-server "127.0.0.1:$repositories" --repo-server-plaintext \
    --metrics-port "$(free_port)" --persist-resource-health --status-processors 2 --operation-processors 2 --logformat text
}

# clean_up: removes everything that the script created; keeps the logs if a row failed. Argo CD ends after its
# Applications are deleted, so that it can process their finalizers, and before its CRDs are deleted.
clean_up() {
  local code=$? id
  if ((code != 0 || failed)); then
    kubectl get application.argoproj.io --namespace "$namespace" --output yaml > "$work/applications.yaml" 2> /dev/null || true
  fi
  kubectl delete application.argoproj.io --all --namespace "$namespace" --timeout=120s > /dev/null 2>&1 || true
  for id in "${processes[@]}"; do kill "$id" 2> /dev/null || true; done
  wait "${processes[@]}" 2> /dev/null || true
  kubectl get application.argoproj.io --namespace "$namespace" --output name 2> /dev/null |
    xargs -r -I{} kubectl patch {} --namespace "$namespace" --type merge --patch '{"metadata":{"finalizers":null}}' > /dev/null || true
  kubectl delete namespace "$namespace" "$lab" "$operator" --ignore-not-found > /dev/null || true
  for id in "${made_crds[@]}"; do kubectl delete crd "$id" --ignore-not-found > /dev/null || true; done
  if ((code != 0 || failed)); then
    echo "try: the logs are in $work" >&2
    exit 1
  fi
  rm -rf "$work"
}
