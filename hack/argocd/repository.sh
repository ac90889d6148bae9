# Sourced by try: the git repository of the benchmarks and its Applications.
# shellcheck shell=bash disable=SC2154

benchmarks=$work/repository/benchmarks

repository_git() { git -C "$work/repository" -c user.name=try -c user.email=try@localhost -c commit.gpgsign=false "$@"; }

# refresh_application: makes Argo CD read git now instead of within three minutes.
refresh_application() { kubectl annotate application.argoproj.io benchmarks --namespace "$namespace" --overwrite argocd.argoproj.io/refresh=hard > /dev/null; }

# commit_changes MESSAGE: commits the content of the repository.
commit_changes() {
  repository_git add --all
  repository_git commit --quiet --message "$1"
  refresh_application
}

# revert_last_commit: reverts the last commit.
revert_last_commit() {
  repository_git revert --no-edit HEAD > /dev/null
  refresh_application
}

# create_repository: creates a repository with the example and the operator's chart.
create_repository() {
  git init --quiet --initial-branch main "$work/repository"
  mkdir -p "$work/repository/charts"
  cp -r "$root/config/argocd/example" "$benchmarks"
  cp -r "$root/charts/benchnet" "$work/repository/charts/benchnet"
  repository_git add --all
  repository_git commit --quiet --message "the example and the chart"
}

# create_application NAME PATH NAMESPACE EDIT: creates one of the project's Applications, changed to use the
# repository, with an additional jq edit. The Application retries a sync once, so that a sync that must fail does so
# soon.
create_application() {
  kubectl create --dry-run=client --output json --filename "$root/config/argocd/applications/$1.yaml" |
    jq --arg namespace "$namespace" --arg url "file://$work/repository" --arg path "$2" --arg to "$3" \
      '.metadata.namespace = $namespace | .spec.source.repoURL = $url | .spec.source.targetRevision = "main" | .spec.source.path = $path
       | .spec.destination.namespace = $to | .spec.syncPolicy.retry.limit = 1 | '"$4" |
    kubectl apply --server-side --filename - > /dev/null
}

# add_invalid_network: adds a network that the API server accepts and the operator rejects.
add_invalid_network() {
  sed -e 's/name: two-validators/name: too-small/' -e 's/memory: 300Mi/memory: 16Mi/' "$benchmarks/networks/two_validators.yaml" \
    > "$benchmarks/networks/too_small.yaml"
  echo "- too_small.yaml" >> "$benchmarks/networks/kustomization.yaml"
}

# set_run_suffix TEXT: sets the name suffix of the runs. A new suffix runs all of them again.
set_run_suffix() { sed -i "s/^nameSuffix: .*/nameSuffix: \"$1\"/" "$benchmarks/runs/kustomization.yaml"; }

# remove_folder FOLDER: removes the networks, runs or experiments from the repository.
remove_folder() { sed -i "/^- $1\$/d" "$benchmarks/kustomization.yaml"; }
