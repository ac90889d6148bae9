package snapshot

import (
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// TestFailedJobs distinguishes Jobs that failed only by waiting, which are created again, from those that failed by an error.
func TestFailedJobs(t *testing.T) {
	exited := func(code int32, reason string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: "c", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}}}
	}
	waiting := corev1.ContainerStatus{Name: "c", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}
	pod := func(reason string, init ...corev1.ContainerStatus) corev1.PodStatus {
		return corev1.PodStatus{Phase: corev1.PodFailed, Reason: reason, InitContainerStatuses: init}
	}
	disrupted := pod("", exited(137, "Error"))
	disrupted.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}}
	const limit, deadline = batchv1.JobReasonBackoffLimitExceeded, batchv1.JobReasonDeadlineExceeded
	for name, test := range map[string]struct {
		reason string
		pods   []corev1.PodStatus
		waited bool
	}{
		"deadline of the Job":                         {deadline, nil, true},
		"the server never answered":                   {limit, []corev1.PodStatus{pod("", exited(ExitNotAvailable, "Error"))}, true},
		"the image never existed":                     {limit, []corev1.PodStatus{pod(deadline, exited(0, "Completed"), waiting)}, true},
		"the kubelet lost a container that never ran": {limit, []corev1.PodStatus{pod(deadline, exited(137, statusUnknown))}, true},
		"evicted":                               {limit, []corev1.PodStatus{disrupted}, true},
		"a step hung until the deadline":        {limit, []corev1.PodStatus{pod(deadline, exited(137, "Error"))}, false},
		"a step failed":                         {limit, []corev1.PodStatus{pod("", exited(1, "Error"))}, false},
		"waited, then failed":                   {limit, []corev1.PodStatus{pod("", exited(ExitNotAvailable, "Error")), pod("", exited(1, "Error"))}, false},
		"no pod remains to explain the failure": {limit, nil, false},
		"bad input, by the pod failure policy":  {batchv1.JobReasonPodFailurePolicy, []corev1.PodStatus{pod("", exited(3, "Error"))}, false},
	} {
		t.Run(name, func(t *testing.T) {
			at := time.Unix(1000, 0)
			job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "set-up", UID: "job"}, Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{
				{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: test.reason, LastTransitionTime: metav1.NewTime(at)}}}}
			var pods []corev1.Pod
			for _, status := range test.pods {
				pods = append(pods, corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p",
					OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))}}, Status: status})
			}
			for i := range pods {
				kinds.Trim(&pods[i])
			}
			s := New(scheme.Scheme, []client.Object{job}, pods)
			again, recreated := s.RecreateAt(job)
			if recreated != test.waited || recreated && again != at.Add(jobRecreationDelay) {
				t.Errorf("recreated: %v at %v, want %v", recreated, again, test.waited)
			}
			want := StateFailed
			if test.waited {
				want = StateWaiting
			}
			if got := s.Readiness(job); got.State != want || !strings.Contains(got.Message, "set-up") {
				t.Errorf("the Job is %+v, want state %d with its name", got, want)
			}
			if got := s.JobOutcome(job); got.State != StateFailed {
				t.Errorf("a Job that is never recreated is %+v, want a failure for every cause", got)
			}
		})
	}
}

// TestSuspendedJob has a Job that another client suspended. What it waits for must say so.
func TestSuspendedJob(t *testing.T) {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "set-up"}, Status: batchv1.JobStatus{
		Conditions: []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: corev1.ConditionTrue}}}}
	got := New(scheme.Scheme, []client.Object{job}, nil).Readiness(job)
	if want := "Job set-up is suspended: set its spec.suspend to false"; got.State != StateWaiting || got.Message != want {
		t.Errorf("the Job is %+v, want %q", got, want)
	}
}
