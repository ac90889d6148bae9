{{/* Prefix of all names: the release's name with the chart's name in it. With the longest suffix it fits into 63 characters. */}}
{{- define "benchnet.name" -}}
{{- $chart := .Values.nameOverride | default .Chart.Name -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains $chart .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" (.Release.Name | trunc (sub 39 (len $chart) | int) | trimSuffix "-") $chart -}}
{{- end -}}
{{- end -}}

{{/* Labels that select the operator's pods; they never change. */}}
{{- define "benchnet.selector" -}}
app.kubernetes.io/component: operator
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/name: benchnet
{{- end -}}

{{/* Labels of every object. */}}
{{- define "benchnet.labels" -}}
{{- $chart := printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" -}}
{{- $ours := dict "app.kubernetes.io/managed-by" .Release.Service "app.kubernetes.io/version" .Chart.AppVersion "helm.sh/chart" $chart -}}
{{- merge (include "benchnet.selector" . | fromYaml) $ours .Values.extraLabels | toYaml -}}
{{- end -}}

{{/* The annotations of an object merged with those of all objects; called with (list . OWN). */}}
{{- define "benchnet.annotations" -}}
{{- with merge (dict) (index . 1) (index . 0).Values.extraAnnotations -}}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* Labels and annotations of an object without its own. */}}
{{- define "benchnet.marks" -}}
labels:
  {{- include "benchnet.labels" . | nindent 2 }}
{{ include "benchnet.annotations" (list . dict) }}
{{- end -}}

{{/* Registry of the images, with the host of a mirror. */}}
{{- define "benchnet.registry" -}}
{{- $path := splitList "/" .Values.image.registry -}}
{{- with .Values.global.imageRegistry -}}
{{- if regexMatch "[.:]|^localhost$" (first $path) -}}
{{- $path = rest $path -}}
{{- end -}}
{{- $path = prepend $path . -}}
{{- end -}}
{{- join "/" $path -}}
{{- end -}}

{{- define "benchnet.image" -}}
{{- $name := printf "%s/%s" (include "benchnet.registry" .) .Values.image.name -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $name .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (include "benchnet.version" .) -}}
{{- end -}}
{{- end -}}

{{- define "benchnet.version" -}}
{{- .Values.image.tag | default .Chart.AppVersion -}}
{{- end -}}

{{/* Name of the operator's service account. */}}
{{- define "benchnet.account" -}}
{{- .Values.serviceAccount.name | default (printf "%s-operator" (include "benchnet.name" .)) -}}
{{- end -}}

{{/* The operator's service account as subjects of a binding. */}}
{{- define "benchnet.subjects" -}}
- kind: ServiceAccount
  name: {{ include "benchnet.account" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}

{{/* Access to the metrics: Authorized or Anyone. */}}
{{- define "benchnet.access" -}}
{{- if ne .Values.monitoring.metrics.access "Auto" -}}
{{- .Values.monitoring.metrics.access -}}
{{- else if .Values.watchNamespaces -}}
Anyone
{{- else -}}
Authorized
{{- end -}}
{{- end -}}
