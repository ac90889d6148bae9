{{/* The name of every object: the release's name unless overridden. 52 characters leave room for the StatefulSet's revision hash. */}}
{{- define "postgresql.name" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels that select the pod. They never change during the life of a release. */}}
{{- define "postgresql.selector" -}}
app.kubernetes.io/name: postgresql
app.kubernetes.io/instance: {{ include "postgresql.name" . }}
{{- end -}}

{{/* Labels of every object. commonLabels may replace any of them except those that select the pod. */}}
{{- define "postgresql.labels" -}}
{{- $selector := include "postgresql.selector" . | fromYaml -}}
{{- $own := dict "app.kubernetes.io/component" "database" "app.kubernetes.io/part-of" "benchnet" "app.kubernetes.io/managed-by" .Release.Service -}}
{{- merge (dict) $selector .Values.commonLabels $own | toYaml -}}
{{- end -}}

{{/* Labels of the pod. */}}
{{- define "postgresql.podLabels" -}}
{{- merge (include "postgresql.labels" . | fromYaml) .Values.podLabels | toYaml -}}
{{- end -}}

{{/* The security context that the restricted pod security standard requires of a container. */}}
{{- define "postgresql.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}
