# Sourced by try: the git repository of the benchmarks and its Applications.
# shellcheck shell=bash disable=SC2154

benchmarks=$work/repository/benchmarks

git_() { git -C "$work/repository" -c user.name=try -c user.email=try@localhost -c commit.gpgsign=false "$@"; }

# refresh: makes Argo CD read git now instead of within three minutes.
refresh() { kubectl annotate application.argoproj.io benchmarks --namespace "$namespace" --overwrite argocd.argoproj.io/refresh=hard > /dev/null; }

# commit MESSAGE: commits the content of the repository.
commit() {
  git_ add --all
  git_ commit --quiet --message "$1"
  refresh
}

# revert: reverts the last commit.
revert() {
  git_ revert --no-edit HEAD > /dev/null
  refresh
}

# repository: creates a repository with the example and the operator's chart.
repository() {
  git init --quiet --initial-branch main "$work/repository"
  mkdir -p "$work/repository/charts"
  cp -r "$root/config/argocd/example" "$benchmarks"
  cp -r "$root/charts/benchnet" "$work/repository/charts/benchnet"
  git_ add --all
  git_ commit --quiet --message "the example and the chart"
}

# create NAME PATH NAMESPACE EDIT: creates one of the project's Applications, changed to use the repository, with an
# additional jq edit. The Application retries a sync once, so that a sync that must fail does so soon.
create() {
  kubectl create --dry-run=client --output json --filename "$root/config/argocd/applications/$1.yaml" |
    jq --arg namespace "$namespace" --arg url "file://$work/repository" --arg path "$2" --arg to "$3" \
      '.metadata.namespace = $namespace | .spec.source.repoURL = $url | .spec.source.targetRevision = "main" | .spec.source.path = $path
       | .spec.destination.namespace = $to | .spec.syncPolicy.retry.limit = 1 | '"$4" |
    kubectl apply --server-side --filename - > /dev/null
}

# too_small: adds a network that the API server accepts and the operator rejects.
too_small() {
  sed -e 's/name: two-validators/name: too-small/' -e 's/memory: 300Mi/memory: 16Mi/' "$benchmarks/networks/two_validators.yaml" \
    > "$benchmarks/networks/too_small.yaml"
  echo "- too_small.yaml" >> "$benchmarks/networks/kustomization.yaml"
}

# suffix TEXT: sets the name suffix of the runs. A new suffix runs all of them again.
suffix() { sed -i "s/^nameSuffix: .*/nameSuffix: \"$1\"/" "$benchmarks/runs/kustomization.yaml"; }

# without FOLDER: removes the networks, runs or experiments from the repository.
without() { sed -i "/^- $1\$/d" "$benchmarks/kustomization.yaml"; }
