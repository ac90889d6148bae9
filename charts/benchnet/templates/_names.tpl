{{/* What all names begin with: the release's name, with benchnet in it. */}}
{{- define "benchnet.name" -}}
{{- if contains "benchnet" .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-benchnet" (.Release.Name | trunc 31 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{/* Labels by which the operator's pods are selected; they never change. */}}
{{- define "benchnet.selector" -}}
app.kubernetes.io/component: operator
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/name: benchnet
{{- end -}}

{{- define "benchnet.labels" -}}
{{ include "benchnet.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "benchnet.image" -}}
{{- $name := printf "%s/%s" .Values.image.registry .Values.image.name -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $name .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (include "benchnet.version" .) -}}
{{- end -}}
{{- end -}}

{{- define "benchnet.version" -}}
{{- .Values.image.tag | default .Chart.AppVersion -}}
{{- end -}}

{{/* The operator's account, as subjects of a binding. */}}
{{- define "benchnet.subjects" -}}
- kind: ServiceAccount
  name: {{ include "benchnet.name" . }}-operator
  namespace: {{ .Release.Namespace }}
{{- end -}}
