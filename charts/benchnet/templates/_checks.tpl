{{/* Rejects values that are valid individually but not together. */}}
{{- define "benchnet.check" -}}
{{- if and (gt (int .Values.replicas) 1) (not .Values.leaderElection.enabled) -}}
{{- fail (printf "leaderElection.enabled: false, but replicas: %d; set it to true, or all of them would work at one time" (int .Values.replicas)) -}}
{{- end -}}
{{- if and .Values.watchNamespaces .Values.excludeNamespaces -}}
{{- fail (printf "excludeNamespaces: [%s], but watchNamespaces says which namespaces are the operator's; leave one of both empty" (join ", " .Values.excludeNamespaces)) -}}
{{- end -}}
{{- if not (or .Values.serviceAccount.create .Values.serviceAccount.name) -}}
{{- fail "serviceAccount.name: \"\", but serviceAccount.create: false; set the name of an existing account or enable its creation" -}}
{{- end -}}
{{- with .Values.monitoring.prometheus.serviceAccount -}}
{{- if and .name (not .namespace) -}}
{{- fail (printf "monitoring.prometheus.serviceAccount.namespace: \"\", but name: %s; set the namespace of that ServiceAccount" .name) -}}
{{- end -}}
{{- if and .name (not $.Values.rbac.create) -}}
{{- fail (printf "monitoring.prometheus.serviceAccount.name: %s, but rbac.create: false; bind that ServiceAccount yourself" .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
