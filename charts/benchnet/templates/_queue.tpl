{{/* Arguments of the operator for its queue; none without one. */}}
{{- define "benchnet.queue" -}}
{{- $arguments := list -}}
{{- with .Values.queue -}}
{{- if .maxNetworks }}{{ $arguments = append $arguments (printf "--queue-max-networks=%d" (int .maxNetworks)) }}{{ end -}}
{{- if .pools }}{{ $arguments = append $arguments (printf "--queue-pools=%s" (toJson .pools)) }}{{ end -}}
{{- if ne .waitForRoom "Never" }}{{ $arguments = append $arguments (printf "--queue-wait-for-room=%s" .waitForRoom) }}{{ end -}}
{{- end -}}
{{- with $arguments }}{{ toYaml . }}{{ end -}}
{{- end -}}
