package controllers_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// TestForgedRunOfExperiment creates a run with the name, labels and owner of an experiment's first run before the experiment
// does. The experiment must use it only if it measures what was planned.
func TestForgedRunOfExperiment(t *testing.T) {
	for name, c := range map[string]struct {
		forge func(*v1alpha1.BenchmarkRunSpec)
		field string
	}{
		"planned":         {func(*v1alpha1.BenchmarkRunSpec) {}, ""},
		"another window":  {func(s *v1alpha1.BenchmarkRunSpec) { s.Workload.Measure.Window.Duration = time.Second }, "spec.workload.measure.window"},
		"another network": {func(s *v1alpha1.BenchmarkRunSpec) { s.NetworkName = "other" }, "spec.networkName"},
		"no limit":        {func(s *v1alpha1.BenchmarkRunSpec) { s.StartTimeout = nil }, "spec.startTimeout"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnvWithExperiment(t, gridExperiment)
			grid := w.getExperiment("grid")
			design, err := experiment.NewDesign(grid)
			must(t, err)
			run := design.BuildFirstRun(grid, 0)
			c.forge(&run.Spec)
			run.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(grid, v1alpha1.GroupVersion.WithKind("BenchmarkExperiment"))}
			must(t, w.client.Create(w.ctx, run))
			for range 2 {
				_, err = w.experimentReconciler().Reconcile(w.ctx, w.requestFor("grid"))
			}
			ready := meta.FindStatusCondition(w.getExperiment("grid").Status.Conditions, v1alpha1.ConditionReady)
			if c.field == "" {
				must(t, err)
				return
			}
			if err == nil || ready.Reason != v1alpha1.ReasonProblem {
				t.Fatalf("the forged run is used: error %v, Ready %+v", err, ready)
			}
			for _, part := range []string{"BenchmarkRun grid-p01-r1", c.field, "delete it"} {
				if !strings.Contains(ready.Message, part) {
					t.Errorf("Ready should say %q: %s", part, ready.Message)
				}
			}
			w.removeObject(run)
			w.reconcileUntilComplete("grid")
		})
	}
}
