package snapshot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// failedCreate is the reason of the events that say why a controller could not create the pods of a StatefulSet
// or a Job. The object's status does not contain this.
const failedCreate = "FailedCreate"

// podCreationGracePeriod is the age below which an object without pods is not examined, since its controller
// has most likely just not created them yet.
const podCreationGracePeriod = 2 * time.Second

// ReadPodCreationFailures reads why the pods of StatefulSets and Jobs could not be created, if they should have
// pods and have none. It reads events directly: they are seldom needed, and a cache would hold those of the
// whole cluster. One request covers all objects.
func (s *Snapshot) ReadPodCreationFailures(ctx context.Context, direct client.Reader, now time.Time) error {
	podless := slices.DeleteFunc(s.ownersWithoutPods(), func(o client.Object) bool { return now.Sub(o.GetCreationTimestamp().Time) < podCreationGracePeriod })
	if len(podless) == 0 {
		return nil
	}
	var events corev1.EventList
	err := direct.List(ctx, &events, client.InNamespace(podless[0].GetNamespace()), client.MatchingFields{"reason": failedCreate})
	if err != nil {
		return fmt.Errorf("list events of workloads without pods: %w", err)
	}
	latest := map[types.UID]corev1.Event{}
	for _, e := range events.Items {
		last, found := latest[e.InvolvedObject.UID]
		if !found || last.LastTimestamp.Before(&e.LastTimestamp) {
			latest[e.InvolvedObject.UID] = e
		}
	}
	s.podCreationFailures = map[types.UID]string{}
	for _, o := range podless {
		s.podCreationFailures[o.GetUID()] = latest[o.GetUID()].Message
	}
	return nil
}

// PodCreationFailure returns why the pods of an object could not be created, or "".
func (s *Snapshot) PodCreationFailure(o client.Object) string {
	return s.podCreationFailures[o.GetUID()]
}

// QuotaBlockedOwners returns the StatefulSets and Jobs whose pods a ResourceQuota rejects.
func (s *Snapshot) QuotaBlockedOwners() []client.Object {
	var refused []client.Object
	for _, o := range s.ownersWithoutPods() {
		if IsQuotaMessage(s.podCreationFailures[o.GetUID()]) {
			refused = append(refused, o)
		}
	}
	return refused
}

// IsQuotaMessage reports whether a message of the API server, or of a controller that repeats it, is about a
// ResourceQuota. Only the text says so: the status code is that of every forbidden request.
func IsQuotaMessage(message string) bool {
	return strings.Contains(message, "exceeded quota") || strings.Contains(message, "failed quota")
}

// HasMissingPods reports whether a StatefulSet or a Job that should have pods has none. Callers must poll: no
// watched object changes when the creation of pods starts to fail.
func (s *Snapshot) HasMissingPods() bool { return len(s.ownersWithoutPods()) > 0 }

// ownersWithoutPods returns the StatefulSets and Jobs that should have pods and have none, sorted by name.
func (s *Snapshot) ownersWithoutPods() []client.Object {
	var all []client.Object
	for _, o := range s.owned {
		switch o := o.(type) {
		case *appsv1.StatefulSet:
			if isSetWithoutPods(o) {
				all = append(all, o)
			}
		case *batchv1.Job:
			if isJobWithoutPods(o) {
				all = append(all, o)
			}
		}
	}
	slices.SortFunc(all, func(a, b client.Object) int { return strings.Compare(a.GetName(), b.GetName()) })
	return all
}

func isSetWithoutPods(set *appsv1.StatefulSet) bool {
	wanted := set.Spec.Replicas == nil || *set.Spec.Replicas > 0
	return wanted && set.Status.ObservedGeneration > 0 && set.Status.ObservedGeneration >= set.Generation && set.Status.Replicas == 0
}

// isJobWithoutPods reports whether a Job has started and has no pods at all. Jobs that have ended have counted
// pods or conditions, and pods that have just ended may not be counted yet.
func isJobWithoutPods(job *batchv1.Job) bool {
	s := job.Status
	if ended := s.UncountedTerminatedPods; ended != nil && len(ended.Succeeded)+len(ended.Failed) > 0 {
		return false
	}
	return s.StartTime != nil && s.Active == 0 && s.Succeeded == 0 && s.Failed == 0 && len(s.Conditions) == 0
}
