package snapshot

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// ReadinessState of an object.
type ReadinessState int

// The states of an object.
const (
	// StateWaiting is not ready yet.
	StateWaiting ReadinessState = iota
	// StateReady serves its purpose.
	StateReady
	// StateFailed will not become ready by itself.
	StateFailed
)

// Readiness of an object, with what it waits for or died of.
type Readiness struct {
	State   ReadinessState
	Message string
}

// Readiness tells whether the live counterpart of an object that was applied is ready. Kinds without a state of their own are
// ready then. One that was made a moment ago, and that the snapshot has not seen, is what it will look like when it has: there
// is nothing to tell twice.
func (s *Snapshot) Readiness(planned client.Object) Readiness {
	switch live := s.LiveObject(planned).(type) {
	case nil:
		return s.plannedReadiness(planned)
	case *appsv1.StatefulSet:
		if message := s.staleReason(live, planned); message != "" {
			return Readiness{StateWaiting, message}
		}
		return s.statefulSetReadiness(live)
	case *batchv1.Job:
		return s.jobReadiness(live)
	default:
		return Readiness{State: StateReady}
	}
}

func (s *Snapshot) plannedReadiness(made client.Object) Readiness {
	switch made := made.(type) {
	case *appsv1.StatefulSet:
		return s.statefulSetReadiness(made)
	case *batchv1.Job:
		return s.jobReadiness(made)
	case *unstructured.Unstructured: // An object of a chart.
		if made.GetKind() == "StatefulSet" {
			return s.statefulSetReadiness(&appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: made.GetName()}})
		}
	}
	return Readiness{State: StateReady}
}

// IsGenesisSecretFilled tells whether a Secret of material was filled.
func (s *Snapshot) IsGenesisSecretFilled(name string) bool {
	secret := s.Secret(name)
	return secret != nil && secret.Annotations[v1alpha1.AnnotationMaterialComplete] != ""
}

func (s *Snapshot) statefulSetReadiness(set *appsv1.StatefulSet) Readiness {
	wanted := int32(1)
	if set.Spec.Replicas != nil {
		wanted = *set.Spec.Replicas
	}
	if set.Status.ObservedGeneration >= set.Generation && set.Status.ReadyReplicas >= wanted {
		return Readiness{State: StateReady}
	}
	message := fmt.Sprintf("StatefulSet %s: %d of %d pods ready", set.Name, set.Status.ReadyReplicas, wanted)
	if trouble := s.firstPodProblem(set.UID); trouble != "" {
		message += "; " + trouble
	}
	return Readiness{StateWaiting, message}
}

// staleReason tells what a set does not have of what was planned, as when it was written a moment ago, or that pods are left of one
// that is to have none; else it is empty. What counts is how many pods there shall be, and of which epoch.
func (s *Snapshot) staleReason(live *appsv1.StatefulSet, object client.Object) string {
	planned, ok := object.(*appsv1.StatefulSet)
	if !ok || planned.Spec.Replicas == nil {
		return ""
	}
	wanted := *planned.Spec.Replicas
	written := live.Spec.Replicas != nil && *live.Spec.Replicas == wanted && epochOf(live) == epochOf(planned)
	left := max(int(live.Status.Replicas), s.countPods(live.UID))
	switch {
	case wanted == 0 && (!written || live.Status.ObservedGeneration < live.Generation || left > 0):
		return fmt.Sprintf("StatefulSet %s: %d pods have not stopped yet", live.Name, left)
	case !written:
		return fmt.Sprintf("StatefulSet %s: %d pods are to start", live.Name, wanted)
	}
	return ""
}

func epochOf(set *appsv1.StatefulSet) string {
	return set.Spec.Template.Annotations[v1alpha1.AnnotationEpoch]
}

func (s *Snapshot) countPods(owner types.UID) int {
	return len(s.podsByController[owner])
}
