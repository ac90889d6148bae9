package controllers_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
)

// failJob simulates the kubelet and the Job controller when the last try of a Job ends with an exit code.
func (w *testEnv) failJob(name string, code int32) {
	w.t.Helper()
	job := &batchv1.Job{}
	w.mustGet(name, job)
	pod := &corev1.Pod{ObjectMeta: w.objectMeta(name + "-x"), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "c"}}}}
	pod.Labels = job.Labels
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))}
	must(w.t, w.client.Create(w.ctx, pod))
	pod.Status.Phase = corev1.PodFailed
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: "Error", Message: "its last words"}}}}
	must(w.t, w.client.Status().Update(w.ctx, pod))
	w.setJobFailed(name, batchv1.JobReasonBackoffLimitExceeded, "Job has reached the specified backoff limit")
}

// setJobFailed marks a Job as failed, as the Job controller does.
func (w *testEnv) setJobFailed(name, reason, message string) {
	w.t.Helper()
	job := &batchv1.Job{}
	w.mustGet(name, job)
	now := metav1.NewTime(w.now)
	job.Status.StartTime, job.Status.Failed = &now, 1
	for _, kind := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue,
			Reason: reason, Message: message, LastTransitionTime: now})
	}
	must(w.t, w.client.Status().Update(w.ctx, job))
}

// completeJob marks a Job as complete, as the Job controller does.
func (w *testEnv) completeJob(name string) {
	w.t.Helper()
	job := &batchv1.Job{}
	w.mustGet(name, job)
	now := metav1.NewTime(w.now)
	job.Status.StartTime, job.Status.CompletionTime, job.Status.Succeeded = &now, &now, 1
	job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobSuccessCriteriaMet, Status: corev1.ConditionTrue},
		{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	must(w.t, w.client.Status().Update(w.ctx, job))
}

// jobUID returns the UID of a Job, or "" if there is none.
func (w *testEnv) jobUID(name string) types.UID {
	w.t.Helper()
	job := &batchv1.Job{}
	if w.isGone(name, job) {
		return ""
	}
	return job.UID
}

// TestJobsThatFail covers genesis and the setup of the schemas. A Job that failed only by waiting is created
// again. A Job that failed by an error stays, with its termination message in the status.
func TestJobsThatFail(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.reconcileNetwork("banks")
	w.markStatefulSetsReady()
	w.reconcileNetwork("banks")
	for _, name := range []string{naming.GenesisJob("banks"), w.databaseJobNames("setup")[0]} {
		t.Run(name, func(t *testing.T) {
			first := w.jobUID(name)
			w.failJob(name, snapshot.ExitNotAvailable)
			again := w.reconcileNetwork("banks").RequeueAfter
			if again <= 0 || again > time.Minute || w.jobUID(name) != first {
				t.Fatalf("the failed Job should still exist, but the network is requeued after %s and the Job is %q", again, w.jobUID(name))
			}
			if !slices.ContainsFunc(w.getNetwork("banks").Status.Stages, func(s v1alpha1.StageStatus) bool {
				return s.State == "InProgress" && strings.Contains(s.Message, name) && strings.Contains(s.Message, "is recreated")
			}) {
				t.Errorf("a stage should report that the Job is recreated: %+v", w.getNetwork("banks").Status.Stages)
			}
			w.now = w.now.Add(again)
			w.reconcileNetwork("banks")
			w.reconcileNetwork("banks")
			second := w.jobUID(name)
			if second == "" || second == first {
				t.Fatalf("the Job should be recreated, but it is %q, before %q", second, first)
			}
			must(t, w.client.Delete(w.ctx, &corev1.Pod{ObjectMeta: w.objectMeta(name + "-x")}, client.GracePeriodSeconds(0)))
			w.failJob(name, 1)
			w.now = w.now.Add(time.Hour)
			w.reconcileNetwork("banks")
			c := w.networkReady()
			if w.jobUID(name) != second || c.Reason != v1alpha1.ReasonStageFailed || !strings.Contains(c.Message, name) || !strings.Contains(c.Message, "its last words") {
				t.Errorf("a Job that failed by an error should remain, and Ready should have the reason: %+v", c)
			}
			must(t, w.client.Delete(w.ctx, &batchv1.Job{ObjectMeta: w.objectMeta(name)}, client.PropagationPolicy(metav1.DeletePropagationBackground)))
			must(t, w.client.Delete(w.ctx, &corev1.Pod{ObjectMeta: w.objectMeta(name + "-x")}, client.GracePeriodSeconds(0)))
			w.reconcileNetwork("banks")
			if third := w.jobUID(name); third == "" || third == second {
				t.Errorf("deleted by hand, the Job should be recreated, but it is %q", third)
			}
		})
	}
}

