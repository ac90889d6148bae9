package status

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
)

// TestTeardownKeepsWhatWasPlanned checks that a spec that was changed before its deletion, and never planned, does not get the hash of the
// plan before it.
func TestTeardownKeepsWhatWasPlanned(t *testing.T) {
	for name, test := range map[string]struct {
		generation int64 // The plan is that of generation 2, and the deletion increases the generation.
		planned    bool
	}{"deleted": {3, true}, "changed, then deleted": {4, false}} {
		t.Run(name, func(t *testing.T) {
			network := &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Generation: test.generation, DeletionTimestamp: &metav1.Time{}},
				Status: v1alpha1.BenchmarkNetworkStatus{ObservedGeneration: 2, PlanHash: "hash"}}
			for range 2 {
				network.Status = ComputeTeardown(network, snapshot.Readiness{State: snapshot.StateWaiting}, "f", testTime)
			}
			if got := network.HasPlan("hash"); got != test.planned {
				t.Errorf("has the plan: %t, want %t", got, test.planned)
			}
		})
	}
}
