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
)

// host is a node with what is free of it, and what was placed on it.
type host struct {
	node   *corev1.Node
	free   corev1.ResourceList
	placed []*corev1.Pod
}

// hosts are the nodes with what the pods on them leave.
func hosts(nodes []corev1.Node, pods []corev1.Pod) []*host {
	all := make([]*host, 0, len(nodes))
	for i := range nodes {
		h := &host{node: &nodes[i], free: nodes[i].Status.Allocatable.DeepCopy()}
		for p := range pods {
			ended := pods[p].Status.Phase == corev1.PodSucceeded || pods[p].Status.Phase == corev1.PodFailed
			if pods[p].Spec.NodeName == h.node.Name && !ended {
				h.take(&pods[p])
			}
		}
		all = append(all, h)
	}
	return all
}

func (h *host) take(pod *corev1.Pod) {
	for name, q := range requests(pod) {
		left := h.free[name].DeepCopy()
		left.Sub(q)
		h.free[name] = left
	}
}

// refusal is the pod that found no place, and why.
type refusal struct {
	pod *corev1.Pod
	// why by node.
	why []string
}

// shownNodes of a refusal are named.
const shownNodes = 3

func (r *refusal) String() string {
	needs := requests(r.pod)
	text := fmt.Sprintf("no room for pod %s (%s, %s)", r.pod.Name, cores(needs[corev1.ResourceCPU]), gibibytes(needs[corev1.ResourceMemory]))
	if len(r.why) == 0 {
		return text + ": there are no nodes"
	}
	why := r.why[:min(len(r.why), shownNodes)]
	if more := len(r.why) - len(why); more > 0 {
		why = append(slices.Clone(why), "and "+count(more, "more node"))
	}
	return text + ": " + strings.Join(why, "; ")
}

// place puts each pod on a host, the largest first: by cores, and where that fails by memory.
func place(pods []corev1.Pod, on []*host) *refusal {
	var first *refusal
	for _, by := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		r := placeBy(by, pods, copied(on))
		if r == nil {
			return nil
		}
		if first == nil {
			first = r
		}
	}
	return first
}

func copied(hosts []*host) []*host {
	all := make([]*host, 0, len(hosts))
	for _, h := range hosts {
		all = append(all, &host{node: h.node, free: h.free.DeepCopy()})
	}
	return all
}

// placeBy a resource. Pods that must be with others come after those.
func placeBy(name corev1.ResourceName, pods []corev1.Pod, on []*host) *refusal {
	order := make([]*corev1.Pod, 0, len(pods))
	for i := range pods {
		order = append(order, &pods[i])
	}
	slices.SortStableFunc(order, func(a, b *corev1.Pod) int {
		if d := len(togetherWith(a)) - len(togetherWith(b)); d != 0 {
			return d
		}
		x, y := requests(a)[name], requests(b)[name]
		return y.Cmp(x)
	})
	for _, pod := range order {
		if r := placeOne(pod, on); r != nil {
			return r
		}
	}
	return nil
}

func placeOne(pod *corev1.Pod, on []*host) *refusal {
	r := &refusal{pod: pod}
	for _, h := range on {
		why := h.refuses(pod, on)
		if why == "" {
			h.take(pod)
			h.placed = append(h.placed, pod)
			return nil
		}
		r.why = append(r.why, h.node.Name+" "+why)
	}
	return r
}

// refuses says why the pod cannot be on the host; empty: it can.
func (h *host) refuses(pod *corev1.Pod, all []*host) string {
	if h.node.Spec.Unschedulable {
		return "is cordoned"
	}
	if taint, found := schedulinghelper.FindMatchingUntoleratedTaint(logr.Discard(), h.node.Spec.Taints, pod.Spec.Tolerations, keepsAway, false); found {
		return "has taint " + taint.ToString()
	}
	if match, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(h.node); err != nil || !match {
		return "has not the labels it asks for"
	}
	if !together(pod, h, all) {
		return "has not the pod that it must be with"
	}
	if !apart(pod, h, all) {
		return "has a pod from which it must be apart"
	}
	return h.lacks(pod)
}

func keepsAway(taint *corev1.Taint) bool {
	return taint.Effect == corev1.TaintEffectNoSchedule || taint.Effect == corev1.TaintEffectNoExecute
}

// lacks names what is too little of, by name.
func (h *host) lacks(pod *corev1.Pod) string {
	var missing []string
	for name, wanted := range requests(pod) {
		if free := h.free[name]; wanted.Sign() > 0 && free.Cmp(wanted) < 0 {
			missing = append(missing, inWords(name, free))
		}
	}
	if len(missing) == 0 {
		return ""
	}
	slices.Sort(missing)
	return "has " + strings.Join(missing, " and ") + " left"
}

// inWords is how much is left of a resource once what was placed before took its part.
func inWords(name corev1.ResourceName, left resource.Quantity) string {
	switch name {
	case corev1.ResourceCPU:
		return cores(left)
	case corev1.ResourceMemory:
		return gibibytes(left)
	case corev1.ResourcePods:
		return decimal(left) + " pods"
	}
	return fmt.Sprintf("%s of %s", left.String(), name)
}
