package controllers_test

import (
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

func (w *testEnv) cancelRun(name string) {
	w.t.Helper()
	must(w.t, w.patchRun(name, `{"spec": {"cancelled": true}}`))
}

func (w *testEnv) patchRun(name, patch string) error {
	w.t.Helper()
	return w.client.Patch(w.ctx, w.getRun(name), client.RawPatch(types.MergePatchType, []byte(patch)))
}

// TestCancelMeasuringRun cancels a run under load: its workers stop, then the next run starts.
func TestCancelMeasuringRun(t *testing.T) {
	w := newTestEnvWithReadyRun(t)
	w.reconcileRun("extra")
	cm := &corev1.ConfigMap{}
	w.mustGet(naming.WorkerReport("extra", 0), cm)
	cm.Data = map[string]string{protocol.ProgressKey: `{"phase":"Window","completed":40,"elapsedSeconds":5,"throughput":16}`}
	must(t, w.client.Update(w.ctx, cm))
	must(t, w.createFromYAML(strings.Replace(twoWorkerRun, "name: extra}", "name: later}", 1), &v1alpha1.BenchmarkRun{}))
	w.cancelRun("extra")
	w.reconcileRun("extra")
	job := &batchv1.Job{}
	w.mustGet("extra", job)
	if job.Spec.Suspend == nil || !*job.Spec.Suspend {
		t.Error("the Job of the workers should be suspended")
	}
	w.wantReason("extra", v1alpha1.ReasonCancelled, "2 workers are being stopped")
	w.reconcileNetwork("banks")
	w.reconcileRun("later")
	w.wantReason("later", v1alpha1.ReasonWaitingForTurn, "extra runs first")

	for _, pod := range []string{"extra-0", "extra-1"} { // The Job controller deletes the pods of a suspended Job.
		must(t, w.client.Delete(w.ctx, &corev1.Pod{ObjectMeta: w.objectMeta(pod)}, client.GracePeriodSeconds(0)))
	}
	w.now = w.now.Add(8 * time.Second)
	w.reconcileRun("extra")
	w.wantReason("extra", v1alpha1.ReasonCancelled, "cancelled by spec.cancelled")
	if s := w.getRun("extra").Status; s.Phase != "Cancelled" || *s.ThroughputMilliPerSecond != 16_000 || s.Verdict != "" || s.Result != nil || s.CompletionTime == nil {
		t.Errorf("the run should have ended and kept its live numbers: %+v", s)
	}
	w.mustGet(naming.WorkerReport("extra", 0), cm)
	w.reconcileNetwork("banks")
	w.reconcileRun("later")
	w.mustGet("later", job)
}

// TestCancelWithRealJobController checks that Kubernetes stops the workers of a suspended Job.
func TestCancelWithRealJobController(t *testing.T) {
	w := newTestEnvWithRun(t, twoWorkerRun)
	w.startControllers("job-controller")
	w.reconcileRun("extra")
	pods := func() []corev1.Pod {
		var list corev1.PodList
		must(t, w.client.List(w.ctx, &list, client.InNamespace(w.namespace), client.MatchingLabels{v1alpha1.LabelRun: "extra"}))
		return list.Items
	}
	w.waitFor("there are two workers", func() bool { return len(pods()) == 2 })
	for _, pod := range pods() {
		before := pod.DeepCopy()
		pod.Status.Phase = corev1.PodRunning
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		must(t, w.client.Status().Patch(w.ctx, &pod, client.MergeFrom(before)))
	}
	w.waitFor("the run is released", func() bool {
		w.reconcileRun("extra")
		return w.getRun("extra").Status.StartTime != nil
	})
	w.cancelRun("extra")
	w.waitFor("the run ends", func() bool {
		w.reconcileRun("extra")
		return w.getRun("extra").Status.Phase == "Cancelled"
	})
	if left := pods(); len(left) != 0 {
		t.Errorf("%d workers are left", len(left))
	}
}

func TestCancelWaitingRun(t *testing.T) {
	w := newTestEnvWithReadyRun(t)
	must(t, w.createFromYAML(strings.Replace(twoWorkerRun, "name: extra}", "name: later}", 1), &v1alpha1.BenchmarkRun{}))
	w.reconcileRun("later")
	w.cancelRun("later")
	w.reconcileRun("later")
	w.wantReason("later", v1alpha1.ReasonCancelled, "cancelled by spec.cancelled")
	if err := w.patchRun("later", `{"spec": {"cancelled": false}}`); err == nil || !strings.Contains(err.Error(), "spec.cancelled must stay true") {
		t.Errorf("the cancellation should be final, but: %v", err)
	}
	w.reconcileRun("extra")
	w.wantReason("extra", v1alpha1.ReasonMeasuring, "")
}

// TestCompleteRunIsNotCancelled also changes the time to live of a complete run.
func TestCompleteRunIsNotCancelled(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	w.completeTwoWorkerRun()
	w.cancelRun("extra")
	w.reconcileRun("extra")
	run := w.getRun("extra")
	if s := run.Status; s.Phase != "Complete" || s.Verdict != v1alpha1.VerdictValid || s.ObservedGeneration != run.Generation {
		t.Errorf("a complete run should only acknowledge its generation %d: %+v", run.Generation, s)
	}
	must(t, w.patchRun("extra", `{"spec": {"ttlSecondsAfterFinished": 60}}`))
	w.reconcileRun("extra")
	if w.isGone("extra", &v1alpha1.BenchmarkRun{}) {
		t.Error("the run should exist until its time to live is over")
	}
	w.now = w.now.Add(2 * time.Minute)
	w.reconcileRun("extra")
	if !w.isGone("extra", &v1alpha1.BenchmarkRun{}) {
		t.Error("the run should be deleted when its time to live is over")
	}
}
