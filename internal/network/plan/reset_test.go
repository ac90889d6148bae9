package plan

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
)

// resettablePlatform runs its members in StatefulSets that keep their state in the volume "state".
type resettablePlatform struct{ fakePlatform }

func (resettablePlatform) StateVolume() string { return "state" }

func (resettablePlatform) BuildMembers(_ platform.Input, t platform.Topology) ([]client.Object, error) {
	var all []client.Object
	for _, m := range t.Members {
		all = append(all, newMemberSet(m.Name, ""))
	}
	return all, nil
}

func newMemberSet(member, epoch string) *appsv1.StatefulSet {
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: naming.Member("net", member), ResourceVersion: ""},
		Spec: appsv1.StatefulSetSpec{Replicas: new(int32(1)),
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{InitContainers: []corev1.Container{pods.AgentInstallContainer("example.com/agent:1")}}}}}
	setEpoch(set, epoch)
	return set
}

// newRunningInput returns the input of a network whose members are in the given epochs.
func newRunningInput(recorded Epoch, epochs ...string) Input {
	return newInput(func(in *Input) {
		in.Platform = resettablePlatform{}
		in.EpochRecord = in.buildEpochRecord(recorded)
		live := map[string]*appsv1.StatefulSet{}
		for i, epoch := range epochs {
			set := newMemberSet([]string{"member-0", "member-1"}[i], epoch)
			set.ResourceVersion = "7"
			live[set.Name] = set
		}
		in.StatefulSet = func(name string) *appsv1.StatefulSet { return live[name] }
	})
}

