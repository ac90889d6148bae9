package controllers_test

import (
	"reflect"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// removeObject deletes an object with its pods.
func (w *testEnv) removeObject(object client.Object) {
	w.t.Helper()
	must(w.t, w.client.Delete(w.ctx, object, client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

// mergePatch patches an object.
func (w *testEnv) mergePatch(object client.Object, patch string) {
	w.t.Helper()
	must(w.t, w.client.Patch(w.ctx, object, client.RawPatch(types.MergePatchType, []byte(patch))))
}

// TestReleasedRunWithoutItsObjects deletes or changes each object of a run after the release. The run must not be Valid
// with a second release, other workers or an unknown history, and what is harmless must not change the verdict.
func TestReleasedRunWithoutItsObjects(t *testing.T) {
	configMap := func(w *testEnv, name string) client.Object { return &corev1.ConfigMap{ObjectMeta: w.objectMeta(name)} }
	barrier := func(w *testEnv) client.Object { return configMap(w, naming.BarrierConfigMap("extra")) }
	for name, c := range map[string]struct {
		disturb func(*testEnv)
		// verdict is empty for a run that fails without a result.
		verdict v1alpha1.Verdict
		reason  verdict.ReasonCode
		message string
	}{
		"nothing":        {func(*testEnv) {}, v1alpha1.VerdictValid, "", ""},
		"barrier":        {func(w *testEnv) { w.removeObject(barrier(w)) }, v1alpha1.VerdictInvalid, verdict.ReasonBarrierLost, "extra-barrier was deleted"},
		"barrier's data": {func(w *testEnv) { w.mergePatch(barrier(w), `{"data": null}`) }, v1alpha1.VerdictInvalid, verdict.ReasonBarrierLost, "was changed"},
		"barrier's baseline": {func(w *testEnv) { w.mergePatch(barrier(w), `{"data": {"baseline.json": "[]"}}`) },
			v1alpha1.VerdictInvalid, verdict.ReasonBarrierLost, "was changed"},
		"barrier's start": {func(w *testEnv) { w.mergePatch(barrier(w), `{"data": {"start": "2020-01-01T00:00:00Z"}}`) },
			v1alpha1.VerdictInvalid, verdict.ReasonBarrierLost, "was changed"},
		"barrier is made again by somebody": {func(w *testEnv) {
			w.removeObject(barrier(w))
			must(w.t, w.client.Create(w.ctx, barrier(w)))
		}, v1alpha1.VerdictInvalid, verdict.ReasonBarrierLost, "was deleted"},
		"workload":     {func(w *testEnv) { w.removeObject(configMap(w, naming.WorkloadConfigMap("extra"))) }, v1alpha1.VerdictValid, "", ""},
		"Role":         {func(w *testEnv) { w.removeObject(w.ownedByRun(&rbacv1.Role{})) }, v1alpha1.VerdictValid, "", ""},
		"RoleBinding":  {func(w *testEnv) { w.removeObject(w.ownedByRun(&rbacv1.RoleBinding{})) }, v1alpha1.VerdictValid, "", ""},
		"account":      {func(w *testEnv) { w.removeObject(w.ownedByRun(&corev1.ServiceAccount{})) }, v1alpha1.VerdictValid, "", ""},
		"workers' Job": {func(w *testEnv) { w.removeObject(&batchv1.Job{ObjectMeta: w.objectMeta(naming.WorkerJob("extra"))}) }, "", "", "Job extra of the workers was deleted"},
		"workers' Job changed": {func(w *testEnv) {
			w.mergePatch(&batchv1.Job{ObjectMeta: w.objectMeta(naming.WorkerJob("extra"))}, `{"spec": {"parallelism": 1}}`)
		}, v1alpha1.VerdictInvalid, verdict.ReasonWorkersChanged, "its parallelism"},
		"workers' Job labelled": {func(w *testEnv) {
			w.mergePatch(&batchv1.Job{ObjectMeta: w.objectMeta(naming.WorkerJob("extra"))}, `{"metadata": {"labels": {"app.kubernetes.io/component": "x"}}}`)
		}, v1alpha1.VerdictValid, "", ""},
		"network":         {func(w *testEnv) { w.replaceNetworkObject("banks", true) }, v1alpha1.VerdictInvalid, verdict.ReasonNetworkReplaced, "deleted and created again"},
		"network, seen":   {func(w *testEnv) { w.replaceNetworkObject("banks", true, "extra") }, v1alpha1.VerdictInvalid, verdict.ReasonNetworkReplaced, "deleted and created again"},
		"network forever": {func(w *testEnv) { w.replaceNetworkObject("banks", false, "extra") }, "", "", "BenchmarkNetwork banks was deleted"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnvWithReadyRun(t)
			w.reconcileRun("extra")
			released, uid := w.barrierData()[protocol.StartKey], w.getNetwork("banks").UID
			c.disturb(w)
			w.reconcileRun("extra")
			w.reconcileRun("extra")
			var live corev1.ConfigMap
			if err := w.client.Get(w.ctx, client.ObjectKeyFromObject(barrier(w)), &live); err == nil && !strings.Contains(name, "barrier") &&
				live.Data[protocol.StartKey] != released {
				t.Errorf("the barrier has the start %q instead of %q", live.Data[protocol.StartKey], released)
			} else if name == "barrier" && err == nil {
				t.Error("the deleted barrier was created again")
			}
			if name != "workers' Job" {
				for worker := range int32(2) {
					w.reportResult(w.getRun("extra"), worker, 100, 20_000)
				}
			}
			w.reconcileRun("extra")
			w.reconcileRun("extra")
			run := w.getRun("extra")
			if run.Status.Verdict != c.verdict || !run.IsComplete() {
				t.Fatalf("verdict %q with %+v, want %q", run.Status.Verdict, run.Status.Conditions, c.verdict)
			}
			if c.reason != "" && (run.Status.Reasons[0].Reason != string(c.reason) || run.Status.Reasons[0].Severity != v1alpha1.SeverityInvalid) {
				t.Errorf("reasons %+v, want %s first", run.Status.Reasons, c.reason)
			}
			w.wantMessage(run, c.message)
			if run.Status.Release == nil || run.Status.Release.NetworkUID != uid {
				t.Errorf("release %+v should have the UID %s", run.Status.Release, uid)
			}
		})
	}
}

// ownedByRun returns the object of that kind that the run controls.
func (w *testEnv) ownedByRun(kind client.Object) client.Object {
	w.t.Helper()
	for _, o := range w.listOwnedObjects() {
		if o.GetLabels()[v1alpha1.LabelRun] == "extra" && reflect.TypeOf(o) == reflect.TypeOf(kind) {
			return o
		}
	}
	w.t.Fatalf("the run has no %T", kind)
	return nil
}

func (w *testEnv) wantMessage(run *v1alpha1.BenchmarkRun, part string) {
	w.t.Helper()
	for _, c := range run.Status.Conditions {
		if c.Type == v1alpha1.ConditionComplete && !strings.Contains(c.Message, part) {
			w.t.Errorf("message %q, want %q", c.Message, part)
		}
	}
}

// replaceNetworkObject deletes a network and orphans its objects, and creates it again under the same name if again is
// set. It reconciles the runs in between.
func (w *testEnv) replaceNetworkObject(name string, again bool, runs ...string) {
	w.t.Helper()
	old := w.getNetwork(name)
	w.mergePatch(old, `{"metadata": {"finalizers": null}}`)
	must(w.t, w.client.Delete(w.ctx, old, client.PropagationPolicy(metav1.DeletePropagationOrphan)))
	w.mergePatch(&v1alpha1.BenchmarkNetwork{ObjectMeta: w.objectMeta(name)}, `{"metadata": {"finalizers": null}}`)
	for _, run := range runs {
		w.reconcileRun(run)
	}
	if again {
		created := &v1alpha1.BenchmarkNetwork{ObjectMeta: w.objectMeta(name), Spec: old.Spec}
		must(w.t, w.client.Create(w.ctx, created))
		created.Status = old.Status
		must(w.t, w.client.Status().Update(w.ctx, created))
	}
}

// TestReleaseSurvivesDeath crashes the operator before each write of the pass that releases the workers.
func TestReleaseSurvivesDeath(t *testing.T) {
	for at := int64(1); at <= 3; at++ {
		w := newTestEnvWithReadyRun(t)
		w.writeCount.Store(0)
		w.failAtWrite = at
		_, _ = w.runReconciler().Reconcile(w.ctx, w.requestFor("extra"))
		w.failAtWrite = 0
		w.reconcileRun("extra")
		for worker := range int32(2) {
			w.reportResult(w.getRun("extra"), worker, 100, 20_000)
		}
		w.reconcileRun("extra")
		w.reconcileRun("extra")
		if run := w.getRun("extra"); run.Status.Verdict != v1alpha1.VerdictValid {
			t.Errorf("after a death before write %d: verdict %q: %+v", at, run.Status.Verdict, run.Status.Reasons)
		}
	}
}
