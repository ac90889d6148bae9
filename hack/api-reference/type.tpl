{{- /* A type: its description, fields, values and rules. */ -}}
{{- define "type" }}
{{ template "text" .Doc }}
{{- if .Fields }}

| field | type | limits | description |
|---|---|---|---|
{{- range .Fields }}
| `{{ .Name }}` | {{ template "fieldType" .Type }} | {{ template "limits" . }} | {{ template "description" . }} |
{{- end }}
{{- end }}
{{- range $i, $value := .EnumValues }}
{{- if not $i }}
{{ end }}
- `{{ .Name }}`{{ with .Doc }} {{ template "text" (regexReplaceAll "^[A-Z][A-Za-z0-9]* " . "") }}{{ end }}
{{- end }}
{{- template "rules" . }}
{{- end }}

{{- define "description" -}}
{{- if eq .Name "metadata" }}the standard metadata of an object{{ else }}{{ template "text" .Doc }}{{ end }}
{{- end }}

{{- define "fieldType" -}}
{{- $kind := .Kind | toJson }}
{{- if eq $kind "\"SLICE\"" }}list of {{ template "fieldType" .UnderlyingType }}
{{- else if eq $kind "\"MAP\"" }}map of {{ template "fieldType" .ValueType }}
{{- else if hasPrefix "k8s.io/" .Package }}[{{ .Name }}](https://pkg.go.dev/{{ .Package }}#{{ .Name }})
{{- else }}{{ markdownRenderTypeLink . }}
{{- end }}
{{- end }}

{{- /* limits: whether the field is required, its values, the bounds of a number, text, list or map, and its default. */ -}}
{{- define "limits" -}}
{{- $markers := .Markers }}
{{- $limits := list }}
{{- if not (or (index $markers "optional") (eq .Name "metadata")) }}{{ $limits = append $limits "required" }}{{ end }}
{{- with index $markers "kubebuilder:validation:Enum" }}
{{- range last . }}{{ $limits = append $limits (printf "`%v`" .) }}{{ end }}
{{- end }}
{{- range $of := list "" "items:" }}
{{- range $quantity, $unit := dict "imum" "" "Length" " characters" "Items" " items" "Properties" " entries" }}
{{- $low := index $markers (print "kubebuilder:validation:" $of "Min" $quantity) }}
{{- $high := index $markers (print "kubebuilder:validation:" $of "Max" $quantity) }}
{{- $bounds := "" }}
{{- if and $low (deepEqual (toJson $low) (toJson $high)) }}{{ $bounds = toJson (last $low) }}
{{- else if and $low $high }}{{ $bounds = printf "%s to %s" (toJson (last $low)) (toJson (last $high)) }}
{{- else if $low }}{{ $bounds = print "at least " (toJson (last $low)) }}
{{- else if $high }}{{ $bounds = print "at most " (toJson (last $high)) }}
{{- end }}
{{- if $bounds }}{{ $limits = append $limits (print (empty $of | ternary "" "each ") $bounds $unit) }}{{ end }}
{{- end }}
{{- end }}
{{- with index $markers "kubebuilder:default" }}
{{- $value := (last .).Value }}
{{- $limits = append $limits (printf "default `%s`" (kindIs "string" $value | ternary $value (toJson $value))) }}
{{- end }}
{{- join ", " $limits }}
{{- end }}

{{- /* rules: patterns and CEL rules of the type and of its fields. A field has the markers of its type too. */ -}}
{{- define "rules" }}
{{- $rules := list }}
{{- range index .Markers "kubebuilder:validation:XValidation" }}{{ $rules = append $rules (dict "message" .Message "code" .Rule) }}{{ end }}
{{- range $which, $text := dict "ExactlyOneOf" "Exactly" "AtMostOneOf" "At most" "AtLeastOneOf" "At least" }}
{{- range index $.Markers (print "kubebuilder:validation:" $which) }}{{ $rules = append $rules (dict "message" (printf "%s one of %s is set" $text (join ", " .))) }}{{ end }}
{{- end }}
{{- range $field := .Fields }}
{{- range $of := list "" "items:" }}
{{- range index $field.Markers (print "kubebuilder:validation:" $of "Pattern") }}{{ $rules = append $rules (dict "field" $field.Name "code" .) }}{{ end }}
{{- $name := print "kubebuilder:validation:" $of "XValidation" }}
{{- $own := index $field.Markers $name }}
{{- if not (deepEqual $own (index $field.Type.Markers $name)) }}
{{- range $own }}{{ $rules = append $rules (dict "field" $field.Name "message" .Message "code" .Rule) }}{{ end }}
{{- end }}
{{- end }}
{{- end }}
{{- if $rules }}

Rules:
{{ range $rules }}
- {{ with .field }}`{{ . }}`: {{ end }}{{ if .message }}{{ template "text" .message }}{{ else }}`{{ .code }}`{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* text: a comment in one line, with links to the pages that it names. */ -}}
{{- define "text" -}}
{{- $line := . | trim | replace "\n" " " | replace "<" "&lt;" | replace "|" "\\|" | replace "*" "\\*" }}
{{- regexReplaceAll "docs/([a-z-]+)\\.md" $line "[docs/${1}.md](${1}.md)" }}
{{- end }}