func mustBuild(t *testing.T, in Input) *Plan {
	t.Helper()
	p, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func statefulSetsOf(s *Stage) []*appsv1.StatefulSet {
	var all []*appsv1.StatefulSet
	for _, o := range s.Objects {
		if set, ok := o.(*appsv1.StatefulSet); ok {
			all = append(all, set)
		}
	}
	return all
}

func TestNoResetInSameEpoch(t *testing.T) {
	for name, in := range map[string]Input{
		"new":                    newRunningInput(Epoch{}),
		"first epoch":            newRunningInput(Epoch{}, "", ""),
		"later epoch":            newRunningInput(Epoch{ID: "b"}, "b", "b"),
		"the record was removed": func() Input { in := newRunningInput(Epoch{}, "b", "b"); in.EpochRecord = nil; return in }(),
	} {
		p := mustBuild(t, in)
		if p.Resetting || len(p.findStage(StageStop).Objects)+len(p.findStage(StageReset).Objects) > 0 {
			t.Errorf("%s: there should be no reset", name)
		}
	}
}

func TestResetStages(t *testing.T) {
	first := mustBuild(t, newRunningInput(Epoch{}, "", ""))
	p := mustBuild(t, newRunningInput(Epoch{ID: "b"}, "", "b"))
	stops := statefulSetsOf(p.findStage(StageStop))
	if !p.Resetting || len(stops) != 1 || stops[0].Name != "net-member-0" || *stops[0].Spec.Replicas != 0 || pods.Epoch(stops[0]) != "" {
		t.Fatalf("only member-0, which runs in the old epoch, should be stopped, but: %+v", stops)
	}
	if stops[0].ResourceVersion != "7" {
		t.Error("a member must be stopped only as it was read: it may have restarted meanwhile")
	}
	if len(p.findStage(StageReset).Objects) != 2 || !slices.Contains(p.findStage(StageReset).Needs, StageStop) {
		t.Errorf("ConfigMap and Job of the database's reset should need the stop, but: %+v", p.findStage(StageReset))
	}
	members := p.findStage(StageMembers)
	if !slices.Contains(members.Needs, StageReset) || !slices.Contains(members.Needs, StageStop) {
		t.Errorf("members should need the reset, but need %v", members.Needs)
	}
	for _, set := range statefulSetsOf(members) {
		if *set.Spec.Replicas != 1 || pods.Epoch(set) != "b" {
			t.Errorf("%s should run in epoch b, but: %+v", set.Name, set.Spec)
		}
	}
	if p.Hash != first.Hash {
		t.Error("an epoch must not change the hash: the network is the same")
	}
}

func TestDecideEpoch(t *testing.T) {
	run := func(uid string, reset v1alpha1.ResetPolicy, ended bool) *v1alpha1.BenchmarkRun {
		r := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid)}}
		r.Spec.Workload.Reset = reset
		if ended {
			r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}}
		}
		return r
	}
	cases := []struct {
		name      string
		recorded  Epoch
		requested string
		paused    bool
		queue     []*v1alpha1.BenchmarkRun
		want      Epoch
		renewed   bool
	}{
		{"nothing to do", Epoch{}, "", false, nil, Epoch{}, false},
		{"the first run finds it fresh", Epoch{}, "", false, []*v1alpha1.BenchmarkRun{run("1", "Reset", false)}, Epoch{FirstRun: "1", ActiveRun: "1"}, false},
		{"a second run that keeps", Epoch{FirstRun: "1", ActiveRun: "1"}, "", false,
			[]*v1alpha1.BenchmarkRun{run("1", "Keep", true), run("2", "Keep", false)}, Epoch{FirstRun: "1", ActiveRun: "2"}, false},
		{"a second run that resets", Epoch{FirstRun: "1", ActiveRun: "1"}, "", false,
			[]*v1alpha1.BenchmarkRun{run("1", "Keep", true), run("2", "Reset", false)}, Epoch{FirstRun: "2", ActiveRun: "2"}, true},
		{"the epoch of the running run is kept", Epoch{ID: "b", FirstRun: "2", ActiveRun: "2"}, "", false,
			[]*v1alpha1.BenchmarkRun{run("0", "Reset", false), run("2", "Reset", false)}, Epoch{ID: "b", FirstRun: "2", ActiveRun: "2"}, false},
		{"requested during a run", Epoch{FirstRun: "1", ActiveRun: "1"}, "x", false, []*v1alpha1.BenchmarkRun{run("1", "Keep", false)}, Epoch{FirstRun: "1", ActiveRun: "1"}, false},
		{"requested between runs", Epoch{FirstRun: "1", ActiveRun: "1"}, "x", false, []*v1alpha1.BenchmarkRun{run("1", "Keep", true)}, Epoch{ResetRequest: "x"}, true},
		{"requested and a run that resets: once", Epoch{FirstRun: "1", ActiveRun: "1"}, "x", false,
			[]*v1alpha1.BenchmarkRun{run("2", "Reset", false)}, Epoch{ResetRequest: "x", FirstRun: "2", ActiveRun: "2"}, true},
		{"no longer requested", Epoch{ResetRequest: "x", FirstRun: "1", ActiveRun: "1"}, "", false, nil, Epoch{FirstRun: "1", ActiveRun: "1"}, false},
		{"paused", Epoch{FirstRun: "1", ActiveRun: "1"}, "", true, []*v1alpha1.BenchmarkRun{run("2", "Reset", false)}, Epoch{FirstRun: "1", ActiveRun: "1"}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			in := newRunningInput(c.recorded, c.recorded.ID, c.recorded.ID)
			in.RunsByAge, in.Network.Spec.PauseRuns = c.queue, c.paused
			in.Network.Annotations = map[string]string{v1alpha1.AnnotationReset: c.requested}
			got := in.decideEpoch()
			if (got.ID != c.recorded.ID) != c.renewed {
				t.Errorf("epoch %q follows %q; renewed should be %t", got.ID, c.recorded.ID, c.renewed)
			}
			if again := in.decideEpoch(); again != got {
				t.Errorf("decided twice, %+v and %+v differ", got, again)
			}
			got.ID = c.want.ID
			if got != c.want && !c.renewed || c.renewed && (got.FirstRun != c.want.FirstRun || got.ActiveRun != c.want.ActiveRun || got.ResetRequest != c.want.ResetRequest) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestWaitingRunHoldsNoResetOff: a run without workers waits for a network that only the reset may make ready.
func TestWaitingRunHoldsNoResetOff(t *testing.T) {
	for name, c := range map[string]struct {
		reason   string
		turn     types.UID
		released bool
		resets   bool
	}{
		"waits for the network":     {v1alpha1.ReasonWaitingForNetwork, "", false, true},
		"waits for a reset":         {v1alpha1.ReasonWaitingForReset, "", false, true},
		"waits for its turn":        {v1alpha1.ReasonWaitingForTurn, "other", false, true},
		"paused":                    {v1alpha1.ReasonPaused, "", false, true},
		"may begin at this moment":  {v1alpha1.ReasonWaitingForTurn, "1", false, false},
		"its workers start":         {v1alpha1.ReasonWaitingForWorkers, "", false, false},
		"measures":                  {v1alpha1.ReasonMeasuring, "", true, false},
		"measured, network is gone": {v1alpha1.ReasonWaitingForNetwork, "", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			recorded := Epoch{FirstRun: "1", ActiveRun: "1"}
			in := newRunningInput(recorded, "", "")
			run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{UID: "1"}}
			run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: c.reason}}
			if c.released {
				run.Status.Release = &v1alpha1.RunRelease{}
			}
			in.RunsByAge = []*v1alpha1.BenchmarkRun{run}
			in.Network.Annotations = map[string]string{v1alpha1.AnnotationReset: "x"}
			in.Network.Status.Epoch = &v1alpha1.EpochStatus{Turn: c.turn}
			if got := in.decideEpoch(); (got.ID != "") != c.resets || got.ActiveRun != "1" {
				t.Errorf("got %+v, want a reset: %t", got, c.resets)
			}
		})
	}
}
