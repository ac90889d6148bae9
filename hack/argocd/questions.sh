# Sourced by try: what is asked of Argo CD and of the cluster. Every function prints its answer on one line, and nothing for none.
# shellcheck shell=bash disable=SC2154

# application NAME FIELD: a field of an Application, by jq.
application() { kubectl get application.argoproj.io "$1" --namespace "$namespace" --output json | jq --raw-output "$2 // \"\""; }

# state NAME: sync, health and phase of the last operation.
state() { application "$1" '"\(.status.sync.status) \(.status.health.status) \(.status.operationState.phase)"'; }

# resource KIND NAME FIELD: what Argo CD says of a resource of the benchmarks.
resource() { application benchmarks ".status.resources[] | select(.kind == \"$1\" and .name == \"$2\") | .$3"; }

# health KIND NAME: the health that Argo CD gives a resource of the benchmarks.
health() { resource "$1" "$2" health.status; }

# says WORDS NAME FIELD: yes if the field of the Application has the words.
says() { if [[ $(application "$2" "$3 | tostring") == *"$1"* ]]; then echo yes; fi; }

# syncs: how many syncs of the benchmarks Argo CD has begun.
syncs() { kubectl get events --namespace "$namespace" --field-selector reason=OperationStarted,involvedObject.name=benchmarks --output name | wc -l; }

# flips, of what the watch of the Application recorded: how often what was in sync with a commit was out of sync with the same commit later.
flips() { awk '$2 == "Synced" { synced[$1] = 1 } $2 == "OutOfSync" && synced[$1] { flips++; synced[$1] = 0 } END { print flips + 0 }' "$work/record.log"; }

# made KIND: the names of a kind in the benchmarks' namespace that no experiment made, in the order of creation.
made() { kubectl get "$1" --namespace "$lab" --selector '!benchnet.dev/experiment' --sort-by=.metadata.creationTimestamp --output name | xargs -r -n 1 basename | xargs; }

# generations: the distinct generations of all networks, runs and experiments: 1 if nobody wrote a spec after it was made.
generations() { kubectl get bnet,brun,bexp --namespace "$lab" --output json | jq --raw-output '[.items[].metadata.generation] | unique | join(" ")'; }

# uid KIND NAME: what tells a resource from a later one of the same name.
uid() { kubectl get "$1" "$2" --namespace "$lab" --output 'jsonpath={.metadata.uid}'; }

# another_than UID KIND NAME: yes if there is such a resource, and it is not that one.
another_than() {
  local now
  now=$(uid "$2" "$3")
  if [[ -n $now && $now != "$1" ]]; then echo yes; fi
}

# left: what there is of all kinds that the operator makes, but the runs, and their results and logs.
left() {
  kubectl get bnet,bexp,pods,statefulsets,jobs,services,secrets,configmaps,serviceaccounts,persistentvolumeclaims,roles,rolebindings,networkpolicies \
    --namespace "$lab" --selector '!benchnet.dev/run' --output name 2> /dev/null | grep --invert-match --extended-regexp '^(configmap/kube-root-ca.crt|serviceaccount/default)$' | xargs
}
