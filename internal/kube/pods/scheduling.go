package pods

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/json"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// BuildSpread returns the anti-affinity that keeps a pod off the hosts of the selected pods, or nil for None.
func BuildSpread(spread v1alpha1.Spread, selected *metav1.LabelSelector) *corev1.PodAntiAffinity {
	term := corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, LabelSelector: selected}
	switch spread {
	case v1alpha1.SpreadNone:
		return nil
	case v1alpha1.SpreadRequired:
		return &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}
	default:
		return &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{
			{Weight: 100, PodAffinityTerm: term}}}
	}
}

// ApplyScheduling sets the scheduling fields of a pod. It adds the affinity to the pod's own. A nil scheduling
// changes nothing. It fails if a field is not that of a pod; ValidateScheduling gives the details.
func ApplyScheduling(pod *corev1.PodSpec, s *v1alpha1.Scheduling) error {
	if s == nil {
		return nil
	}
	if err := ApplyNodeScheduling(pod, s); err != nil {
		return err
	}
	affinity, err := decodeAffinity(s.Affinity)
	if err != nil {
		return err
	}
	if affinity != nil && (affinity.PodAffinity != nil || affinity.PodAntiAffinity != nil) {
		pod.Affinity = cmp.Or(pod.Affinity, &corev1.Affinity{})
		pod.Affinity.PodAffinity = mergePodAffinity(pod.Affinity.PodAffinity, affinity.PodAffinity)
		pod.Affinity.PodAntiAffinity = (*corev1.PodAntiAffinity)(
			mergePodAffinity((*corev1.PodAffinity)(pod.Affinity.PodAntiAffinity), (*corev1.PodAffinity)(affinity.PodAntiAffinity)))
	}
	for _, raw := range s.TopologySpreadConstraints {
		var constraint corev1.TopologySpreadConstraint
		if err := decodeStrictly(raw.Raw, &constraint); err != nil {
			return fmt.Errorf("topologySpreadConstraints: %w", err)
		}
		pod.TopologySpreadConstraints = append(pod.TopologySpreadConstraints, constraint)
	}
	return nil
}

// ApplyNodeScheduling is ApplyScheduling without the constraints relative to other pods: podAffinity,
// podAntiAffinity and topologySpreadConstraints. Pods of another role follow a scheduling in this way.
func ApplyNodeScheduling(pod *corev1.PodSpec, s *v1alpha1.Scheduling) error {
	if s == nil {
		return nil
	}
	affinity, err := decodeAffinity(s.Affinity)
	if err != nil {
		return err
	}
	if affinity != nil && affinity.NodeAffinity != nil {
		pod.Affinity = cmp.Or(pod.Affinity, &corev1.Affinity{})
		pod.Affinity.NodeAffinity = affinity.NodeAffinity
	}
	if len(s.NodeSelector) > 0 {
		pod.NodeSelector = s.NodeSelector
	}
	for _, t := range s.Tolerations {
		pod.Tolerations = append(pod.Tolerations, corev1.Toleration(t))
	}
	pod.PriorityClassName = cmp.Or(s.PriorityClassName, pod.PriorityClassName)
	pod.SchedulerName = cmp.Or(s.SchedulerName, pod.SchedulerName)
	if s.RuntimeClassName != "" {
		pod.RuntimeClassName = new(s.RuntimeClassName)
	}
	return nil
}

// mergePodAffinity returns the terms of both; either may be nil.
func mergePodAffinity(own, added *corev1.PodAffinity) *corev1.PodAffinity {
	if own == nil || added == nil {
		return cmp.Or(own, added)
	}
	all := own.DeepCopy()
	all.RequiredDuringSchedulingIgnoredDuringExecution = append(all.RequiredDuringSchedulingIgnoredDuringExecution,
		added.RequiredDuringSchedulingIgnoredDuringExecution...)
	all.PreferredDuringSchedulingIgnoredDuringExecution = append(all.PreferredDuringSchedulingIgnoredDuringExecution,
		added.PreferredDuringSchedulingIgnoredDuringExecution...)
	return all
}

// decodeAffinity returns nil for nil.
func decodeAffinity(raw *apiextensionsv1.JSON) (*corev1.Affinity, error) {
	if raw == nil {
		return nil, nil
	}
	affinity := &corev1.Affinity{}
	if err := decodeStrictly(raw.Raw, affinity); err != nil {
		return nil, fmt.Errorf("affinity: %w", err)
	}
	return affinity, nil
}

// decodeStrictly rejects fields that the type does not have. The CRD cannot, since the schema of an affinity
// would be larger than all others together.
func decodeStrictly(raw []byte, into any) error {
	strict, err := json.UnmarshalStrict(raw, into)
	if err == nil && len(strict) > 0 {
		err = strict[0]
	}
	return err
}
