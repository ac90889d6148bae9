# Sourced by test and try: a registry of this machine with TLS and a password.
# shellcheck shell=bash
# shellcheck disable=SC2034 # some are used only by those who source it

hack/tools/require htpasswd apache2-utils
hack/tools/require openssl
hack/tools/require jq
version=$(<VERSION)
helm=$(hack/tools/get helm)
work=$(mktemp -d)
pid=''
trap '[[ -z $pid ]] || kill "$pid"; rm -rf "$work"' EXIT

# start_registry ADDRESS: starts the registry at ADDRESS, an IP address and a port, and makes the clients of this script
# trust and use it. BENCHNET_REGISTRY is the prefix of the names in it.
start_registry() {
  local registry
  address=$1
  registry=$(hack/tools/get registry)
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=registry \
    -addext "subjectAltName=IP:${address%:*}" -keyout "$work/tls.key" -out "$work/tls.crt" 2> /dev/null
  htpasswd -Bbn pusher secret > "$work/htpasswd"
  cat > "$work/registry.yaml" << CONFIG
version: 0.1
log: {level: error, accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: $work/storage}}
http: {addr: $address, tls: {certificate: $work/tls.crt, key: $work/tls.key}}
auth: {htpasswd: {realm: benchnet, path: $work/htpasswd}}
CONFIG
  "$registry" serve "$work/registry.yaml" > "$work/registry.log" 2>&1 &
  pid=$!
  until curl --silent --cacert "$work/tls.crt" --output /dev/null "https://$address/v2/"; do
    kill -0 "$pid" || { cat "$work/registry.log" >&2; exit 1; }
    sleep 0.1
  done
  set_password secret
  cat /etc/ssl/certs/ca-certificates.crt "$work/tls.crt" > "$work/roots.crt"
  export DOCKER_CONFIG=$work REGISTRY_AUTH_FILE=$work/config.json HELM_REGISTRY_CONFIG=$work/config.json
  export SSL_CERT_FILE=$work/roots.crt BENCHNET_REGISTRY=$address/benchnet
}

# set_password PASSWORD: makes the clients use this password.
set_password() {
  printf '{"auths": {"%s": {"auth": "%s"}}}' "$address" "$(printf 'pusher:%s' "$1" | base64)" > "$work/config.json"
}

# refused WORDS COMMAND...: the command must fail and print the words.
refused() {
  local output
  if output=$("${@:2}" 2>&1) || [[ $output != *"$1"* ]]; then
    printf 'release: expected an error with "%s" from %s:\n%s\n' "$1" "${*:2}" "$output" >&2
    exit 1
  fi
}
