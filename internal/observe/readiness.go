package observe

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// State of an object.
type State int

// The states of an object.
const (
	// Waiting is not ready yet.
	Waiting State = iota
	// Ready serves its purpose.
	Ready
	// Failed will not become ready by itself.
	Failed
)

// Readiness of an object, with what it waits for or died of.
type Readiness struct {
	State   State
	Message string
}

// Readiness tells whether the live counterpart of a planned object is ready. Kinds without a state of their own are
// ready when they exist.
func (s *Snapshot) Readiness(planned client.Object) Readiness {
	switch live := s.Live(planned).(type) {
	case nil:
		return Readiness{Waiting, fmt.Sprintf("%s %s does not exist yet", s.keyOf(planned).kind.Kind, planned.GetName())}
	case *appsv1.StatefulSet:
		return s.statefulSet(live)
	case *batchv1.Job:
		return s.job(live)
	default:
		return Readiness{State: Ready}
	}
}

// SecretComplete tells whether a Secret of material was filled.
func (s *Snapshot) SecretComplete(name string) bool {
	secret := s.Secret(name)
	return secret != nil && secret.Annotations[v1alpha1.AnnotationMaterialComplete] != ""
}

func (s *Snapshot) statefulSet(set *appsv1.StatefulSet) Readiness {
	wanted := int32(1)
	if set.Spec.Replicas != nil {
		wanted = *set.Spec.Replicas
	}
	if set.Status.ObservedGeneration >= set.Generation && set.Status.ReadyReplicas >= wanted {
		return Readiness{State: Ready}
	}
	message := fmt.Sprintf("StatefulSet %s: %d of %d pods ready", set.Name, set.Status.ReadyReplicas, wanted)
	if trouble := s.trouble(set.UID); trouble != "" {
		message += "; " + trouble
	}
	return Readiness{Waiting, message}
}

func (s *Snapshot) job(job *batchv1.Job) Readiness {
	for _, c := range job.Status.Conditions {
		switch {
		case c.Type == batchv1.JobComplete && c.Status == corev1.ConditionTrue:
			return Readiness{State: Ready}
		case c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue:
			message := fmt.Sprintf("Job %s failed: %s", job.Name, c.Message)
			if trouble := s.trouble(job.UID); trouble != "" {
				message += "; " + trouble
			}
			return Readiness{Failed, message}
		}
	}
	message := fmt.Sprintf("Job %s is running", job.Name)
	if trouble := s.trouble(job.UID); trouble != "" {
		message += "; " + trouble
	}
	return Readiness{Waiting, message}
}
