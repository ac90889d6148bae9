{{/* Arguments of the operator for its queue; none without one. */}}
{{- define "benchnet.queue" -}}
{{- $arguments := list -}}
{{- with .Values.queue -}}
{{- if .maxNetworks }}{{ $arguments = append $arguments (printf "--queue-max-networks=%d" (int .maxNetworks)) }}{{ end -}}
{{- if .pools }}{{ $arguments = append $arguments (printf "--queue-pools=%s" (toJson .pools)) }}{{ end -}}
{{- if ne .waitForRoom "Never" }}{{ $arguments = append $arguments (printf "--queue-wait-for-room=%s" .waitForRoom) }}{{ end -}}
{{- if ne .kueue "Ignore" }}{{ $arguments = append $arguments (printf "--kueue=%s" .kueue) }}{{ end -}}
{{- end -}}
{{- with $arguments }}{{ toYaml . }}{{ end -}}
{{- end -}}
