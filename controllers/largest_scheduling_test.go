package controllers_test

import (
	"fmt"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// largestScheduling returns members with as many constraints, and pods with as many labels and annotations, as are
// accepted.
func largestScheduling() string {
	var labels, annotations []string
	for i := range 16 {
		labels = append(labels, fmt.Sprintf("%q: %s", longKey(i), strings.Repeat("v", 63)))
		annotations = append(annotations, fmt.Sprintf("%q: %s", longKey(i), strings.Repeat("v", 1<<10)))
	}
	return fmt.Sprintf(`members: {scheduling: %s}
podTemplate: {metadata: {labels: {%s}, annotations: {%s}}}`, longScheduling(), strings.Join(labels, ", "), strings.Join(annotations, ", "))
}

// largestOverrides returns as many overrides as a network may have, each with the largest scheduling.
func largestOverrides(kind v1alpha1.PlatformType) string {
	var overrides []string
	for i := range map[bool]int{false: 16, true: 9}[kind == v1alpha1.PlatformJPaxos] {
		overrides = append(overrides, fmt.Sprintf("{members: [%d], cores: %dm, storage: {size: 1Ti, className: %s}, scheduling: %s}",
			i, 4000+i, strings.Repeat("c", 253), longScheduling()))
	}
	return "members: {overrides: [" + strings.Join(overrides, ", ") + "]}"
}

func longKey(i int) string {
	return fmt.Sprintf("%s.example/%s%02d", strings.Repeat("k", 245), strings.Repeat("k", 61), i)
}

// longScheduling returns the largest lists of a role's scheduling.
func longScheduling() string {
	var selector, tolerations, constraints []string
	for i := range 16 {
		selector = append(selector, fmt.Sprintf("%q: %s", longKey(i), strings.Repeat("v", 63)))
		tolerations = append(tolerations, fmt.Sprintf("{key: %q, value: %s}", longKey(i), strings.Repeat("v", 63)))
		constraints = append(constraints, fmt.Sprintf("{maxSkew: 1, topologyKey: %q, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {a: %s}}}",
			longKey(i), strings.Repeat("v", 63)))
	}
	return fmt.Sprintf("{nodeSelector: {%s}, tolerations: [%s], topologySpreadConstraints: [%s]}",
		strings.Join(selector, ", "), strings.Join(tolerations, ", "), strings.Join(constraints, ", "))
}
