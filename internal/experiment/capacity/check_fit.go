package capacity

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/internal/format"
)

// FitResult says whether a cluster has enough capacity.
type FitResult struct {
	Fits bool
	// FitsWhenIdle reports that needs which do not fit now would fit if nothing else ran in the cluster:
	// waiting may help.
	FitsWhenIdle bool
	// Message says what is needed, available and missing, and whether waiting helps.
	Message string
}

// CheckFit checks whether the nodes have capacity for the needs in addition to the existing pods, which must
// not include the needs themselves. It tries only two orders of placement, so on several nearly full nodes it
// may report a failure although a placement exists.
func CheckFit(needs Needs, nodes []corev1.Node, pods []corev1.Pod) FitResult {
	refusal := findPlacementFailure(needs, nodes, pods)
	if refusal == nil {
		return FitResult{Fits: true, Message: fmt.Sprintf("needs %s; %s%s", describeNeeds(needs), describeNodes(nodes, pods), describeUnconsidered(needs))}
	}
	finding := FitResult{FitsWhenIdle: findPlacementFailure(needs, nodes, nil) == nil}
	advice := "It would not fit even on an empty cluster."
	if finding.FitsWhenIdle {
		advice = "It fits once other pods are deleted."
	}
	finding.Message = fmt.Sprintf("needs %s at the same time; %s: %s. %s%s",
		describeNeeds(needs), describeNodes(nodes, pods), refusal, advice, describeUnconsidered(needs))
	return finding
}

// findPlacementFailure returns the first placement failure of the two phases, or nil.
func findPlacementFailure(needs Needs, nodes []corev1.Node, pods []corev1.Pod) *placementFailure {
	for _, phase := range [][]corev1.Pod{needs.SetupPods, needs.RunningPods} {
		if r := placePods(withoutForeignTerms(phase), newCandidateNodes(nodes, pods)); r != nil {
			return r
		}
	}
	return nil
}

// describeNeeds describes the needs in words.
func describeNeeds(needs Needs) string {
	text := fmt.Sprintf("%s and %s for %s", formatCores(needs.Cores()), formatGiB(needs.Memory()), format.Count(int(needs.Pods()), "pod"))
	if needs.Volumes > 0 {
		text += fmt.Sprintf(", and %s of %s", format.Count(int(needs.Volumes), "volume"), formatGiB(needs.Storage))
	}
	return text
}

// describeNodes describes the allocatable and free resources of the nodes in words.
func describeNodes(nodes []corev1.Node, pods []corev1.Pod) string {
	have, free := corev1.ResourceList{}, corev1.ResourceList{}
	names := make([]string, 0, len(nodes))
	for _, h := range newCandidateNodes(nodes, pods) {
		names = append(names, h.node.Name)
		AddResources(have, h.node.Status.Allocatable)
		AddResources(free, h.free)
	}
	what := format.Count(len(nodes), "node")
	if len(nodes) > 0 && len(nodes) <= 3 {
		what = strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s of %s are allocatable, %s and %s free", formatCores(have[corev1.ResourceCPU]), formatGiB(have[corev1.ResourceMemory]), what,
		formatQuantity(free[corev1.ResourceCPU]), strings.TrimSuffix(formatGiB(free[corev1.ResourceMemory]), " GiB"))
}

func formatCores(q resource.Quantity) string {
	if text := formatQuantity(q); text != "1" {
		return text + " cores"
	}
	return "1 core"
}

func formatQuantity(q resource.Quantity) string { return format.Decimal(q.AsApproximateFloat64()) }

func formatGiB(q resource.Quantity) string {
	return format.Decimal(q.AsApproximateFloat64()/(1<<30)) + " GiB"
}
