package capacity

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/internal/format"
)

// FitResult says whether the nodes of a cluster are large enough for the needs. It is a forecast that decides nothing: nodes
// may be added, and only the scheduler considers node selectors, taints, affinity and what other pods request.
type FitResult struct {
	Fits bool
	// Unchecked reports that the nodes may not be listed. Message then has the error.
	Unchecked bool
	// Message says what is needed, what the nodes have, and what is missing.
	Message string
}

// CheckFit compares the sum of the needs with the allocatable resources of all schedulable nodes, and the largest pod with
// the largest node.
func CheckFit(needs Needs, nodes []corev1.Node) FitResult {
	schedulable := slices.DeleteFunc(slices.Clone(nodes), func(n corev1.Node) bool { return n.Spec.Unschedulable })
	total, largest := corev1.ResourceList{}, corev1.ResourceList{}
	for i := range schedulable {
		AddResources(total, schedulable[i].Status.Allocatable)
		raiseTo(largest, schedulable[i].Status.Allocatable)
	}
	findings := []string{"needs " + describeNeeds(needs) + " at the same time", describeNodes(len(nodes), len(schedulable), total, largest)}
	missing := missingInTotal(needs, total)
	if len(missing) > 0 {
		findings = append(findings, "missing: "+strings.Join(missing, ", "))
	}
	tooLarge := podsTooLarge(needs, largest)
	return FitResult{Fits: len(missing)+len(tooLarge) == 0, Message: strings.Join(append(findings, tooLarge...), "; ")}
}

// missingInTotal returns by how much the sum of the needs exceeds the total, for each resource.
func missingInTotal(needs Needs, total corev1.ResourceList) []string {
	sum := SumRequests(needs.RunningPods)
	raiseTo(sum, SumRequests(needs.SetupPods))
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(sum)) {
		if left := sum[name].DeepCopy(); left.Cmp(total[name]) > 0 {
			left.Sub(total[name])
			missing = append(missing, formatResource(name, left))
		}
	}
	return missing
}

// podsTooLarge names, for each resource, the pod that requests the most of it, if that is more than the largest node has.
func podsTooLarge(needs Needs, largest corev1.ResourceList) []string {
	most, names := corev1.ResourceList{}, map[corev1.ResourceName]string{}
	for _, pod := range slices.Concat(needs.RunningPods, needs.SetupPods) {
		for name, q := range podRequests(&pod) {
			if known := most[name]; q.Cmp(known) > 0 {
				most[name], names[name] = q, pod.Name
			}
		}
	}
	var tooLarge []string
	for _, name := range slices.Sorted(maps.Keys(most)) {
		if q := most[name]; q.Cmp(largest[name]) > 0 {
			tooLarge = append(tooLarge, fmt.Sprintf("no node has the %s of pod %s", formatResource(name, q), names[name]))
		}
	}
	return tooLarge
}

// raiseTo raises each resource of most to that of other, if that is larger.
func raiseTo(most, other corev1.ResourceList) {
	for name, q := range other {
		if known := most[name]; q.Cmp(known) > 0 {
			most[name] = q
		}
	}
}

func describeNeeds(needs Needs) string {
	text := fmt.Sprintf("%s and %s for %s", formatCores(needs.Cores()), formatGiB(needs.Memory()), format.Count(int(needs.Pods()), "pod"))
	if needs.Volumes > 0 {
		text += fmt.Sprintf(", and %s of %s", format.Count(int(needs.Volumes), "volume"), formatGiB(needs.Storage))
	}
	return text
}

// describeNodes describes how many nodes are schedulable, what they can allocate, and the most that one of them can.
func describeNodes(all, schedulable int, total, largest corev1.ResourceList) string {
	text := fmt.Sprintf("%d of %s schedulable", schedulable, format.Count(all, "node"))
	if schedulable == 0 {
		return text
	}
	return fmt.Sprintf("%s, with %s and %s allocatable, at most %s and %s on one", text, formatCores(total[corev1.ResourceCPU]),
		formatGiB(total[corev1.ResourceMemory]), formatCores(largest[corev1.ResourceCPU]), formatGiB(largest[corev1.ResourceMemory]))
}

// formatResource formats an amount of a resource.
func formatResource(name corev1.ResourceName, q resource.Quantity) string {
	switch name {
	case corev1.ResourceCPU:
		return formatCores(q)
	case corev1.ResourceMemory:
		return formatGiB(q)
	case corev1.ResourcePods:
		return format.Count(int(q.Value()), "place") + " for pods"
	}
	return fmt.Sprintf("%s of %s", q.String(), name)
}

func formatCores(q resource.Quantity) string {
	if text := format.Decimal(q.AsApproximateFloat64()); text != "1" {
		return text + " cores"
	}
	return "1 core"
}

func formatGiB(q resource.Quantity) string {
	return format.Decimal(q.AsApproximateFloat64()/(1<<30)) + " GiB"
}
