# Sourced by try: the git repository of the benchmarks, and the Applications that take it.
# shellcheck shell=bash disable=SC2154

benchmarks=$work/repository/benchmarks

git_() { git -C "$work/repository" -c user.name=try -c user.email=try@localhost -c commit.gpgsign=false "$@"; }

# refresh: asks Argo CD to look at git now instead of in three minutes.
refresh() { kubectl annotate application.argoproj.io benchmarks --namespace "$namespace" --overwrite argocd.argoproj.io/refresh=hard > /dev/null; }

# commit MESSAGE: what lies in the repository.
commit() {
  git_ add --all
  git_ commit --quiet --message "$1"
  refresh
}

# revert: takes the last commit back.
revert() {
  git_ revert --no-edit HEAD > /dev/null
  refresh
}

# repository: the example and the operator's chart, in one repository.
repository() {
  git init --quiet --initial-branch main "$work/repository"
  mkdir -p "$work/repository/charts"
  cp -r "$root/config/argocd/example" "$benchmarks"
  cp -r "$root/charts/benchnet" "$work/repository/charts/benchnet"
  git_ add --all
  git_ commit --quiet --message "the example and the chart"
}

# create NAME PATH NAMESPACE EDIT: the project's own Application, pointed at the repository, with one more edit by jq. It tries a
# sync twice instead of six times, so that one that has to fail does so soon.
create() {
  kubectl create --dry-run=client --output json --filename "$root/config/argocd/applications/$1.yaml" |
    jq --arg namespace "$namespace" --arg url "file://$work/repository" --arg path "$2" --arg to "$3" \
      '.metadata.namespace = $namespace | .spec.source.repoURL = $url | .spec.source.targetRevision = "main" | .spec.source.path = $path
       | .spec.destination.namespace = $to | .spec.syncPolicy.retry.limit = 1 | '"$4" |
    kubectl apply --server-side --filename - > /dev/null
}

# too_small: adds a network that the API server takes and the operator refuses.
too_small() {
  sed -e 's/name: two-validators/name: too-small/' -e 's/memory: 300Mi/memory: 16Mi/' "$benchmarks/networks/two_validators.yaml" \
    > "$benchmarks/networks/too_small.yaml"
  echo "- too_small.yaml" >> "$benchmarks/networks/kustomization.yaml"
}

# suffix TEXT: the suffix of the runs' names, raised to measure all of them again.
suffix() { sed -i "s/^nameSuffix: .*/nameSuffix: \"$1\"/" "$benchmarks/runs/kustomization.yaml"; }

# without FOLDER: the repository has no networks, runs or experiments any more.
without() { sed -i "/^- $1\$/d" "$benchmarks/kustomization.yaml"; }
