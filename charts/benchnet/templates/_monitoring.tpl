{{/* Reports whether to create a monitor; called with (list . ENABLED): the value, or if it is null, whether the API is installed. */}}
{{- define "benchnet.monitored" -}}
{{- $enabled := index . 1 -}}
{{- if kindIs "invalid" $enabled -}}
{{- $enabled = (index . 0).Capabilities.APIVersions.Has "monitoring.coreos.com/v1" -}}
{{- end -}}
{{- if $enabled }}true{{ end -}}
{{- end -}}
