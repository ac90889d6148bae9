package capacity

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// requiredAffinity returns the required pod affinity of a pod. The check considers affinity only among the new
// pods, because existing pods belong to others, and ignores preferences.
func requiredAffinity(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if a := pod.Spec.Affinity; a != nil && a.PodAffinity != nil {
		return a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

func requiredAntiAffinity(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if a := pod.Spec.Affinity; a != nil && a.PodAntiAffinity != nil {
		return a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

// withoutForeignTerms returns the pods without the terms of required affinity that select none of them: these
// refer to existing pods.
func withoutForeignTerms(pods []corev1.Pod) []corev1.Pod {
	all := slices.Clone(pods)
	for i := range all {
		terms := requiredAffinity(&all[i])
		own := slices.DeleteFunc(slices.Clone(terms), func(term corev1.PodAffinityTerm) bool {
			return !slices.ContainsFunc(pods, func(other corev1.Pod) bool { return termMatchesPod(term, &other) })
		})
		if len(own) < len(terms) {
			all[i].Spec.Affinity = all[i].Spec.Affinity.DeepCopy()
			all[i].Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = own
		}
	}
	return all
}

// satisfiesAffinity reports whether the node's topology domain has the pods that the pod's affinity requires.
// The first of a group of pods with affinity to each other fits on any node.
func satisfiesAffinity(pod *corev1.Pod, on *candidateNode, all []*candidateNode) bool {
	for _, term := range requiredAffinity(pod) {
		there := slices.ContainsFunc(topologyDomain(term, on, all), func(h *candidateNode) bool { return h.hasMatchingPod(term) })
		first := termMatchesPod(term, pod) && !slices.ContainsFunc(all, func(h *candidateNode) bool { return h.hasMatchingPod(term) })
		if !there && !first {
			return false
		}
	}
	return true
}

// satisfiesAntiAffinity reports whether no required anti-affinity, of the pod or of the pods placed before,
// excludes the node.
func satisfiesAntiAffinity(pod *corev1.Pod, on *candidateNode, all []*candidateNode) bool {
	for _, term := range requiredAntiAffinity(pod) {
		if slices.ContainsFunc(topologyDomain(term, on, all), func(h *candidateNode) bool { return h.hasMatchingPod(term) }) {
			return false
		}
	}
	for _, h := range all {
		for _, other := range h.placed {
			for _, term := range requiredAntiAffinity(other) {
				if termMatchesPod(term, pod) && slices.Contains(topologyDomain(term, on, all), h) {
					return false
				}
			}
		}
	}
	return true
}

// topologyDomain returns the nodes in the same topology domain of the term: the node itself, or all of its
// zone.
func topologyDomain(term corev1.PodAffinityTerm, on *candidateNode, all []*candidateNode) []*candidateNode {
	var same []*candidateNode
	for _, h := range all {
		value, ok := h.node.Labels[term.TopologyKey]
		if ok && value == on.node.Labels[term.TopologyKey] {
			same = append(same, h)
		}
	}
	return same
}

func (h *candidateNode) hasMatchingPod(term corev1.PodAffinityTerm) bool {
	return slices.ContainsFunc(h.placed, func(pod *corev1.Pod) bool { return termMatchesPod(term, pod) })
}

// termMatchesPod reports whether the term selects the pod. An invalid selector selects no pod; the API server
// would have rejected it.
func termMatchesPod(term corev1.PodAffinityTerm, pod *corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
	return err == nil && selector.Matches(labels.Set(pod.Labels))
}
