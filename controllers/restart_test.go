package controllers_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestRestartOfTheOperatorWritesNothing starts another operator, with a cache and a memory of its own, when a network is ready. It
// compares what exists by dry runs, of which one is sent for each StatefulSet.
func TestRestartOfTheOperatorWritesNothing(t *testing.T) {
	for name, start := range map[string]func(*testEnv){
		"validators": func(w *testEnv) { w.createReadyNetwork("validators") },
		"a user's database, during a run": func(w *testEnv) {
			must(w.t, w.client.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: w.objectMeta("mine"), BinaryData: map[string][]byte{"mine.tgz": packChart(w.t, databaseChart)}}))
			must(w.t, w.createFromYAML(strings.Replace(cordaNetwork, "topology: Shared", "topology: Shared, provider: Chart, chart: {configMapName: mine, key: mine.tgz}", 1), &v1alpha1.BenchmarkNetwork{}))
			w.waitFor("a run starts", func() bool {
				w.simulateCluster()
				return w.firstOwned("Job", v1alpha1.LabelRun, "banks-issue") != nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnv(t)
			t.Run("first operator", func(t *testing.T) {
				w.t = t // The first operator ends with this subtest.
				counted := w.startManager()
				start(w)
				w.waitUntilQuiet(counted)
			})
			w.t = t
			before := w.resourceVersionsOfOwned()
			counts, _ := w.waitUntilQuiet(w.startManager())
			sets := len(w.statefulSetNames())
			for what, n := range counts {
				isDryRun := what == "PATCH statefulsets" && n == sets
				if !isDryRun && !strings.HasPrefix(what, "GET ") {
					t.Errorf("the second operator sent %d %s for %d StatefulSets", n, what, sets)
				}
			}
			if after := w.resourceVersionsOfOwned(); !maps.Equal(after, before) {
				t.Errorf("objects have versions %v after the restart, before %v", after, before)
			}
		})
	}
}

// resourceVersionsOfOwned returns the resource versions of the objects that the operator created, by kind and name.
func (w *testEnv) resourceVersionsOfOwned() map[string]string {
	all := map[string]string{}
	for _, o := range w.listOwnedObjects() {
		all[fmt.Sprintf("%T %s", o, o.GetName())] = o.GetResourceVersion()
	}
	return all
}
