# Sourced by try: queries Argo CD and the cluster. Every function prints its answer on one line, or nothing.
# shellcheck shell=bash disable=SC2154

# application_field NAME FIELD: prints a field of an Application, selected by jq.
application_field() { kubectl get application.argoproj.io "$1" --namespace "$namespace" --output json | jq --raw-output "$2 // \"\""; }

# application_state NAME: prints sync status, health and the phase of the last operation.
application_state() { application_field "$1" '"\(.status.sync.status) \(.status.health.status) \(.status.operationState.phase)"'; }

# resource_field KIND NAME FIELD: prints a field of a benchmarks resource in the Application's status.
resource_field() { application_field benchmarks ".status.resources[] | select(.kind == \"$1\" and .name == \"$2\") | .$3"; }

# resource_health KIND NAME: prints the health of a benchmarks resource according to Argo CD.
resource_health() { resource_field "$1" "$2" health.status; }

# field_contains WORDS NAME FIELD: prints yes if the field of the Application contains the words.
field_contains() { if [[ $(application_field "$2" "$3 | tostring") == *"$1"* ]]; then echo yes; fi; }

# count_syncs: prints the number of syncs of the benchmarks that Argo CD started.
count_syncs() { kubectl get events --namespace "$namespace" --field-selector reason=OperationStarted,involvedObject.name=benchmarks --output name | wc -l; }

# count_out_of_sync: prints how often the recorded Application became OutOfSync after it was Synced with the same
# commit.
count_out_of_sync() { awk '$2 == "Synced" { synced[$1] = 1 } $2 == "OutOfSync" && synced[$1] { flips++; synced[$1] = 0 } END { print flips + 0 }' "$work/record.log"; }

# list_created KIND: prints the names of the objects of a kind that no experiment created, in order of creation.
list_created() { kubectl get "$1" --namespace "$lab" --selector '!benchnet.dev/experiment' --sort-by=.metadata.creationTimestamp --output name | xargs -r -n 1 basename | xargs; }

# list_generations: prints the distinct generations of all networks, runs and experiments: 1 if no spec changed after
# creation.
list_generations() { kubectl get bnet,brun,bexp --namespace "$lab" --output json | jq --raw-output '[.items[].metadata.generation] | unique | join(" ")'; }

# resource_uid KIND NAME: prints the UID of an object.
resource_uid() { kubectl get "$1" "$2" --namespace "$lab" --output 'jsonpath={.metadata.uid}'; }

# is_recreated UID KIND NAME: prints yes if the object exists with another UID.
is_recreated() {
  local now
  now=$(resource_uid "$2" "$3")
  if [[ -n $now && $now != "$1" ]]; then echo yes; fi
}

# list_remaining: prints the remaining objects of all kinds that the operator creates, except runs and their results
# and logs.
list_remaining() {
  kubectl get bnet,bexp,pods,statefulsets,jobs,services,secrets,configmaps,serviceaccounts,persistentvolumeclaims,roles,rolebindings,networkpolicies \
    --namespace "$lab" --selector '!benchnet.dev/run' --output name 2> /dev/null | grep --invert-match --extended-regexp '^(configmap/kube-root-ca.crt|serviceaccount/default)$' | xargs
}
