package capacity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	schedulinghelper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/benchnet/benchnet/internal/format"
)

// candidateNode is a node with its free resources and the pods placed on it.
type candidateNode struct {
	node   *corev1.Node
	free   corev1.ResourceList
	placed []*corev1.Pod
}

// newCandidateNodes returns the nodes with the resources that their pods leave free.
func newCandidateNodes(nodes []corev1.Node, pods []corev1.Pod) []*candidateNode {
	all := make([]*candidateNode, 0, len(nodes))
	for i := range nodes {
		h := &candidateNode{node: &nodes[i], free: nodes[i].Status.Allocatable.DeepCopy()}
		for p := range pods {
			ended := pods[p].Status.Phase == corev1.PodSucceeded || pods[p].Status.Phase == corev1.PodFailed
			if pods[p].Spec.NodeName == h.node.Name && !ended {
				h.subtractRequests(&pods[p])
			}
		}
		all = append(all, h)
	}
	return all
}

func (h *candidateNode) subtractRequests(pod *corev1.Pod) {
	for name, q := range podRequests(pod) {
		left := h.free[name].DeepCopy()
		left.Sub(q)
		h.free[name] = left
	}
}

// placementFailure says which pod did not fit, and why.
type placementFailure struct {
	pod *corev1.Pod
	// nodeReasons has one reason for each node.
	nodeReasons []string
}

// maxShownNodes is the number of nodes that a message names.
const maxShownNodes = 3

func (r *placementFailure) String() string {
	needs := podRequests(r.pod)
	text := fmt.Sprintf("no node fits pod %s (%s, %s)", r.pod.Name, formatCores(needs[corev1.ResourceCPU]), formatGiB(needs[corev1.ResourceMemory]))
	if len(r.nodeReasons) == 0 {
		return text + ": there are no nodes"
	}
	why := r.nodeReasons[:min(len(r.nodeReasons), maxShownNodes)]
	if more := len(r.nodeReasons) - len(why); more > 0 {
		why = append(slices.Clone(why), "and "+format.Count(more, "more node"))
	}
	return text + ": " + strings.Join(why, "; ")
}

// placePods places each pod on a node, the largest first: by CPU, and if that fails by memory.
func placePods(pods []corev1.Pod, on []*candidateNode) *placementFailure {
	var first *placementFailure
	for _, by := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		r := placePodsByResource(by, pods, copyCandidates(on))
		if r == nil {
			return nil
		}
		if first == nil {
			first = r
		}
	}
	return first
}

func copyCandidates(hosts []*candidateNode) []*candidateNode {
	all := make([]*candidateNode, 0, len(hosts))
	for _, h := range hosts {
		all = append(all, &candidateNode{node: h.node, free: h.free.DeepCopy()})
	}
	return all
}

// placePodsByResource places the pods, the largest by one resource first. Pods with required affinity are
// placed after the others.
func placePodsByResource(name corev1.ResourceName, pods []corev1.Pod, on []*candidateNode) *placementFailure {
	order := make([]*corev1.Pod, 0, len(pods))
	for i := range pods {
		order = append(order, &pods[i])
	}
	slices.SortStableFunc(order, func(a, b *corev1.Pod) int {
		if d := len(requiredAffinity(a)) - len(requiredAffinity(b)); d != 0 {
			return d
		}
		x, y := podRequests(a)[name], podRequests(b)[name]
		return y.Cmp(x)
	})
	for _, pod := range order {
		if r := placePod(pod, on); r != nil {
			return r
		}
	}
	return nil
}

func placePod(pod *corev1.Pod, on []*candidateNode) *placementFailure {
	r := &placementFailure{pod: pod}
	for _, h := range on {
		why := h.rejectionReason(pod, on)
		if why == "" {
			h.subtractRequests(pod)
			h.placed = append(h.placed, pod)
			return nil
		}
		r.nodeReasons = append(r.nodeReasons, h.node.Name+" "+why)
	}
	return r
}

// rejectionReason returns why the pod cannot run on the node, or an empty string if it can.
func (h *candidateNode) rejectionReason(pod *corev1.Pod, all []*candidateNode) string {
	if h.node.Spec.Unschedulable {
		return "is cordoned"
	}
	if taint, found := schedulinghelper.FindMatchingUntoleratedTaint(logr.Discard(), h.node.Spec.Taints, pod.Spec.Tolerations, blocksScheduling, false); found {
		return "has taint " + taint.ToString()
	}
	if match, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(h.node); err != nil || !match {
		return "lacks the requested labels"
	}
	if !satisfiesAffinity(pod, h, all) {
		return "lacks the pod required by affinity"
	}
	if !satisfiesAntiAffinity(pod, h, all) {
		return "has a pod excluded by anti-affinity"
	}
	return h.missingResources(pod)
}

func blocksScheduling(taint *corev1.Taint) bool {
	return taint.Effect == corev1.TaintEffectNoSchedule || taint.Effect == corev1.TaintEffectNoExecute
}

// missingResources describes the resources that are too scarce on the node, sorted by name. It returns an empty
// string if none is.
func (h *candidateNode) missingResources(pod *corev1.Pod) string {
	var missing []string
	for name, wanted := range podRequests(pod) {
		if free := h.free[name]; wanted.Sign() > 0 && free.Cmp(wanted) < 0 {
			missing = append(missing, formatResource(name, free))
		}
	}
	if len(missing) == 0 {
		return ""
	}
	slices.Sort(missing)
	return "has " + strings.Join(missing, " and ") + " left"
}

// formatResource formats the free amount of a resource.
func formatResource(name corev1.ResourceName, left resource.Quantity) string {
	switch name {
	case corev1.ResourceCPU:
		return formatCores(left)
	case corev1.ResourceMemory:
		return formatGiB(left)
	case corev1.ResourcePods:
		return formatQuantity(left) + " pods"
	}
	return fmt.Sprintf("%s of %s", left.String(), name)
}
