package snapshot

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/kube/pods"
)

// ReadinessState is the state of an object.
type ReadinessState int

// The states of an object.
const (
	// StateWaiting means that the object is not ready yet.
	StateWaiting ReadinessState = iota
	// StateReady means that the object serves its purpose.
	StateReady
	// StateFailed means that the object will not become ready by itself.
	StateFailed
)

// Readiness is the state of an object, with a message that says what it waits for or why it failed.
type Readiness struct {
	State   ReadinessState
	Message string
	// Cause is the best known cause, which Message contains, or empty.
	Cause string
}

// Readiness returns the readiness of the live counterpart of an applied object. Objects other than StatefulSets
// and Jobs are ready once they are applied. An object that the cache does not contain yet is judged as planned, so that
// its message does not change when the cache has caught up.
func (s *Snapshot) Readiness(planned client.Object) Readiness {
	switch live := s.LiveObject(planned).(type) {
	case nil:
		return s.plannedReadiness(planned)
	case *appsv1.StatefulSet:
		if message := s.staleReason(live, planned); message != "" {
			return s.appendPodProblem(live, Readiness{State: StateWaiting, Message: message})
		}
		found := s.statefulSetReadiness(live)
		if pod := s.OutdatedPod(live); pod != nil && ScaleToZero(planned) == nil {
			found.Message += fmt.Sprintf("; pod %s has an older template and is not replaced before it is ready: kubectl --namespace %s delete pod %s",
				pod.Name, pod.Namespace, pod.Name)
		}
		return found
	case *batchv1.Job:
		return s.jobReadiness(live)
	default:
		return Readiness{State: StateReady}
	}
}

func (s *Snapshot) plannedReadiness(intent client.Object) Readiness {
	switch intent := intent.(type) {
	case *appsv1.StatefulSet:
		return s.statefulSetReadiness(intent)
	case *batchv1.Job:
		return s.jobReadiness(intent)
	case *unstructured.Unstructured: // An object of a chart.
		if intent.GetKind() == "StatefulSet" {
			return s.statefulSetReadiness(&appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: intent.GetName()}})
		}
	}
	return Readiness{State: StateReady}
}

// IsGenesisSecretFilled reports whether a Secret of the genesis exists and is filled.
func (s *Snapshot) IsGenesisSecretFilled(name string) bool {
	secret := s.Secret(name)
	return secret != nil && secret.Annotations[v1alpha1.AnnotationGenesisComplete] != ""
}

// SecretDigest returns a digest of the content of a Secret, or "" if it does not exist or is empty.
func (s *Snapshot) SecretDigest(name string) string {
	if secret := s.Secret(name); secret != nil {
		return kinds.SecretDigest(secret)
	}
	return ""
}

func (s *Snapshot) statefulSetReadiness(set *appsv1.StatefulSet) Readiness {
	desired := ptr.Deref(set.Spec.Replicas, 1)
	if set.Status.ObservedGeneration >= set.Generation && set.Status.ReadyReplicas >= desired {
		return Readiness{State: StateReady}
	}
	message := fmt.Sprintf("StatefulSet %s: %d of %d pods ready", set.Name, set.Status.ReadyReplicas, desired)
	return s.appendPodProblem(set, Readiness{State: StateWaiting, Message: message})
}

// staleReason returns how a live StatefulSet differs from the planned one in replicas, epoch or pauses, as it
// does in the cache right after a write. It also reports pods that are left of a StatefulSet scaled to zero. Otherwise
// it returns "".
func (s *Snapshot) staleReason(live *appsv1.StatefulSet, object client.Object) string {
	desired := plannedReplicas(object)
	written := live.Spec.Replicas != nil && *live.Spec.Replicas == desired
	if planned, ok := object.(*appsv1.StatefulSet); ok {
		written = written && pods.Epoch(live) == pods.Epoch(planned) &&
			live.Annotations[v1alpha1.AnnotationPauses] == planned.Annotations[v1alpha1.AnnotationPauses]
	}
	left := max(int(live.Status.Replicas), len(s.podsByController[live.UID]))
	switch {
	case desired == 0 && (!written || live.Status.ObservedGeneration < live.Generation || left > 0):
		return fmt.Sprintf("StatefulSet %s: %d pods have not stopped yet", live.Name, left)
	case !written:
		return fmt.Sprintf("StatefulSet %s: %d pods have not started yet", live.Name, desired)
	}
	return ""
}
