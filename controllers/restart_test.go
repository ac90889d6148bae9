package controllers_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// TestRestartOfTheOperatorWritesNothing starts another operator, with a cache and a memory of its own, when a network is ready. It
// compares what exists by dry runs, of which one is sent for each StatefulSet.
func TestRestartOfTheOperatorWritesNothing(t *testing.T) {
	w := newTestEnv(t)
	t.Run("first operator", func(t *testing.T) {
		w.t = t // The first operator ends with this subtest.
		counted := w.startManager()
		w.createReadyNetwork("validators")
		w.waitUntilQuiet(counted)
	})
	w.t = t
	before := w.resourceVersionsOfOwned()
	counts, _ := w.waitUntilQuiet(w.startManager())
	sets := len(w.statefulSetNames())
	for what, n := range counts {
		isDryRun := strings.HasPrefix(what, "PATCH statefulsets") && n == sets
		if !isDryRun && !strings.HasPrefix(what, "GET ") {
			t.Errorf("the second operator sent %d %s for %d StatefulSets", n, what, sets)
		}
	}
	if after := w.resourceVersionsOfOwned(); !maps.Equal(after, before) {
		t.Errorf("objects have versions %v after the restart, before %v", after, before)
	}
}

// resourceVersionsOfOwned returns the resource versions of all objects in the namespace, by kind and name.
func (w *testEnv) resourceVersionsOfOwned() map[string]string {
	all := map[string]string{}
	for _, o := range w.listOwnedObjects() {
		all[fmt.Sprintf("%T %s", o, o.GetName())] = o.GetResourceVersion()
	}
	return all
}
