{{/* Labels of the objects of `helm test`; no selector of the operator may match its pod. */}}
{{- define "benchnet.test.labels" -}}
{{- merge (dict "app.kubernetes.io/component" "test") (include "benchnet.labels" . | fromYaml) | toYaml -}}
{{- end -}}

{{/* Labels and annotations of the objects of `helm test`, called with (list . WEIGHT): lower weights first. Failed objects are kept. */}}
{{- define "benchnet.test.marks" -}}
labels:
  {{- include "benchnet.test.labels" (index . 0) | nindent 2 }}
{{ include "benchnet.annotations" (list (index . 0) (dict
  "helm.sh/hook" "test" "helm.sh/hook-weight" (index . 1) "helm.sh/hook-delete-policy" "before-hook-creation,hook-succeeded")) }}
{{- end -}}

{{/* The namespace in which the test may create networks. */}}
{{- define "benchnet.test.namespace" -}}
{{- first (append .Values.watchNamespaces .Release.Namespace) -}}
{{- end -}}
