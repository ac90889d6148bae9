package snapshot

import (
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// ExitNotAvailable is the exit code of a container whose server was not available in time: EX_TEMPFAIL of sysexits.h.
	ExitNotAvailable = 75
	// jobRecreationDelay is how long after its failure a Job that failed only by waiting is recreated.
	jobRecreationDelay = 30 * time.Second
	// statusUnknown is the reason with which the kubelet marks a container that never ran as terminated.
	statusUnknown = "ContainerStatusUnknown"
)

// jobReadiness returns the readiness of a Job. A Job that failed only by waiting counts as waiting, since it is
// recreated.
func (s *Snapshot) jobReadiness(job *batchv1.Job) Readiness {
	if job.DeletionTimestamp != nil {
		return Readiness{State: StateWaiting, Message: fmt.Sprintf("Job %s is being deleted", job.Name)}
	}
	found := s.JobOutcome(job)
	if failed := jobCondition(job, batchv1.JobFailed); found.State == StateFailed && s.failedOnlyByWaiting(job, failed) {
		message := fmt.Sprintf("Job %s failed only by waiting and is recreated: %s", job.Name, failed.Message)
		found = s.appendPodProblem(job, Readiness{State: StateWaiting, Message: message})
	}
	return found
}

// JobOutcome returns the readiness of a Job that is never recreated, such as that of a run's workers: every
// failure is final.
func (s *Snapshot) JobOutcome(job *batchv1.Job) Readiness {
	if jobCondition(job, batchv1.JobComplete) != nil {
		return Readiness{State: StateReady}
	}
	if failed := jobCondition(job, batchv1.JobFailed); failed != nil {
		return s.appendPodProblem(job, Readiness{State: StateFailed, Message: fmt.Sprintf("Job %s failed: %s", job.Name, failed.Message)})
	}
	if IsSuspended(job) {
		return Readiness{State: StateWaiting, Message: fmt.Sprintf("Job %s is suspended: set its spec.suspend to false", job.Name)}
	}
	return s.appendPodProblem(job, Readiness{State: StateWaiting, Message: fmt.Sprintf("Job %s is running", job.Name)})
}

// appendPodProblem appends to the message what keeps a pod of the controller from running.
func (s *Snapshot) appendPodProblem(controller client.Object, found Readiness) Readiness {
	if found.Cause = s.FirstPodProblem(controller); found.Cause != "" {
		found.Message += "; " + found.Cause
	}
	return found
}

// RecreateAt returns when a Job is to be deleted and recreated. It returns false for a Job that is running,
// complete, being deleted, or failed by an error of its own.
func (s *Snapshot) RecreateAt(object client.Object) (time.Time, bool) {
	job, ok := object.(*batchv1.Job)
	if !ok || job.DeletionTimestamp != nil {
		return time.Time{}, false
	}
	failed := jobCondition(job, batchv1.JobFailed)
	if failed == nil || !s.failedOnlyByWaiting(job, failed) {
		return time.Time{}, false
	}
	return failed.LastTransitionTime.Add(jobRecreationDelay), true
}

// failedOnlyByWaiting reports whether no pod of a failed Job had an error of its own: pods had no node, image
// or server in time. If no failed pod is left to show the reason, the failure is final.
func (s *Snapshot) failedOnlyByWaiting(job *batchv1.Job, failed *batchv1.JobCondition) bool {
	if failed.Reason == batchv1.JobReasonDeadlineExceeded {
		return true // Of the Jobs that are recreated, only those of earlier versions have such a deadline.
	}
	waited := false
	for _, pod := range s.podsByController[job.UID] {
		if pod.Status.Phase != corev1.PodFailed {
			continue
		}
		if !podOnlyWaited(pod) {
			return false
		}
		waited = true
	}
	return waited
}

// podOnlyWaited reports whether a failed pod only waited. It was disrupted, its deadline passed before a
// container failed, or a container's exit code is ExitNotAvailable.
func podOnlyWaited(pod *corev1.Pod) bool {
	if disruptionReason(pod) != "" {
		return true
	}
	waited := pod.Status.Reason == batchv1.JobReasonDeadlineExceeded
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		t := c.State.Terminated
		switch {
		case t == nil, t.ExitCode == 0, t.Reason == statusUnknown:
		case t.ExitCode == ExitNotAvailable:
			waited = true
		default:
			return false
		}
	}
	return waited
}

// IsSuspended reports whether the Job controller has suspended the Job. The cache does not hold the field.
func IsSuspended(job *batchv1.Job) bool { return jobCondition(job, batchv1.JobSuspended) != nil }

// jobCondition returns the condition of that type if it is true, and nil otherwise.
func jobCondition(job *batchv1.Job, kind batchv1.JobConditionType) *batchv1.JobCondition {
	for i, c := range job.Status.Conditions {
		if c.Type == kind && c.Status == corev1.ConditionTrue {
			return &job.Status.Conditions[i]
		}
	}
	return nil
}
