{{/* Labels of what `helm test` makes; its pod must not be taken for an operator. */}}
{{- define "benchnet.test.labels" -}}
{{- merge (dict "app.kubernetes.io/component" "test") (include "benchnet.labels" . | fromYaml) | toYaml -}}
{{- end -}}

{{/* Labels and annotations of what `helm test` makes, to be given as (list . WEIGHT): lower weights come first. What failed stays to be looked at. */}}
{{- define "benchnet.test.marks" -}}
labels:
  {{- include "benchnet.test.labels" (index . 0) | nindent 2 }}
{{ include "benchnet.annotations" (list (index . 0) (dict
  "helm.sh/hook" "test" "helm.sh/hook-weight" (index . 1) "helm.sh/hook-delete-policy" "before-hook-creation,hook-succeeded")) }}
{{- end -}}

{{/* The namespace in which the test may make networks. */}}
{{- define "benchnet.test.namespace" -}}
{{- first (append .Values.watchNamespaces .Release.Namespace) -}}
{{- end -}}
