package capacity

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// describeUnconsidered names what the scheduler considers for the pods but CheckFit does not. It returns an empty
// string if there is nothing.
func describeUnconsidered(needs Needs) string {
	found := map[string]bool{}
	for _, pod := range slices.Concat(needs.SetupPods, needs.RunningPods) {
		for name, isSet := range map[string]bool{
			"affinity to pods that exist already":              refersToOthers(&pod),
			"topologySpreadConstraints":                        slices.ContainsFunc(pod.Spec.TopologySpreadConstraints, isRequiredSpread),
			"preemption by priorityClassName":                  pod.Spec.PriorityClassName != "",
			"overhead and nodes of runtimeClassName":           pod.Spec.RuntimeClassName != nil,
			"the rules of scheduler " + pod.Spec.SchedulerName: cmp.Or(pod.Spec.SchedulerName, corev1.DefaultSchedulerName) != corev1.DefaultSchedulerName,
		} {
			if isSet {
				found[name] = true
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	return " Not considered: " + strings.Join(slices.Sorted(maps.Keys(found)), "; ") + "."
}

func isRequiredSpread(c corev1.TopologySpreadConstraint) bool {
	return c.WhenUnsatisfiable == corev1.DoNotSchedule
}

// refersToOthers reports whether a required term may select pods other than those of the pod's network.
func refersToOthers(pod *corev1.Pod) bool {
	return slices.ContainsFunc(slices.Concat(requiredAffinity(pod), requiredAntiAffinity(pod)), func(term corev1.PodAffinityTerm) bool {
		selector := term.LabelSelector
		return selector == nil || selector.MatchLabels[v1alpha1.LabelNetwork] == "" && selector.MatchLabels[v1alpha1.LabelDatabaseInstance] == ""
	})
}