// TestFailedTeardownIsReported: a network that cannot be deleted reports the failed Job and the remedy, in a
// condition and in one event.
func TestFailedTeardownIsReported(t *testing.T) {
	w := newTestEnv(t)
	w.createAdminSecret(databaseAdminLabels)
	must(t, w.createFromYAML(externalDatabaseNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	must(t, w.client.Delete(w.ctx, w.getNetwork("banks")))
	w.reconcileNetwork("banks")
	w.reconcileNetwork("banks")
	job := w.databaseJobNames("teardown")[0]
	if c := w.networkReady(); c.Reason != v1alpha1.ReasonTearingDown || !strings.Contains(c.Message, job) {
		t.Errorf("Ready should name the Job that it waits for: %+v", c)
	}
	w.failJob(job, 2)
	reconciler, recorder := w.networkReconciler(), events.NewFakeRecorder(10)
	reconciler.Recorder = recorder
	for range 3 {
		_, err := reconciler.Reconcile(w.ctx, w.requestFor("banks"))
		must(t, err)
	}
	c := w.networkReady()
	stalled := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionStalled)
	if c.Reason != v1alpha1.ReasonTeardownFailed || stalled == nil {
		t.Fatalf("Ready and Stalled should say that the teardown failed: %+v, %+v", c, stalled)
	}
	for _, part := range []string{job, "its last words", "delete the Job", "benchnet.dev/teardown"} {
		if !strings.Contains(c.Message, part) {
			t.Errorf("Ready should say %q: %s", part, c.Message)
		}
	}
	close(recorder.Events)
	var warnings []string
	for e := range recorder.Events {
		if strings.HasPrefix(e, corev1.EventTypeWarning) {
			warnings = append(warnings, e)
		}
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], v1alpha1.ReasonTeardownFailed) {
		t.Errorf("there should be one warning, but there are %q", warnings)
	}
	must(t, w.client.Delete(w.ctx, &batchv1.Job{ObjectMeta: w.objectMeta(job)}, client.PropagationPolicy(metav1.DeletePropagationBackground)))
	w.reconcileNetwork("banks")
	if got := w.databaseJobNames("teardown"); !slices.Equal(got, []string{job}) {
		t.Fatalf("deleted by hand, the Job should be recreated, but there are %v", got)
	}
	w.completeJobs()
	w.reconcileNetwork("banks")
	if !w.isGone("banks", &v1alpha1.BenchmarkNetwork{}) {
		t.Error("the network should be deleted after its schemas")
	}
}

// TestExpiryIgnoresStaleCache: a network that changed since it was read is not deleted by its old time to live.
func TestExpiryIgnoresStaleCache(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(strings.Replace(cordaNetwork, "spec:", "spec:\n  ttlSecondsAfterFinished: 60", 1), &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	for _, run := range []string{"banks-issue", "banks-pay"} {
		w.markRunComplete(run)
		w.reconcileNetwork("banks")
	}
	w.reconcileNetwork("banks")
	stale := w.getNetwork("banks")
	must(t, w.client.Patch(w.ctx, w.getNetwork("banks"), client.RawPatch(types.MergePatchType, []byte(`{"spec": {"ttlSecondsAfterFinished": 3600}}`))))
	w.now = w.now.Add(2 * time.Minute)
	reconciler := w.networkReconciler()
	reconciler.Client = staleReader{Client: w.operatorClient, stale: stale}
	_, err := reconciler.Reconcile(w.ctx, w.requestFor("banks"))
	must(t, err)
	if w.isGone("banks", &v1alpha1.BenchmarkNetwork{}) {
		t.Error("the network has an hour left and must not be deleted because of a stale copy")
	}
}

// staleReader returns an outdated version of one network, as a lagging cache does.
type staleReader struct {
	client.Client
	stale *v1alpha1.BenchmarkNetwork
}

func (r staleReader) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	if network, ok := into.(*v1alpha1.BenchmarkNetwork); ok {
		r.stale.DeepCopyInto(network)
		return nil
	}
	return r.Client.Get(ctx, key, into, opts...)
}
