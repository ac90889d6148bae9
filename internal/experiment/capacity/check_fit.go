package capacity

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// FitResult says whether a cluster can hold something.
type FitResult struct {
	Fits bool
	// FitsWhenIdle tells, of what does not fit, that it would if nothing else ran in the cluster: waiting may help.
	FitsWhenIdle bool
	// Message says what is needed, what there is, what is missing, and whether waiting helps.
	Message string
}

// CheckFit tells whether the nodes have room for the needs beside the pods that there are. Those must not be of what is asked for.
// Where pods could be put in many ways it tries but a few, so on several nearly full nodes it may see no room where there is some.
func CheckFit(needs Needs, nodes []corev1.Node, pods []corev1.Pod) FitResult {
	refusal := findPlacementFailure(needs, nodes, pods)
	if refusal == nil {
		return FitResult{Fits: true, Message: fmt.Sprintf("needs %s; %s", describeNeeds(needs), describeNodes(nodes, pods))}
	}
	finding := FitResult{FitsWhenIdle: findPlacementFailure(needs, nodes, nil) == nil}
	advice := "It would not fit even if nothing else ran there."
	if finding.FitsWhenIdle {
		advice = "It will fit when the pods of others are gone."
	}
	finding.Message = fmt.Sprintf("needs %s at one time; %s: %s. %s", describeNeeds(needs), describeNodes(nodes, pods), refusal, advice)
	return finding
}

// findPlacementFailure either phase, or nil.
func findPlacementFailure(needs Needs, nodes []corev1.Node, pods []corev1.Pod) *placementFailure {
	for _, phase := range [][]corev1.Pod{needs.SetupPods, needs.RunningPods} {
		if r := placePods(phase, newCandidateNodes(nodes, pods)); r != nil {
			return r
		}
	}
	return nil
}

// describeNeeds are the needs in words.
func describeNeeds(needs Needs) string {
	text := fmt.Sprintf("%s and %s for %s", formatCores(needs.Cores()), formatGiB(needs.Memory()), pluralize(int(needs.Pods()), "pod"))
	if needs.Volumes > 0 {
		text += fmt.Sprintf(", and %s of %s", pluralize(int(needs.Volumes), "volume"), formatGiB(needs.Storage))
	}
	return text
}

// describeNodes is what the nodes have and what of it is free, in words.
func describeNodes(nodes []corev1.Node, pods []corev1.Pod) string {
	have, free := corev1.ResourceList{}, corev1.ResourceList{}
	names := make([]string, 0, len(nodes))
	for _, h := range newCandidateNodes(nodes, pods) {
		names = append(names, h.node.Name)
		AddResources(have, h.node.Status.Allocatable)
		AddResources(free, h.free)
	}
	what := pluralize(len(nodes), "node")
	if len(nodes) > 0 && len(nodes) <= 3 {
		what = strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s of %s are allocatable, %s and %s free", formatCores(have[corev1.ResourceCPU]), formatGiB(have[corev1.ResourceMemory]), what,
		formatQuantity(free[corev1.ResourceCPU]), strings.TrimSuffix(formatGiB(free[corev1.ResourceMemory]), " GiB"))
}

func pluralize(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func formatCores(q resource.Quantity) string {
	if text := formatQuantity(q); text != "1" {
		return text + " cores"
	}
	return "1 core"
}

func formatQuantity(q resource.Quantity) string { return formatDecimal(q.AsApproximateFloat64()) }

func formatGiB(q resource.Quantity) string {
	return formatDecimal(q.AsApproximateFloat64()/(1<<30)) + " GiB"
}

// formatDecimal has at most two decimals.
func formatDecimal(value float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", value), "0"), ".")
}
