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

// failedCreate is the reason of the events in which a controller says why it could not make the pods of a StatefulSet or a Job. The
// object's own status does not say so.
const failedCreate = "FailedCreate"

// podCreationGracePeriod is how old an object without pods is before it is asked why: until then its controller has most likely just not made them.
const podCreationGracePeriod = 2 * time.Second

// ReadPodCreationFailures reads why pods could not be made, for StatefulSets and Jobs that should have some and have none. Events are read directly:
// they are seldom needed, and a cache would hold those of the whole cluster. One request answers for however many objects.
func (s *Snapshot) ReadPodCreationFailures(ctx context.Context, direct client.Reader, now time.Time) error {
	podless := slices.DeleteFunc(s.ownersWithoutPods(), func(o client.Object) bool { return now.Sub(o.GetCreationTimestamp().Time) < podCreationGracePeriod })
	if len(podless) == 0 {
		return nil
	}
	var events corev1.EventList
	err := direct.List(ctx, &events, client.InNamespace(podless[0].GetNamespace()), client.MatchingFields{"reason": failedCreate})
	if err != nil {
		return fmt.Errorf("list events of what has no pods: %w", err)
	}
	latest := map[types.UID]corev1.Event{}
	for _, e := range events.Items {
		last, told := latest[e.InvolvedObject.UID]
		if !told || last.LastTimestamp.Before(&e.LastTimestamp) {
			latest[e.InvolvedObject.UID] = e
		}
	}
	s.podCreationFailures = map[types.UID]string{}
	for _, o := range podless {
		s.podCreationFailures[o.GetUID()] = latest[o.GetUID()].Message
	}
	return nil
}

// PodCreationFailure is why the pods of an object could not be made, or empty.
func (s *Snapshot) PodCreationFailure(o client.Object) string {
	return s.podCreationFailures[o.GetUID()]
}

// QuotaBlockedOwners are the StatefulSets and Jobs whose pods a ResourceQuota refuses.
func (s *Snapshot) QuotaBlockedOwners() []client.Object {
	var refused []client.Object
	for _, o := range s.ownersWithoutPods() {
		if IsQuotaMessage(s.podCreationFailures[o.GetUID()]) {
			refused = append(refused, o)
		}
	}
	return refused
}

// IsQuotaMessage tells whether words of the API server, or of a controller that repeats them, are about a ResourceQuota. It
// says so in words alone: the status code is the one of every forbidden request.
func IsQuotaMessage(message string) bool {
	return strings.Contains(message, "exceeded quota") || strings.Contains(message, "failed quota")
}

// HasMissingPods tells whether a StatefulSet or a Job that should have pods has none. Nothing is told when that changes for the worse.
func (s *Snapshot) HasMissingPods() bool { return len(s.ownersWithoutPods()) > 0 }

// ownersWithoutPods objects in the order of their names.
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

// isJobWithoutPods is of a Job that was begun and of whose pods nothing is known: a Job that has ended knows of some, and one whose pods
// have just ended has yet to count them.
func isJobWithoutPods(job *batchv1.Job) bool {
	s := job.Status
	if ended := s.UncountedTerminatedPods; ended != nil && len(ended.Succeeded)+len(ended.Failed) > 0 {
		return false
	}
	return s.StartTime != nil && s.Active == 0 && s.Succeeded == 0 && s.Failed == 0 && len(s.Conditions) == 0
}
