package observe

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// failedCreate is the reason of the events in which a StatefulSet's controller says why it could not make a pod. The set's own
// status does not say so.
const failedCreate = "FailedCreate"

// Refusals reads why pods could not be made, for StatefulSets that should have one and have not. Events are read directly:
// they are seldom needed, and a cache would hold those of the whole cluster.
func (s *Snapshot) Refusals(ctx context.Context, direct client.Reader) error {
	for _, o := range s.owned {
		set, ok := o.(*appsv1.StatefulSet)
		if !ok || !podless(set) {
			continue
		}
		var events corev1.EventList
		err := direct.List(ctx, &events, client.InNamespace(set.Namespace),
			client.MatchingFields{"involvedObject.uid": string(set.UID), "reason": failedCreate})
		if err != nil {
			return fmt.Errorf("list events of StatefulSet %s: %w", set.Name, err)
		}
		if len(events.Items) == 0 {
			continue
		}
		if s.refusals == nil {
			s.refusals = map[types.UID]string{}
		}
		s.refusals[set.UID] = newest(events.Items).Message
	}
	return nil
}

// Podless tells whether a StatefulSet that should have a pod has none. Nothing is told when that changes for the worse.
func (s *Snapshot) Podless() bool {
	for _, o := range s.owned {
		if set, ok := o.(*appsv1.StatefulSet); ok && podless(set) {
			return true
		}
	}
	return false
}

func podless(set *appsv1.StatefulSet) bool {
	wanted := set.Spec.Replicas == nil || *set.Spec.Replicas > 0
	return wanted && set.Status.ObservedGeneration > 0 && set.Status.ObservedGeneration >= set.Generation && set.Status.Replicas == 0
}

// newest of events, of which there must be some.
func newest(events []corev1.Event) corev1.Event {
	last := events[0]
	for _, e := range events[1:] {
		if last.LastTimestamp.Before(&e.LastTimestamp) {
			last = e
		}
	}
	return last
}
