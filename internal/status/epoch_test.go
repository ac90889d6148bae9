package status

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/network/plan"
)

// TestPausedNetwork: the phase of a paused network is Paused before its members have stopped, and a failed stage is still reported. The
// stage of the members begins again.
func TestPausedNetwork(t *testing.T) {
	earlier := metav1.NewMicroTime(testTime.Add(-time.Minute))
	for name, c := range map[string]struct {
		readiness   snapshot.Readiness
		pause       v1alpha1.Pause
		reason      string
		phase       v1alpha1.Phase
		message     string
		reconciling bool
	}{
		"stopping": {snapshot.Readiness{Message: "StatefulSet x: 1 pods have not stopped yet"}, v1alpha1.PauseNow, v1alpha1.ReasonPaused, "Paused",
			"set it to Never to resume them; stage Members: StatefulSet x: 1 pods", true},
		"stopped":  {snapshot.Readiness{State: snapshot.StateReady}, v1alpha1.PauseNow, v1alpha1.ReasonPaused, "Paused", "by spec.pause Now", false},
		"finished": {snapshot.Readiness{State: snapshot.StateReady}, v1alpha1.PauseWhenFinished, v1alpha1.ReasonPaused, "Paused", "another run or workload resumes them", false},
		"failed":   {snapshot.Readiness{State: snapshot.StateFailed, Message: "Job y failed"}, v1alpha1.PauseNow, v1alpha1.ReasonStageFailed, "Failed", "Job y failed", false},
	} {
		t.Run(name, func(t *testing.T) {
			n := &v1alpha1.BenchmarkNetwork{Spec: v1alpha1.BenchmarkNetworkSpec{Pause: c.pause}}
			n.Status.Epoch = &v1alpha1.EpochStatus{StartedAt: &earlier, ReadyAt: &earlier, Turn: "1"}
			n.Status.Stages = []v1alpha1.StageStatus{{Name: string(plan.StageMembers), StartedAt: &earlier, ReadyAt: &earlier}}
			got := ComputeNetwork(NetworkInput{Network: n, Plan: &plan.Plan{Epoch: plan.Epoch{ActiveRun: "1", Pauses: 1}}, Snapshot: snapshot.New(nil, nil, nil),
				Stages: []ObservedStage{{Name: plan.StageMembers, Started: true, Provisioning: true, Readiness: c.readiness}}, Now: testTime})
			ready := meta.FindStatusCondition(got.Conditions, v1alpha1.ConditionReady)
			if ready.Status != metav1.ConditionFalse || ready.Reason != c.reason || got.Phase != c.phase || !strings.Contains(ready.Message, c.message) {
				t.Errorf("phase %s, Ready %+v", got.Phase, ready)
			}
			if reconciling := meta.IsStatusConditionTrue(got.Conditions, v1alpha1.ConditionReconciling); reconciling != c.reconciling {
				t.Errorf("Reconciling is %t", reconciling)
			}
			if got.Epoch.Turn != "" || got.Epoch.ReadyAt == nil {
				t.Errorf("no run may begin, and the epoch was ready before: %+v", got.Epoch)
			}
			if members := got.Stages[0]; c.phase == "Paused" && (members.State != v1alpha1.StateWaiting || members.StartedAt != nil || members.ReadyAt != nil) {
				t.Errorf("the stage should begin again when the network resumes: %+v", members)
			}
		})
	}
}

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
