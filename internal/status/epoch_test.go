package status

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/network/plan"
)

// TestNetworkEpoch: a run gets its turn only on a ready network. The times of an epoch are those of its first
// start and its first readiness.
func TestNetworkEpoch(t *testing.T) {
	earlier := metav1.NewMicroTime(testTime.Add(-time.Minute))
	waiting := ObservedStage{Name: plan.StageMembers, Provisioning: true, Readiness: snapshot.Readiness{Message: "StatefulSet x: 0 of 1 pods ready"}}
	ready := ObservedStage{Name: plan.StageMembers, Provisioning: true, Readiness: snapshot.Readiness{State: snapshot.StateReady}}
	cases := []struct {
		name      string
		before    *v1alpha1.EpochStatus
		epoch     plan.Epoch
		resetting bool
		stage     ObservedStage
		reason    string
		phase     v1alpha1.Phase
		turn      bool
		took      time.Duration
	}{
		{"made", nil, plan.Epoch{ActiveRun: "1"}, false, waiting, v1alpha1.ReasonStageNotReady, "Provisioning", false, -1},
		{"ready at first", &v1alpha1.EpochStatus{StartedAt: &earlier}, plan.Epoch{ActiveRun: "1"}, false, ready, v1alpha1.ReasonAllStagesReady, "Ready", true, time.Minute},
		{"members stop", &v1alpha1.EpochStatus{StartedAt: &earlier, ReadyAt: &earlier, Turn: "1"}, plan.Epoch{ID: "b", ActiveRun: "2"}, true, waiting,
			v1alpha1.ReasonResetting, "Resetting", false, -1},
		{"members start", &v1alpha1.EpochStatus{ID: "b", StartedAt: &earlier}, plan.Epoch{ID: "b", ActiveRun: "2"}, false, waiting,
			v1alpha1.ReasonResetting, "Resetting", false, -1},
		{"ready again", &v1alpha1.EpochStatus{ID: "b", StartedAt: &earlier}, plan.Epoch{ID: "b", ActiveRun: "2"}, false, ready,
			v1alpha1.ReasonAllStagesReady, "Ready", true, time.Minute},
		{"a member lost later", &v1alpha1.EpochStatus{ID: "b", StartedAt: &earlier, ReadyAt: &earlier}, plan.Epoch{ID: "b", ActiveRun: "2"}, false, waiting,
			v1alpha1.ReasonStageNotReady, "Provisioning", false, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := &v1alpha1.BenchmarkNetwork{}
			n.Status.Epoch = c.before
			got := ComputeNetwork(NetworkInput{Network: n, Plan: &plan.Plan{Epoch: c.epoch, Resetting: c.resetting},
				Snapshot: snapshot.New(nil, nil, nil), Stages: []ObservedStage{c.stage}, Now: testTime})
			if r := meta.FindStatusCondition(got.Conditions, v1alpha1.ConditionReady); r.Reason != c.reason || got.Phase != c.phase {
				t.Errorf("Ready has reason %s in phase %s, want %s in %s", r.Reason, got.Phase, c.reason, c.phase)
			}
			if given := got.Epoch.Turn != ""; given != c.turn {
				t.Errorf("turn is %q; scheduled should be %t", got.Epoch.Turn, c.turn)
			}
			took := time.Duration(-1)
			if got.Epoch.ReadyAt != nil {
				took = got.Epoch.ReadyAt.Sub(got.Epoch.StartedAt.Time)
			}
			if took != c.took {
				t.Errorf("the epoch took %s to be ready, want %s", took, c.took)
			}
		})
	}
}
