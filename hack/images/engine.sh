# Sourced by build, load and bases: a common interface to docker, podman and buildah.
# shellcheck shell=bash

# choose_engine: sets ENGINE. Offline it is buildah, because only buildah's store has the stand-ins for base images.
choose_engine() {
  if [[ -n ${BENCHNET_ENGINE:-} ]]; then ENGINE=$BENCHNET_ENGINE; return; fi
  if ! offline && docker info >/dev/null 2>&1; then ENGINE=docker
  elif ! offline && command -v podman >/dev/null; then ENGINE=podman
  else
    "$ROOT/hack/tools/require" buildah
    ENGINE=buildah
  fi
}

# buildah_ ARGS...: runs buildah on this project's own storage; TMPDIR holds its build caches.
buildah_() { TMPDIR="$CACHE/tmp" buildah --root "$CACHE/storage" --runroot "$CACHE/run" --storage-driver overlay "$@"; }

# engine_label IMAGE LABEL: prints the label's value, or nothing if the image does not exist.
engine_label() {
  local format="{{index .Config.Labels \"$2\"}}"
  case $ENGINE in
    buildah) buildah_ inspect --type image --format "{{index .OCIv1.Config.Labels \"$2\"}}" "$1" 2>/dev/null || true ;;
    *) "$ENGINE" image inspect --format "$format" "$1" 2>/dev/null || true ;;
  esac
}

# engine_id IMAGE: prints the ID of the image, which identifies this build.
engine_id() {
  case $ENGINE in
    buildah) buildah_ inspect --type image --format '{{.FromImageID}}' "$1" ;;
    *) "$ENGINE" image inspect --format '{{.Id}}' "$1" | sed 's/^sha256://' ;;
  esac
}

# engine_user IMAGE: prints the user of the image's configuration.
engine_user() {
  case $ENGINE in
    buildah) buildah_ inspect --type image --format '{{.OCIv1.Config.User}}' "$1" ;;
    *) "$ENGINE" image inspect --format '{{.Config.User}}' "$1" ;;
  esac
}

# engine_build TAG KEY DOCKERFILE CONTEXT [--build-arg ...]
engine_build() {
  local tag=$1 key=$2 dockerfile=$3 context=$4; shift 4
  local common=(--file "$dockerfile" --tag "$tag" --label "$INPUTS_LABEL=$key" "$@")
  case $ENGINE in
    buildah) buildah_ bud --isolation chroot --pull-never --layers --force-rm "${cache_volumes[@]}" "${common[@]}" "$context" ;;
    *) "$ENGINE" build "${common[@]}" "$context" ;;
  esac
}

# cache_volumes: mounts of the host's Go modules and build cache, Maven repository and Cargo directories. They save
# the first build its downloads, and share compiled packages between images, tools and tests.
readonly GO_CACHES=/go/host
cache_volumes=()
use_host_caches() {
  [[ $ENGINE == buildah ]] || return 0
  local modules compiled
  mkdir -p "$HOME/.m2"
  cache_volumes=(-v "$HOME/.m2:/root/.m2:rw")
  mkdir -p "$CARGO_HOME_" "$CARGO_TARGET"
  cache_volumes+=(-v "$CARGO_HOME_:$CARGO_HOME_:rw" -v "$CARGO_TARGET:$CARGO_TARGET:rw")
  command -v go >/dev/null || return 0
  modules=$(go env GOMODCACHE) compiled=$(go env GOCACHE)
  mkdir -p "$modules" "$compiled"
  cache_volumes+=(-v "$modules:$GO_CACHES/modules:rw" -v "$compiled:$GO_CACHES/build:rw")
}

# cross_build_arguments: prints the arguments of a build for ARCHITECTURE, one a line, if it is a cross-build. buildah does
# not set BUILDPLATFORM, and keeps the platform of one stage in the next, so Dockerfiles name it in both.
cross_build_arguments() {
  ! is_cross_build || printf '%s\n' "--platform=linux/$ARCHITECTURE" "--build-arg=BUILDPLATFORM=linux/$MACHINE_ARCHITECTURE"
}

# engine_save TAG FILE: writes a Docker archive.
engine_save() {
  case $ENGINE in
    buildah) buildah_ push -q "$1" "docker-archive:$2:$1" ;;
    *) "$ENGINE" save --output "$2" "$1" ;;
  esac
}

# engine_push TAG TARGET: pushes the image to a registry under the name TARGET; prints the digest. Credentials are those
# of `docker login` or `buildah login`.
engine_push() {
  local file
  case $ENGINE in
    buildah)
      file=$(mktemp)
      buildah_ push -q --digestfile "$file" "$1" "docker://$2"
      cat "$file"
      rm -f "$file"
      ;;
    *)
      "$ENGINE" tag "$1" "$2"
      "$ENGINE" push --quiet "$2" >&2
      "$ENGINE" image inspect --format '{{range .RepoDigests}}{{println .}}{{end}}' "$2" | sed -n "s|^${2%:*}@||p"
      ;;
  esac
}

# engine_architecture TAG: prints the architecture of the image, such as amd64.
engine_architecture() {
  case $ENGINE in
    buildah) buildah_ inspect --type image --format '{{.OCIv1.Architecture}}' "$1" ;;
    *) "$ENGINE" image inspect --format '{{.Architecture}}' "$1" ;;
  esac
}

# engine_push_index TARGET IMAGE...: pushes an index of images that are in the registry; prints its digest.
engine_push_index() {
  local target=$1 image file
  shift
  case $ENGINE in
    buildah)
      buildah_ rmi "$target-index" >/dev/null 2>&1 || true
      buildah_ manifest create "$target-index" >/dev/null
      for image in "$@"; do buildah_ manifest add "$target-index" "docker://$image" >/dev/null; done
      file=$(mktemp)
      buildah_ manifest push -q --all --rm --digestfile "$file" "$target-index" "docker://$target"
      cat "$file"
      rm -f "$file"
      ;;
    docker)
      docker buildx imagetools create --tag "$target" "$@" >&2
      docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$target"
      ;;
    *)
      "$ENGINE" manifest create --amend "$target" "$@" >/dev/null
      file=$(mktemp)
      "$ENGINE" manifest push --all --digestfile "$file" "$target" "docker://$target" >&2
      cat "$file"
      rm -f "$file"
      ;;
  esac
}

# engine_size TAG: prints the human-readable size of the unpacked layers.
engine_size() {
  case $ENGINE in
    buildah) buildah_ images --format '{{.Size}}' "$1" ;;
    *) "$ENGINE" image inspect --format '{{.Size}}' "$1" | awk '{ printf "%d MB\n", $1 / 1e6 }' ;;
  esac
}
