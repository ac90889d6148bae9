package status

import (
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/network/plan"
)

var testTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func newRun(ended bool) *v1alpha1.BenchmarkRun {
	r := &v1alpha1.BenchmarkRun{}
	if ended {
		at := metav1.NewTime(testTime)
		r.Status.CompletionTime = &at
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}}
	}
	return r
}

func TestNetworkPhase(t *testing.T) {
	ready := ObservedStage{Name: plan.StageMembers, Started: true, Provisioning: true, Readiness: snapshot.Readiness{State: snapshot.StateReady}}
	waiting, broken := ready, ready
	waiting.Readiness = snapshot.Readiness{State: snapshot.StateWaiting, Message: "StatefulSet x: 0 of 1 pods ready"}
	broken.Readiness = snapshot.Readiness{State: snapshot.StateFailed, Message: "Job y failed"}
	at := metav1.NewMicroTime(testTime)
	cases := []struct {
		name   string
		stage  ObservedStage
		before *metav1.MicroTime
		runs   []*v1alpha1.BenchmarkRun
		paused bool
		want   v1alpha1.Phase
	}{
		{"starting", waiting, nil, nil, false, "Provisioning"},
		{"a member lost", waiting, &at, nil, false, "Degraded"},
		{"a failed stage", broken, nil, nil, false, "Failed"},
		{"no run yet", ready, nil, nil, false, "Ready"},
		{"a run in progress", ready, nil, []*v1alpha1.BenchmarkRun{newRun(true), newRun(false)}, false, "Running"},
		{"between two runs", ready, nil, []*v1alpha1.BenchmarkRun{newRun(true)}, false, "Running"},
		{"paused between two runs", ready, nil, []*v1alpha1.BenchmarkRun{newRun(true)}, true, "Ready"},
		{"all runs finished", ready, nil, []*v1alpha1.BenchmarkRun{newRun(true), newRun(true)}, false, "Finished"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := &v1alpha1.BenchmarkNetwork{Spec: v1alpha1.BenchmarkNetworkSpec{PauseRuns: c.paused, Workloads: make([]v1alpha1.NetworkWorkload, 2)}}
			n.Status.Stages = []v1alpha1.StageStatus{{Name: string(plan.StageMembers), ReadyAt: c.before}}
			got := ComputeNetwork(NetworkInput{Network: n, Plan: &plan.Plan{}, Snapshot: snapshot.New(nil, nil, nil),
				Stages: []ObservedStage{c.stage}, Runs: c.runs, Now: testTime})
			if got.Phase != c.want {
				t.Errorf("phase is %s, want %s", got.Phase, c.want)
			}
		})
	}
}

// TestConditionsFollowKstatus: Ready always exists; Reconciling and Stalled exist only while they are true.
func TestConditionsFollowKstatus(t *testing.T) {
	n := &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Generation: 7}}
	got := ComputeNetwork(NetworkInput{Network: n, SpecError: errors.New("spec.members.heap: too small"), Now: testTime})
	if !meta.IsStatusConditionTrue(got.Conditions, v1alpha1.ConditionStalled) || !meta.IsStatusConditionFalse(got.Conditions, v1alpha1.ConditionReady) {
		t.Errorf("a refused network must be stalled and not ready, but has %+v", got.Conditions)
	}
	for _, c := range got.Conditions {
		if c.ObservedGeneration != 7 || c.Message != "spec.members.heap: too small" {
			t.Errorf("every condition must have its generation and the field, but: %+v", c)
		}
	}
}

func TestTransitionTimesAreKept(t *testing.T) {
	before := metav1.NewTime(testTime.Add(-time.Hour))
	old := []metav1.Condition{{Type: "Ready", Status: metav1.ConditionFalse, LastTransitionTime: before}, {Type: "Accepted", Status: metav1.ConditionTrue, LastTransitionTime: before}}
	got := keepTransitionTimes(old, []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue}, {Type: "Accepted", Status: metav1.ConditionTrue}}, testTime)
	if !got[0].LastTransitionTime.Time.Equal(testTime) || !got[1].LastTransitionTime.Equal(&before) {
		t.Errorf("a changed condition has a new time, an unchanged one keeps its own, but: %+v", got)
	}
}

func TestNetworkExpiry(t *testing.T) {
	n := &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{UID: "uid"}, Spec: v1alpha1.BenchmarkNetworkSpec{TTLSecondsAfterFinished: new(int32(60)),
		Workloads: make([]v1alpha1.NetworkWorkload, 2)}}
	own := func(ended bool) *v1alpha1.BenchmarkRun {
		run := newRun(ended)
		run.OwnerReferences = []metav1.OwnerReference{{UID: "uid", Controller: new(true)}}
		return run
	}
	uploading := own(true)
	uploading.Spec.Delivery.Upload, uploading.Status.Result = &v1alpha1.ResultUpload{}, &v1alpha1.ResultReference{}
	uploaded := uploading.DeepCopy()
	meta.SetStatusCondition(&uploaded.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionUploaded, Status: metav1.ConditionFalse})
	withoutTTL, withoutWorkloads, recreated := n.DeepCopy(), n.DeepCopy(), n.DeepCopy()
	withoutTTL.Spec.TTLSecondsAfterFinished, withoutWorkloads.Spec.Workloads, recreated.Spec.Workloads = nil, nil, nil
	recreated.CreationTimestamp = metav1.NewTime(testTime.Add(time.Hour))
	for name, c := range map[string]struct {
		network *v1alpha1.BenchmarkNetwork
		runs    []*v1alpha1.BenchmarkRun
		want    bool
	}{
		"one of two workloads has run":                     {n, []*v1alpha1.BenchmarkRun{own(true)}, false},
		"one of two workloads, and a run of a user":        {n, []*v1alpha1.BenchmarkRun{own(true), newRun(true)}, false},
		"a run is in progress":                             {n, []*v1alpha1.BenchmarkRun{own(true), own(false)}, false},
		"a run of a user is in progress":                   {n, []*v1alpha1.BenchmarkRun{own(true), own(true), newRun(false)}, false},
		"all have run":                                     {n, []*v1alpha1.BenchmarkRun{own(true), own(true)}, true},
		"an upload is in progress":                         {n, []*v1alpha1.BenchmarkRun{own(true), uploading}, false},
		"an upload has failed":                             {n, []*v1alpha1.BenchmarkRun{own(true), uploaded}, true},
		"without a time to live":                           {withoutTTL, []*v1alpha1.BenchmarkRun{own(true), own(true)}, false},
		"without runs":                                     {withoutWorkloads, nil, false},
		"a run of a user on a network without workloads":   {withoutWorkloads, []*v1alpha1.BenchmarkRun{newRun(true)}, true},
		"a run that was kept from the network before this": {recreated, []*v1alpha1.BenchmarkRun{newRun(true)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			at, ok := NetworkExpiry(c.network, c.runs)
			if ok != c.want || ok && !at.Equal(testTime.Add(time.Minute)) {
				t.Errorf("the deadline is %s, %t, want one: %t, a minute after the last run", at, ok, c.want)
			}
		})
	}
}
