package pods

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Constraints are what the cluster demands of every pod besides the pod security level "restricted".
type Constraints struct {
	// AssignedUserIDs reports whether the cluster assigns the users and groups of pods, and rejects others, as OpenShift does.
	AssignedUserIDs bool
	// MaxLimitRequestRatio is the largest ratio of a limit to its request; 0 means any.
	MaxLimitRequestRatio float64
}

// RemoveUserIDs removes users and groups from a pod if the cluster assigns them. Containers that run as root keep theirs,
// since they need other rights in any cluster.
func (c Constraints) RemoveUserIDs(pod *corev1.PodSpec) {
	if !c.AssignedUserIDs {
		return
	}
	if s := pod.SecurityContext; s != nil {
		s.RunAsUser, s.RunAsGroup, s.FSGroup = nil, nil, nil
	}
	forEachContainer(pod, func(container *corev1.Container) {
		if s := container.SecurityContext; s != nil && (s.RunAsUser == nil || *s.RunAsUser != 0) {
			s.RunAsUser, s.RunAsGroup = nil, nil
		}
	})
}

// RaiseRequests raises the requests of a pod's containers until no limit exceeds its request by more than the ratio.
func (c Constraints) RaiseRequests(pod *corev1.PodSpec) {
	if c.MaxLimitRequestRatio == 0 {
		return
	}
	forEachContainer(pod, func(container *corev1.Container) {
		for name, limit := range container.Resources.Limits {
			least := divideRoundingUp(limit, c.MaxLimitRequestRatio, name == corev1.ResourceCPU)
			if request, ok := container.Resources.Requests[name]; ok && request.Cmp(least) < 0 {
				container.Resources.Requests[name] = least
			}
		}
	})
}

func forEachContainer(pod *corev1.PodSpec, edit func(*corev1.Container)) {
	for _, containers := range [][]corev1.Container{pod.InitContainers, pod.Containers} {
		for i := range containers {
			edit(&containers[i])
		}
	}
}

// divideRoundingUp returns a quotient in whole units, or in thousandths.
func divideRoundingUp(q resource.Quantity, by float64, thousandths bool) resource.Quantity {
	if thousandths {
		return *resource.NewMilliQuantity(int64(math.Ceil(float64(q.MilliValue())/by)), q.Format)
	}
	return *resource.NewQuantity(int64(math.Ceil(float64(q.Value())/by)), q.Format)
}
