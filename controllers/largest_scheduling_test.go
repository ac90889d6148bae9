package controllers_test

import (
	"fmt"
	"strings"
)

// largestScheduling returns members with as many constraints, and pods with as many labels and annotations, as are
// accepted.
func largestScheduling() string {
	var selector, labels, annotations, tolerations, constraints []string
	for i := range 16 {
		key := fmt.Sprintf("%s.example/%s%02d", strings.Repeat("k", 245), strings.Repeat("k", 61), i)
		selector = append(selector, fmt.Sprintf("%q: %s", key, strings.Repeat("v", 63)))
		labels = append(labels, fmt.Sprintf("%q: %s", key, strings.Repeat("v", 63)))
		annotations = append(annotations, fmt.Sprintf("%q: %s", key, strings.Repeat("v", 1<<10)))
		tolerations = append(tolerations, fmt.Sprintf("{key: %q, value: %s}", key, strings.Repeat("v", 63)))
		constraints = append(constraints, fmt.Sprintf("{maxSkew: 1, topologyKey: %q, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {a: %s}}}",
			key, strings.Repeat("v", 63)))
	}
	list := func(items []string) string { return strings.Join(items, ", ") }
	return fmt.Sprintf(`members: {scheduling: {nodeSelector: {%s}, tolerations: [%s], topologySpreadConstraints: [%s]}}
podTemplate: {metadata: {labels: {%s}, annotations: {%s}}}`, list(selector), list(tolerations), list(constraints), list(labels), list(annotations))
}
