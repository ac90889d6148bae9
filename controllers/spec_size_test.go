package controllers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
)

const manyFinalizers = 3000

// addManyFinalizers adds finalizers to an object, until the cache omits its spec.
func (w *testEnv) addManyFinalizers(object client.Object) {
	w.t.Helper()
	before := object.DeepCopyObject().(client.Object)
	for i := range manyFinalizers {
		object.SetFinalizers(append(object.GetFinalizers(), fmt.Sprintf("a%060d.a%060d.example.com/a%060d", i, i, i)))
	}
	must(w.t, w.client.Patch(w.ctx, object, client.MergeFrom(before)))
}

// wantSpecFits checks that the cache keeps a spec of the largest size that the CRD accepts without free JSON.
func (w *testEnv) wantSpecFits(object client.Object, spec any) {
	w.t.Helper()
	w.t.Logf("the spec of %T takes %d KiB", object, kinds.Size(spec)>>10)
	if size := kinds.Size(spec); size > kinds.MaxSpecBytes {
		w.t.Errorf("the spec of %T takes %d bytes, more than %d", object, size, kinds.MaxSpecBytes)
	}
}

// wantSpecRefused checks that the cache omits the spec of an object, and that its conditions say so.
func (w *testEnv) wantSpecRefused(object client.Object, conditions []metav1.Condition) {
	w.t.Helper()
	must(w.t, w.operatorClient.Get(w.ctx, client.ObjectKeyFromObject(object), object))
	if kinds.OmittedSpecBytes(object) == 0 || kinds.Size(object) > 32<<10 {
		w.t.Errorf("the cache keeps %d bytes of %T", kinds.Size(object), object)
	}
	stalled := meta.FindStatusCondition(conditions, v1alpha1.ConditionStalled)
	if stalled == nil || stalled.Reason != v1alpha1.ReasonInvalidSpec || !strings.Contains(stalled.Message, "at most 432 KiB") {
		w.t.Errorf("Stalled is %+v", stalled)
	}
}

// TestLargeSpecIsRefused creates objects whose specs or finalizers exceed the bound of the cache. Each is refused with the size, and
// begins or ends when it is made smaller or deleted.
func TestLargeSpecIsRefused(t *testing.T) {
	text := strings.Repeat("x", 500<<10)
	t.Run("network", func(t *testing.T) {
		w := newTestEnv(t)
		chart := `topology: Shared, provider: Chart, chart: {configMapName: c, values: {text: "` + text + `"}}`
		must(t, w.createFromYAML(strings.Replace(validCordaNetwork, "topology: Shared", chart, 1), &v1alpha1.BenchmarkNetwork{}))
		w.reconcileNetwork("banks")
		w.wantSpecRefused(&v1alpha1.BenchmarkNetwork{ObjectMeta: w.objectMeta("banks")}, w.getNetwork("banks").Status.Conditions)
		must(t, w.createFromYAML(twoWorkerRun, &v1alpha1.BenchmarkRun{}))
		w.reconcileRun("extra")
		w.wantMessage(w.getRun("extra"), "at most 432 KiB")
		if w.getRun("extra").IsComplete() {
			t.Error("a run must wait for a network that may become smaller")
		}
		must(t, w.client.Delete(w.ctx, w.getNetwork("banks")))
		if !w.isGone("banks", &v1alpha1.BenchmarkNetwork{}) {
			t.Error("a refused network must not be held")
		}
	})
	t.Run("network with many finalizers", func(t *testing.T) {
		w := newTestEnv(t)
		w.createSmallNetwork("a", "count: 4", "count: 4, scheduling: {nodeSelector: {pool: metal}}")
		small := w.getNetwork("a").Finalizers
		w.addManyFinalizers(w.getNetwork("a"))
		w.reconcileNetwork("a")
		w.wantSpecRefused(&v1alpha1.BenchmarkNetwork{ObjectMeta: w.objectMeta("a")}, w.getNetwork("a").Status.Conditions)
		n := w.getNetwork("a")
		before := n.DeepCopy()
		n.Finalizers = small
		must(t, w.client.Patch(w.ctx, n, client.MergeFrom(before)))
		w.bringUp("a")
		if !meta.IsStatusConditionTrue(w.getNetwork("a").Status.Conditions, v1alpha1.ConditionReady) {
			t.Errorf("the corrected network is not ready: %+v", w.getNetwork("a").Status.Conditions)
		}
	})
	t.Run("run", func(t *testing.T) {
		w := newTestEnv(t)
		run := &v1alpha1.BenchmarkRun{}
		must(t, w.createFromYAML(twoWorkerRun, run))
		w.addManyFinalizers(run)
		w.reconcileRun("extra")
		w.wantSpecRefused(&v1alpha1.BenchmarkRun{ObjectMeta: w.objectMeta("extra")}, w.getRun("extra").Status.Conditions)
	})
	t.Run("experiment", func(t *testing.T) {
		w := newTestEnv(t)
		variant := "name: new, patch: {network: {commonLabels: {text: \"" + text + "\"}}}"
		must(t, w.createFromYAML(strings.Replace(validExperiment, "name: new", variant, 1), &v1alpha1.BenchmarkExperiment{}))
		w.reconcileExperiment("sweep")
		w.wantSpecRefused(&v1alpha1.BenchmarkExperiment{ObjectMeta: w.objectMeta("sweep")}, w.getExperiment("sweep").Status.Conditions)
		if n := len(w.listNetworks()); n > 0 {
			t.Errorf("a refused experiment created %d networks", n)
		}
	})
}

// TestNetworkUnderWayMayGrow adds finalizers to networks that have begun. The cache omits their specs, but they go on, and the
// operator removes only its own finalizers when they are deleted.
func TestNetworkUnderWayMayGrow(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(strings.Replace(cordaNetwork, "spec:\n", "spec:\n  resultRetention: Retain\n", 1), &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	w.addManyFinalizers(w.getNetwork("banks"))
	w.reconcileNetwork("banks")
	cached := &v1alpha1.BenchmarkNetwork{}
	must(t, w.operatorClient.Get(w.ctx, w.requestFor("banks").NamespacedName, cached))
	if n := w.getNetwork("banks"); kinds.OmittedSpecBytes(cached) == 0 || !meta.IsStatusConditionTrue(n.Status.Conditions, v1alpha1.ConditionReady) {
		t.Errorf("%d bytes are omitted, the conditions are %+v", kinds.OmittedSpecBytes(cached), n.Status.Conditions)
	}
	must(t, w.client.Delete(w.ctx, w.getNetwork("banks")))
	w.reconcileNetwork("banks")
	if left := w.getNetwork("banks").Finalizers; len(left) != manyFinalizers || slices.ContainsFunc(left, func(f string) bool { return strings.HasPrefix(f, "benchnet.dev/") }) {
		t.Errorf("%d finalizers are left, want the %d of others: %.200v", len(left), manyFinalizers, left)
	}
}
