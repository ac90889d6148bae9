# Sourced by run: starts the same network with Corda's own tools. Expects namespace and CORDA_VERSION.
# shellcheck shell=bash disable=SC2154,SC2034

fetch_bootstrapper() {
  local directory=${BENCHNET_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/benchnet}/bench
  bootstrapper=$directory/corda-tools-network-bootstrapper-$CORDA_VERSION.jar
  if [[ -f $bootstrapper ]]; then return; fi
  mkdir -p "$directory"
  "$root/hack/tools/maven" --batch-mode --no-transfer-progress --quiet org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    "-Dartifact=net.corda:corda-tools-network-bootstrapper:$CORDA_VERSION" "-DoutputDirectory=$directory"
}

# bring_up_bootstrapper CASE: sets theirs to the seconds from the start of the bootstrapper until the last node is
# ready. It runs in the node's image, which has Java 8 and the CorDapps. Copying the bootstrapper there is not
# measured.
bring_up_bootstrapper() {
  local name value unit
  say "startup: the same network with the bootstrapper"
  start_pod bootstrapper "$(image_reference corda "$CORDA_VERSION")"
  kubectl cp --namespace "$namespace" "$bootstrapper" bootstrapper:/work/bootstrapper.jar
  while IFS=$'\t' read -r name value unit; do
    record_row startup "$1" "$name" "$value" "$unit"
    if [[ $name == "bootstrap to ready" ]]; then theirs=$value; fi
  done < <(in_pod bootstrapper bootstrap)
  stop_pod bootstrapper
}
