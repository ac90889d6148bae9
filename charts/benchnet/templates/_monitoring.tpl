{{/* Whether a monitor is wanted, to be given as (list . ENABLED): as the value says, or, where it is null, if its API is installed. */}}
{{- define "benchnet.monitored" -}}
{{- $enabled := index . 1 -}}
{{- if kindIs "invalid" $enabled -}}
{{- $enabled = (index . 0).Capabilities.APIVersions.Has "monitoring.coreos.com/v1" -}}
{{- end -}}
{{- if $enabled }}true{{ end -}}
{{- end -}}
