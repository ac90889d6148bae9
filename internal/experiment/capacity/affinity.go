package capacity

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Affinity is judged among the pods that are asked for: what runs already belongs to others. Only what is required counts.

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

// satisfiesAffinity tells whether the host has what the pod must be with. The first of pods that must be with their like may be anywhere.
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

// satisfiesAntiAffinity tells whether neither the pod shuns what is there, nor what is there the pod.
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

// topologyDomain are the hosts that are one place to the term: itself, or all of its zone.
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

// termMatchesPod tells whether the term is about the pod. A selector that cannot be read is about none, as the API server would have refused it.
func termMatchesPod(term corev1.PodAffinityTerm, pod *corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
	return err == nil && selector.Matches(labels.Set(pod.Labels))
}
