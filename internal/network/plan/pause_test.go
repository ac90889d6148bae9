package plan

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// TestPause checks when the members of a network that was ready are stopped, and which run is active then.
func TestPause(t *testing.T) {
	run := func(uid, reason string) *v1alpha1.BenchmarkRun {
		r := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "net-" + uid, UID: types.UID(uid)}}
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: reason}}
		if reason == v1alpha1.ReasonResultWritten {
			r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}}
		}
		return r
	}
	ended, measures := run("1", v1alpha1.ReasonResultWritten), run("1", v1alpha1.ReasonMeasuring)
	ended.Status.CompletionTime = new(metav1.Now())
	used := Epoch{FirstRun: "1", ActiveRun: "1"}
	const finished, now = v1alpha1.PauseWhenFinished, v1alpha1.PauseNow
	for name, c := range map[string]struct {
		pause    v1alpha1.Pause
		recorded Epoch
		edit     func(*Input)
		runs     []*v1alpha1.BenchmarkRun
		paused   bool
		active   types.UID
	}{
		"not requested":                     {"", used, nil, []*v1alpha1.BenchmarkRun{ended}, false, "1"},
		"never":                             {v1alpha1.PauseNever, used, nil, []*v1alpha1.BenchmarkRun{ended}, false, "1"},
		"finished":                          {finished, used, nil, []*v1alpha1.BenchmarkRun{ended}, true, "1"},
		"finished, and the run was deleted": {finished, used, nil, nil, true, "1"},
		"finished, without any run":         {finished, Epoch{}, nil, nil, false, ""},
		"finished before an eviction":       {finished, Epoch{}, nil, []*v1alpha1.BenchmarkRun{ended}, true, ""},
		"a run of an earlier network": {finished, Epoch{}, func(in *Input) {
			in.Network.CreationTimestamp = metav1.NewTime(ended.Status.CompletionTime.Add(time.Second))
		}, []*v1alpha1.BenchmarkRun{ended}, false, ""},
		"a run measures":    {finished, used, nil, []*v1alpha1.BenchmarkRun{measures}, false, "1"},
		"another run waits": {finished, used, nil, []*v1alpha1.BenchmarkRun{ended, run("2", v1alpha1.ReasonWaitingForNetwork)}, false, "2"},
		"a workload has no run": {finished, used, func(in *Input) {
			in.Network.Spec.Workloads = make([]v1alpha1.NetworkWorkload, 1)
		}, []*v1alpha1.BenchmarkRun{ended}, false, "1"},
		"every workload has a run": {finished, used, func(in *Input) {
			in.Network.Spec.Workloads = []v1alpha1.NetworkWorkload{{Workload: v1alpha1.Workload{Name: "1"}}}
			in.WorkloadRuns = map[string]*v1alpha1.BenchmarkRun{naming.WorkloadRun("net", "1"): ended}
		}, []*v1alpha1.BenchmarkRun{ended}, true, "1"},
		"now, without any run":                 {now, Epoch{}, nil, nil, true, ""},
		"now, a run measures":                  {now, used, nil, []*v1alpha1.BenchmarkRun{measures}, false, "1"},
		"now, a run waits":                     {now, used, nil, []*v1alpha1.BenchmarkRun{ended, run("2", v1alpha1.ReasonPaused)}, true, "1"},
		"now, the active run has lost members": {now, used, nil, []*v1alpha1.BenchmarkRun{run("1", v1alpha1.ReasonWaitingForNetwork)}, true, ""},
		"now, the active run may begin": {now, used, func(in *Input) { in.Network.Status.Epoch.Turn = "1" },
			[]*v1alpha1.BenchmarkRun{run("1", v1alpha1.ReasonWaitingForTurn)}, false, "1"},
		"now, never ready":        {now, Epoch{}, func(in *Input) { in.Network.Status.Epoch.ReadyAt = nil }, nil, false, ""},
		"now, not observed":       {now, Epoch{}, func(in *Input) { in.Network.Status.Epoch = nil }, nil, false, ""},
		"paused, its status lost": {now, Epoch{Pauses: 1}, func(in *Input) { in.Network.Status.Epoch = nil }, nil, true, ""},
		"paused, a reset requested": {now, Epoch{Pauses: 1}, func(in *Input) {
			in.Network.Annotations = map[string]string{v1alpha1.AnnotationReset: "x"}
		}, nil, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := newRunningInput(c.recorded, "", "")
			at := metav1.NowMicro()
			in.Network.Spec.Pause, in.Network.Spec.Workloads, in.RunsByAge = c.pause, nil, c.runs
			in.Network.Status.Epoch = &v1alpha1.EpochStatus{ReadyAt: &at}
			if c.edit != nil {
				c.edit(&in)
			}
			p := mustBuild(t, in)
			if p.Epoch.IsPaused() != c.paused || p.Epoch.ActiveRun != c.active {
				t.Errorf("paused is %t and the active run %q, want %t and %q", p.Epoch.IsPaused(), p.Epoch.ActiveRun, c.paused, c.active)
			}
			members := p.findStage(StageMembers)
			for _, set := range statefulSetsOf(members) {
				if stopped := *set.Spec.Replicas == 0; stopped != c.paused {
					t.Errorf("%s has %d replicas", set.Name, *set.Spec.Replicas)
				}
			}
			if needsNothing := len(members.Needs) == 0; needsNothing != c.paused {
				t.Errorf("the members need %v: they must stop even if another stage is not ready", members.Needs)
			}
		})
	}
}

// TestPausesAreCounted pauses and resumes a network twice. The members carry the number, and the hash stays the same.
func TestPausesAreCounted(t *testing.T) {
	in := newRunningInput(Epoch{}, "", "")
	at := metav1.NowMicro()
	in.Network.Status.Epoch = &v1alpha1.EpochStatus{ReadyAt: &at}
	hash := mustBuild(t, in).Hash
	for _, step := range []struct {
		pause v1alpha1.Pause
		want  string
	}{{v1alpha1.PauseNever, ""}, {v1alpha1.PauseNow, "1"}, {v1alpha1.PauseNow, "1"}, {v1alpha1.PauseNever, "2"}, {v1alpha1.PauseNever, "2"}, {v1alpha1.PauseNow, "3"}} {
		in.Network.Spec.Pause = step.pause
		p := mustBuild(t, in)
		in.EpochRecord = p.EpochRecord
		for _, set := range statefulSetsOf(p.findStage(StageMembers)) {
			if got := set.Annotations[v1alpha1.AnnotationPauses]; got != step.want || p.Hash != hash {
				t.Errorf("after %s, %s has the number %q, want %q, and the plan the hash %s, want %s", step.pause, set.Name, got, step.want, p.Hash, hash)
			}
		}
	}
}
