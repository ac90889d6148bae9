# Sourced by try: queries Argo CD and the cluster. Every function prints its answer on one line, or nothing.
# shellcheck shell=bash disable=SC2154

# application NAME FIELD: prints a field of an Application, selected by jq.
application() { kubectl get application.argoproj.io "$1" --namespace "$namespace" --output json | jq --raw-output "$2 // \"\""; }

# state NAME: prints sync status, health and the phase of the last operation.
state() { application "$1" '"\(.status.sync.status) \(.status.health.status) \(.status.operationState.phase)"'; }

# resource KIND NAME FIELD: prints a field of a benchmarks resource in the Application's status.
resource() { application benchmarks ".status.resources[] | select(.kind == \"$1\" and .name == \"$2\") | .$3"; }

# health KIND NAME: prints the health of a benchmarks resource according to Argo CD.
health() { resource "$1" "$2" health.status; }

# says WORDS NAME FIELD: prints yes if the field of the Application contains the words.
says() { if [[ $(application "$2" "$3 | tostring") == *"$1"* ]]; then echo yes; fi; }

# syncs: prints the number of syncs of the benchmarks that Argo CD started.
syncs() { kubectl get events --namespace "$namespace" --field-selector reason=OperationStarted,involvedObject.name=benchmarks --output name | wc -l; }

# flips: prints how often the recorded Application became OutOfSync after it was Synced with the same commit.
flips() { awk '$2 == "Synced" { synced[$1] = 1 } $2 == "OutOfSync" && synced[$1] { flips++; synced[$1] = 0 } END { print flips + 0 }' "$work/record.log"; }

# made KIND: prints the names of the objects of a kind that no experiment created, in order of creation.
made() { kubectl get "$1" --namespace "$lab" --selector '!benchnet.dev/experiment' --sort-by=.metadata.creationTimestamp --output name | xargs -r -n 1 basename | xargs; }

# generations: prints the distinct generations of all networks, runs and experiments: 1 if no spec changed after
# creation.
generations() { kubectl get bnet,brun,bexp --namespace "$lab" --output json | jq --raw-output '[.items[].metadata.generation] | unique | join(" ")'; }

# uid KIND NAME: prints the UID of an object.
uid() { kubectl get "$1" "$2" --namespace "$lab" --output 'jsonpath={.metadata.uid}'; }

# another_than UID KIND NAME: prints yes if the object exists with another UID.
another_than() {
  local now
  now=$(uid "$2" "$3")
  if [[ -n $now && $now != "$1" ]]; then echo yes; fi
}

# left: prints the remaining objects of all kinds that the operator creates, except runs and their results and logs.
left() {
  kubectl get bnet,bexp,pods,statefulsets,jobs,services,secrets,configmaps,serviceaccounts,persistentvolumeclaims,roles,rolebindings,networkpolicies \
    --namespace "$lab" --selector '!benchnet.dev/run' --output name 2> /dev/null | grep --invert-match --extended-regexp '^(configmap/kube-root-ca.crt|serviceaccount/default)$' | xargs
}
