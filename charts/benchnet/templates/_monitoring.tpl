{{/* Reports whether to create a monitor; called with (list . ENABLED): the value, or if it is null, monitoring.enabled, or if that is null, whether the API is installed. */}}
{{- define "benchnet.monitored" -}}
{{- $root := index . 0 -}}
{{- $enabled := index . 1 -}}
{{- if kindIs "invalid" $enabled -}}
{{- $enabled = $root.Values.monitoring.enabled -}}
{{- end -}}
{{- if kindIs "invalid" $enabled -}}
{{- $enabled = $root.Capabilities.APIVersions.Has "monitoring.coreos.com/v1" -}}
{{- end -}}
{{- if $enabled }}true{{ end -}}
{{- end -}}

{{/* The labels of monitors and rules. */}}
{{- define "benchnet.monitoring.labels" -}}
{{ include "benchnet.labels" . }}
{{- with .Values.monitoring.labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The groups of the enabled alerts with their values; called with (list . GROUPS). A threshold is the number at the end of the expression. */}}
{{- define "benchnet.alerts" -}}
{{- $alerts := (index . 0).Values.monitoring.alerts -}}
{{- $groups := list -}}
{{- range $group := index . 1 -}}
{{- $rules := list -}}
{{- range $rule := $group.rules -}}
{{- $values := get $alerts $rule.alert -}}
{{- if $values.enabled -}}
{{- $rule = mergeOverwrite $rule (dict "labels" (dict "severity" $values.severity)) -}}
{{- if hasKey $values "threshold" -}}
{{- $_ := set $rule "expr" (regexReplaceAll "([<>]) [0-9.]+$" $rule.expr (printf "${1} %v" $values.threshold)) -}}
{{- end -}}
{{- if ne $values.for "0s" -}}
{{- $_ := set $rule "for" $values.for -}}
{{- else -}}
{{- $_ := unset $rule "for" -}}
{{- end -}}
{{- $rules = append $rules $rule -}}
{{- end -}}
{{- end -}}
{{- if $rules -}}
{{- $groups = append $groups (dict "name" $group.name "rules" $rules) -}}
{{- end -}}
{{- end -}}
{{ toYaml $groups }}
{{- end -}}
