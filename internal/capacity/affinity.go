package capacity

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Affinity is judged among the pods that are asked for: what runs already belongs to others. Only what is required counts.

func togetherWith(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if a := pod.Spec.Affinity; a != nil && a.PodAffinity != nil {
		return a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

func apartFrom(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if a := pod.Spec.Affinity; a != nil && a.PodAntiAffinity != nil {
		return a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

// together tells whether the host has what the pod must be with. The first of pods that must be with their like may be anywhere.
func together(pod *corev1.Pod, on *host, all []*host) bool {
	for _, term := range togetherWith(pod) {
		there := slices.ContainsFunc(domain(term, on, all), func(h *host) bool { return h.has(term) })
		first := selects(term, pod) && !slices.ContainsFunc(all, func(h *host) bool { return h.has(term) })
		if !there && !first {
			return false
		}
	}
	return true
}

// apart tells whether neither the pod shuns what is there, nor what is there the pod.
func apart(pod *corev1.Pod, on *host, all []*host) bool {
	for _, term := range apartFrom(pod) {
		if slices.ContainsFunc(domain(term, on, all), func(h *host) bool { return h.has(term) }) {
			return false
		}
	}
	for _, h := range all {
		for _, other := range h.placed {
			for _, term := range apartFrom(other) {
				if selects(term, pod) && slices.Contains(domain(term, on, all), h) {
					return false
				}
			}
		}
	}
	return true
}

// domain are the hosts that are one place to the term: itself, or all of its zone.
func domain(term corev1.PodAffinityTerm, on *host, all []*host) []*host {
	var same []*host
	for _, h := range all {
		value, ok := h.node.Labels[term.TopologyKey]
		if ok && value == on.node.Labels[term.TopologyKey] {
			same = append(same, h)
		}
	}
	return same
}

func (h *host) has(term corev1.PodAffinityTerm) bool {
	return slices.ContainsFunc(h.placed, func(pod *corev1.Pod) bool { return selects(term, pod) })
}

// selects tells whether the term is about the pod. A selector that cannot be read is about none, as the API server would have refused it.
func selects(term corev1.PodAffinityTerm, pod *corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
	return err == nil && selector.Matches(labels.Set(pod.Labels))
}
