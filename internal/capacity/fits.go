package capacity

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Finding says whether a cluster can hold something.
type Finding struct {
	Fits bool
	// Later tells, of what does not fit, that it would if nothing else ran in the cluster: waiting may help.
	Later bool
	// Message says what is needed, what there is, what is missing, and whether waiting helps.
	Message string
}

// Fits tells whether the nodes have room for the needs beside the pods that there are. Those must not be of what is asked for.
// Where pods could be put in many ways it tries but a few, so on several nearly full nodes it may see no room where there is some.
func Fits(needs Needs, nodes []corev1.Node, pods []corev1.Pod) Finding {
	refusal := refusalOf(needs, nodes, pods)
	if refusal == nil {
		return Finding{Fits: true, Message: fmt.Sprintf("needs %s; %s", asked(needs), offered(nodes, pods))}
	}
	finding := Finding{Later: refusalOf(needs, nodes, nil) == nil}
	advice := "It would not fit even if nothing else ran there."
	if finding.Later {
		advice = "It will fit when the pods of others are gone."
	}
	finding.Message = fmt.Sprintf("needs %s at one time; %s: %s. %s", asked(needs), offered(nodes, pods), refusal, advice)
	return finding
}

// refusalOf either phase, or nil.
func refusalOf(needs Needs, nodes []corev1.Node, pods []corev1.Pod) *refusal {
	for _, phase := range [][]corev1.Pod{needs.SetUp, needs.Standing} {
		if r := place(phase, hosts(nodes, pods)); r != nil {
			return r
		}
	}
	return nil
}

// asked are the needs in words.
func asked(needs Needs) string {
	text := fmt.Sprintf("%s and %s for %s", cores(needs.Cores()), gibibytes(needs.Memory()), count(int(needs.Pods()), "pod"))
	if needs.Volumes > 0 {
		text += fmt.Sprintf(", and %s of %s", count(int(needs.Volumes), "volume"), gibibytes(needs.Storage))
	}
	return text
}

// offered is what the nodes have and what of it is free, in words.
func offered(nodes []corev1.Node, pods []corev1.Pod) string {
	have, free := corev1.ResourceList{}, corev1.ResourceList{}
	names := make([]string, 0, len(nodes))
	for _, h := range hosts(nodes, pods) {
		names = append(names, h.node.Name)
		Increase(have, h.node.Status.Allocatable)
		Increase(free, h.free)
	}
	what := count(len(nodes), "node")
	if len(nodes) > 0 && len(nodes) <= 3 {
		what = strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s of %s are allocatable, %s and %s free", cores(have[corev1.ResourceCPU]), gibibytes(have[corev1.ResourceMemory]), what,
		decimal(free[corev1.ResourceCPU]), strings.TrimSuffix(gibibytes(free[corev1.ResourceMemory]), " GiB"))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func cores(q resource.Quantity) string {
	if text := decimal(q); text != "1" {
		return text + " cores"
	}
	return "1 core"
}

func decimal(q resource.Quantity) string { return trimmed(q.AsApproximateFloat64()) }

func gibibytes(q resource.Quantity) string { return trimmed(q.AsApproximateFloat64()/(1<<30)) + " GiB" }

// trimmed has at most two decimals.
func trimmed(value float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", value), "0"), ".")
}
