# Sourced by build and load: the list of images and their inputs.
# shellcheck shell=bash

# image_names: prints the names of all images that this machine can build for ARCHITECTURE.
image_names() {
  local cross=''
  ! is_cross_build || cross=cross
  awk -v cross="$cross" '!/^#/ && NF && (cross == "" || $4 == cross) { print $1 }' "$ROOT/hack/images/catalogue"
}

# published_architectures NAME: prints the architectures of an image in a release, one a line: BENCHNET_ARCHITECTURES
# ("amd64 arm64"), or of an image that is not cross-built BENCHNET_NATIVE_ARCHITECTURES (the same).
published_architectures() {
  local all=${BENCHNET_ARCHITECTURES:-amd64 arm64}
  awk -v name="$1" -v all="$all" -v native="${BENCHNET_NATIVE_ARCHITECTURES:-$all}" \
    '$1 == name { count = split($4 == "cross" ? all : native, each); for (i = 1; i <= count; i++) print each[i] }' "$ROOT/hack/images/catalogue"
}

# resolve_image NAME: sets dockerfile and image (the full reference). It fails if this machine cannot build the image for
# ARCHITECTURE.
# shellcheck disable=SC2034
resolve_image() {
  local tag cross
  read -r dockerfile tag cross < <(awk -v name="$1" '$1 == name { print $2, $3, $4 }' "$ROOT/hack/images/catalogue") || true
  [[ -n $dockerfile ]] || die "image $1: not in hack/images/catalogue ($(image_names | xargs))"
  tag=${tag//CORDA_VERSION/$CORDA_VERSION}
  image="$REGISTRY/$1:${tag//VERSION/$VERSION}"
  is_cross_build || return 0
  [[ $cross == cross ]] || die "image $1: its build runs programs of the target, so it needs a machine with BENCHNET_ARCHITECTURE ($ARCHITECTURE)"
  image+=-$ARCHITECTURE
}

# copied_paths DOCKERFILE: prints the paths that its COPY instructions take from the build context.
copied_paths() {
  awk '$1 == "COPY" && !/--from=/ { for (i = 2; i < NF; i++) if ($i !~ /^--/) print $i }' "$ROOT/$1" | sort -u
}

# build_arguments DOCKERFILE: prints NAME=VALUE for each build argument of the Dockerfile that has a value here.
build_arguments() {
  local name
  while read -r name; do
    case $name in
      VERSION) echo "VERSION=$VERSION" ;;
      CORDA_VERSION) echo "CORDA_VERSION=$CORDA_VERSION" ;;
      GOMODCACHE) [[ $ENGINE != buildah ]] || echo "GOMODCACHE=$GO_CACHES/modules" ;;
      GOCACHE) [[ $ENGINE != buildah ]] || echo "GOCACHE=$GO_CACHES/build" ;;
      *) [[ -z ${bases[$name]:-} ]] || echo "$name=${bases[$name]}" ;;
    esac
  done < <(sed -n 's/^ARG \([A-Z0-9_]*\).*/\1/p' "$ROOT/$1" | sort -u)
}

# base_arguments NAME...: prints the build arguments for the base images of these images.
# shellcheck disable=SC2034 # image is set by look_up
base_arguments() {
  local name dockerfile='' image=''
  for name in "$@"; do
    resolve_image "$name"
    sed -n 's/^ARG \([A-Z0-9_]*_IMAGE\)=.*/\1/p' "$ROOT/$dockerfile"
  done | sort -u
}

# load_bases NAME...: fills the map bases with the output of hack/images/bases for these images.
declare -A bases=()
load_bases() {
  local line lines arguments
  lines=$(base_arguments "$@")
  mapfile -t arguments <<<"$lines"
  lines=$("$ROOT/hack/images/bases" "${arguments[@]}")
  while IFS= read -r line; do
    [[ -z $line ]] || bases[${line%%=*}]=${line#*=}
  done <<<"$lines"
}

# inputs_key DOCKERFILE: prints a hash of all inputs of an image: Dockerfile, arguments, files.
inputs_key() {
  local paths
  mapfile -t paths < <(copied_paths "$1")
  {
    build_arguments "$1"
    git -C "$ROOT" ls-files -z --cached --others --exclude-standard -- "$1" .dockerignore "${paths[@]}" |
      sort -zu | (cd "$ROOT" && xargs -0 -r sha256sum 2>/dev/null)
  } | sha256sum | cut -c1-16
}
