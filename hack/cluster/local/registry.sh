# Sourced by providers/local.sh: the private registry that the nodes pull all images from, with TLS and a password. It
# runs on the first node. Its images persist in $state/images; each start makes another password.
# shellcheck shell=bash
# shellcheck disable=SC2154 # here and state come from settings.sh, first_node from network.sh

registry_address="$(node_address "$first_node"):5000"
readonly registry_address

# prepare_registry configures the registry and its clients: containerd of every node, and skopeo.
prepare_registry() {
  local directory=$state/registry program password credentials file
  program=$("$here/../tools/get" registry)
  password=$(head --bytes 24 /dev/urandom | base64)
  credentials=$(printf 'benchnet:%s' "$password" | base64)
  mkdir -p "$directory" "$state/images/loaded" "$state/registries/_default"
  ln -sfn "$program" "$directory/registry"
  ln -sfn "$state/pki/ca.crt" "$directory/ca.crt"
  (
    umask 077
    htpasswd -Bin benchnet <<<"$password" >"$directory/htpasswd"
    printf '{"auths": {"%s": {"auth": "%s"}}}\n' "$registry_address" "$credentials" >"$directory/auth.json"
    for file in registry/registry.yaml registries/_default/hosts.toml; do
      sed -e "s|@STATE@|$state|g; s|@NODE_NAME@|$first_node|g; s|@ADDRESS@|$registry_address|g; s|@CREDENTIALS@|$credentials|g" \
        "$here/local/$(basename "$file")" >"$state/$file"
    done
  )
}

# read_image_name ARCHIVE prints the name of the image in a Docker archive, or nothing.
read_image_name() {
  tar --extract --to-stdout --file "$1" manifest.json 2>/dev/null | tr --delete '[:space:]' | sed -nE 's/.*"RepoTags":\["([^"]+)".*/\1/p'
}

# push_image ARCHIVE pushes the image of a Docker archive, and removes an older image of its name from the nodes.
push_image() {
  local name
  name=$(read_image_name "$1") || true
  [[ -n $name ]] || fail "$1 is no Docker archive of an image with a tag"
  name=$(full_name "$name")
  say "pushing $name"
  skopeo copy --quiet --dest-authfile "$state/registry/auth.json" --dest-cert-dir "$state/registry" \
    "docker-archive:$1" "docker://$registry_address/${name#*/}" || fail "$1 cannot be pushed"
  remove_from_nodes "$name"
}

# full_name NAME prints the name of an image with its registry, which is Docker Hub's if the name contains none.
full_name() {
  local first=${1%%/*}
  if [[ $1 != */* ]]; then
    echo "docker.io/library/$1"
  elif [[ $first == localhost || $first == *[.:]* ]]; then
    echo "$1"
  else
    echo "docker.io/$1"
  fi
}

# remove_from_nodes NAME removes an image with all its names from the nodes that run. Containers keep their files.
remove_from_nodes() {
  local node name
  for node in $(list_nodes); do
    node_alive "$node" || continue
    call_containerd "$node" images list |
      awk -v name="$1" '{ digest[$1] = $3 } END { if (name in digest) for (other in digest) if (digest[other] == digest[name]) print other }' |
      while read -r name; do call_containerd "$node" images remove "$name" >/dev/null; done
  done
}

call_containerd() { ctr --address "$(node_directory "$1")/run/containerd/containerd.sock" --namespace k8s.io "${@:2}"; }
