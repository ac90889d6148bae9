package experiment

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// experimentSimulator runs an experiment as the operator does. Each pass depends only on the observed state.
type experimentSimulator struct {
	t           *testing.T
	experiment  *v1alpha1.BenchmarkExperiment
	design      *Design
	groups      []RunGroup
	observed    ObservedState
	createdRuns []string
	maxNetworks int
	// verdict returns the verdict of a created run; nil means Valid.
	verdict func(run PlannedRun) RunVerdict
}

// TestDeletedRunsAreRecorded deletes runs while an experiment is running. Each is replaced by the next attempt and stays in the result.
func TestDeletedRunsAreRecorded(t *testing.T) {
	for name, test := range map[string]struct {
		deleted []string
		want    string
	}{
		"the first":           {[]string{"p01-r1"}, "r1 a1 Deleted, r1 a2 Valid, r2 a1 Valid, r3 a1 Valid"},
		"the last":            {[]string{"p01-r3"}, "r1 a1 Valid, r2 a1 Valid, r3 a1 Deleted, r3 a2 Valid"},
		"several":             {[]string{"p01-r1", "p01-r2", "p01-r3"}, "r1 a1 Deleted, r1 a2 Valid, r2 a1 Deleted, r2 a2 Valid, r3 a1 Deleted, r3 a2 Valid"},
		"a replacement, too":  {[]string{"p01-r2", "p01-r2-a2"}, "r1 a1 Valid, r2 a1 Deleted, r2 a2 Deleted, r2 a3 Valid, r3 a1 Valid"},
		"nothing was deleted": {nil, "r1 a1 Valid, r2 a1 Valid, r3 a1 Valid"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newSimulator(t, "{spec: {repetitions: 3}}")
			left := test.deleted
			var step NextStep
			for range 30 {
				step = l.reconcileOnce()
				points := l.experiment.Status.Points
				if len(points) == 0 {
					points = []v1alpha1.PointStatus{{Name: "p01"}}
				}
				points[0].Attempts = step.CountAttempts("p01", points[0].Attempts)
				l.experiment.Status.Points = points
				if len(left) > 0 && slices.ContainsFunc(step.CreatedRuns, func(r PlannedRun) bool { return r.Name == l.experiment.Name+"-"+left[0] }) {
					delete(l.observed.Runs, l.experiment.Name+"-"+left[0])
					left = left[1:]
				}
			}
			var got []string
			runs := l.design.BuildResult(l.experiment, 1, &step, l.observed, nil).Runs
			slices.SortFunc(runs, func(a, b Run) int { return strings.Compare(a.Name, b.Name) })
			for _, run := range runs {
				got = append(got, fmt.Sprintf("r%d a%d %s", run.Repetition, run.Attempt, run.Verdict))
			}
			if text := strings.Join(got, ", "); !step.IsDone() || text != test.want {
				t.Errorf("done: %v; got %s, want %s", step.IsDone(), text, test.want)
			}
		})
	}
}

func newSimulator(t *testing.T, spec string) *experimentSimulator {
	e, d := parseDesign(t, spec)
	return &experimentSimulator{t: t, experiment: e, design: d, groups: d.GroupRuns(&e.Spec, Seed(e)),
		observed: ObservedState{Runs: map[string]Run{}, Networks: map[string]bool{}}}
}

// reconcileOnce runs one pass. A deleted network disappears in the pass after the next.
func (l *experimentSimulator) reconcileOnce() NextStep {
	step := l.design.DecideNextStep(l.experiment, l.groups, l.observed)
	wanted := map[string]bool{}
	for _, i := range step.DesiredNetworks {
		wanted[l.design.Networks[i].Name] = true
		l.observed.Networks[l.design.Networks[i].Name] = false
	}
	for name, going := range l.observed.Networks {
		switch {
		case wanted[name]:
		case going:
			delete(l.observed.Networks, name)
		default:
			l.observed.Networks[name] = true
		}
	}
	l.maxNetworks = max(l.maxNetworks, len(l.observed.Networks))
	for _, run := range step.RunsToCreate {
		if _, again := l.observed.Runs[run.Name]; again {
			l.t.Fatalf("run %s is made twice", run.Name)
		}
		if !wanted[l.design.Networks[run.Network].Name] {
			l.t.Fatalf("run %s is made without its network", run.Name)
		}
		l.observed.Runs[run.Name] = Run{Name: run.Name}
		l.createdRuns = append(l.createdRuns, run.Name)
	}
	for _, name := range step.ActiveRuns { // Runs that are active in this pass have ended by the next.
		at := slices.IndexFunc(step.CreatedRuns, func(r PlannedRun) bool { return r.Name == name })
		run := l.observed.Runs[name]
		run.Verdict = RunValid
		if l.verdict != nil {
			run.Verdict = l.verdict(step.CreatedRuns[at])
		}
		l.observed.Runs[name] = run
	}
	return step
}

func (l *experimentSimulator) runToEnd() NextStep {
	for range 1000 {
		if step := l.reconcileOnce(); step.IsDone() {
			l.reconcileOnce()
			l.reconcileOnce()
			return step
		}
	}
	l.t.Fatal("the experiment does not end")
	return NextStep{}
}

func (l *experimentSimulator) assertCreatedRuns(runs string) {
	l.t.Helper()
	if got := strings.Join(l.createdRuns, " "); got != runs {
		l.t.Errorf("made\n  %s, want\n  %s", got, runs)
	}
}

const twoAxesSpec = `axes: [{name: members, field: network.members.count, values: [2, 3]}, {name: clients, field: workload.load.clients, values: [1, 5]}]`

func TestListedOrder(t *testing.T) {
	l := newSimulator(t, "{spec: {"+twoAxesSpec+"}}")
	l.runToEnd()
	l.assertCreatedRuns("exp-p01-r1 exp-p01-r2 exp-p02-r1 exp-p02-r2 exp-p03-r1 exp-p03-r2 exp-p04-r1 exp-p04-r2")
	if l.maxNetworks != 1 || len(l.observed.Networks) != 0 {
		t.Errorf("%d networks stood at one time, want 1; %v are left", l.maxNetworks, l.observed.Networks)
	}
}

func TestInterleavedOrder(t *testing.T) {
	l := newSimulator(t, `
spec:
  order: {type: Interleaved}
  axes: [{name: members, field: network.members.count, values: [2, 3]}]
  variants: [{name: A, patch: {network: {platform: {corda: {version: "4.3"}}}}}, {name: B}]
`)
	l.runToEnd()
	// p01 and p02 are A with 2 and 3 members, p03 and p04 B.
	l.assertCreatedRuns("exp-p01-r1 exp-p03-r1 exp-p01-r2 exp-p03-r2 exp-p02-r1 exp-p04-r1 exp-p02-r2 exp-p04-r2")
	if l.maxNetworks != 2 {
		t.Errorf("%d networks stood at one time, want the two of a point", l.maxNetworks)
	}
}

// TestRandomizedPairs checks that each repetition measures both variants in a random order, the second one in the
// reverse order of the first, and that it is the default of a comparison.
func TestRandomizedPairs(t *testing.T) {
	orders := map[string]bool{}
	for seed := range 8 {
		spec := fmt.Sprintf("{spec: {order: {type: RandomizedPairs, seed: %d}, variants: [{name: A}, {name: B}]}}", seed)
		l := newSimulator(t, spec)
		l.runToEnd()
		orders[strings.Join(l.createdRuns, " ")] = true
	}
	for _, want := range []string{"exp-p01-r1 exp-p02-r1 exp-p02-r2 exp-p01-r2", "exp-p02-r1 exp-p01-r1 exp-p01-r2 exp-p02-r2"} {
		if !orders[want] || len(orders) != 2 {
			t.Errorf("got %v", orders)
		}
	}
	if spec := (&v1alpha1.BenchmarkExperimentSpec{Strategy: v1alpha1.StrategyCompare}); spec.OrderType() != v1alpha1.OrderRandomizedPairs {
		t.Errorf("a comparison has the order %s", spec.OrderType())
	}
}

func TestShuffledOrder(t *testing.T) {
	orders := map[string]bool{}
	for seed := range 5 {
		spec := fmt.Sprintf("{spec: {order: {type: Shuffled, seed: %d}, %s}}", seed, twoAxesSpec)
		first, again := newSimulator(t, spec), newSimulator(t, spec)
		first.runToEnd()
		again.runToEnd()
		again.assertCreatedRuns(strings.Join(first.createdRuns, " "))
		if len(first.createdRuns) != 8 || first.maxNetworks != 1 {
			t.Errorf("seed %d made %v with %d networks at one time", seed, first.createdRuns, first.maxNetworks)
		}
		orders[strings.Join(first.createdRuns, " ")] = true
	}
	if len(orders) < 4 {
		t.Errorf("five seeds give %d orders", len(orders))
	}
}

func TestParallelNetworks(t *testing.T) {
	l := newSimulator(t, "{spec: {parallelism: 2, "+twoAxesSpec+"}}")
	l.runToEnd()
	if l.maxNetworks != 2 || len(l.createdRuns) != 8 {
		t.Errorf("%d networks stood at one time, %d runs were made", l.maxNetworks, len(l.createdRuns))
	}
}

// TestLowerParallelismDeletesNoNetwork lowers spec.parallelism while two networks are measured: both finish their runs.
func TestLowerParallelismDeletesNoNetwork(t *testing.T) {
	l := newSimulator(t, "{spec: {parallelism: 2, "+twoAxesSpec+"}}")
	l.reconcileOnce()
	l.experiment.Spec.Parallelism = 1
	l.reconcileOnce()
	for name, deleting := range l.observed.Networks {
		if deleting || len(l.observed.Networks) != 2 {
			t.Errorf("network %s is deleted: %v; all of %v should remain", name, deleting, l.observed.Networks)
		}
	}
	l.runToEnd()
	if l.maxNetworks != 2 || len(l.createdRuns) != 8 {
		t.Errorf("%d networks existed at a time, %d runs were created", l.maxNetworks, len(l.createdRuns))
	}
}

func TestFailedRuns(t *testing.T) {
	for policy, want := range map[string]string{
		"Continue": "exp-p01-r1 exp-p01-r2",
		"Repeat":   "exp-p01-r1 exp-p01-r1-a2 exp-p01-r1-a3 exp-p01-r2",
		"Stop":     "exp-p01-r1",
	} {
		l := newSimulator(t, "{spec: {failures: {onFailed: "+policy+", attempts: 3}}}")
		l.verdict = func(r PlannedRun) RunVerdict {
			if r.Repetition == 1 {
				return RunFailed
			}
			return RunValid
		}
		step := l.runToEnd()
		l.assertCreatedRuns(want)
		if (step.StoppedBy != "") != (policy == "Stop") || len(l.observed.Networks) != 0 {
			t.Errorf("%s: stopped by %q, networks %v are left", policy, step.StoppedBy, l.observed.Networks)
		}
	}
}

// TestCancelledRunsAreNotRepeated checks that a cancelled run counts as failed, except that it is not repeated.
func TestCancelledRunsAreNotRepeated(t *testing.T) {
	for policy, want := range map[string]string{"Continue": "exp-p01-r1 exp-p01-r2", "Repeat": "exp-p01-r1 exp-p01-r2", "Stop": "exp-p01-r1"} {
		t.Run(policy, func(t *testing.T) {
			l := newSimulator(t, "{spec: {failures: {onFailed: "+policy+", attempts: 3}}}")
			l.verdict = func(r PlannedRun) RunVerdict {
				if r.Repetition == 1 {
					return RunCancelled
				}
				return RunValid
			}
			step := l.runToEnd()
			l.assertCreatedRuns(want)
			if (step.StoppedBy != "") != (policy == "Stop") {
				t.Errorf("stopped by %q", step.StoppedBy)
			}
			if p := l.design.BuildResult(l.experiment, 1, &step, l.observed, nil).Points[0]; p.Failed != 1 || p.Metrics["Throughput"].N != 0 {
				t.Errorf("a cancelled run should be counted only as failed: %+v", p)
			}
		})
	}
}

func TestInvalidRuns(t *testing.T) {
	l := newSimulator(t, "{spec: {failures: {onInvalid: Repeat, attempts: 3}}}")
	l.verdict = func(r PlannedRun) RunVerdict {
		if r.Repetition == 2 && r.Attempt < 2 {
			return RunInvalid
		}
		return RunValid
	}
	l.runToEnd()
	l.assertCreatedRuns("exp-p01-r1 exp-p01-r2 exp-p01-r2-a2")
	result := l.design.BuildResult(l.experiment, 1, new(l.design.DecideNextStep(l.experiment, l.groups, l.observed)), l.observed, nil)
	if p := result.Points[0]; p.Valid != 2 || p.Invalid != 1 || len(result.Runs) != 3 {
		t.Errorf("the point has %d valid and %d invalid runs of %d", p.Valid, p.Invalid, len(result.Runs))
	}
}

func TestSuspendedExperiment(t *testing.T) {
	l := newSimulator(t, "{spec: {pauseRuns: true}}")
	if step := l.reconcileOnce(); len(step.DesiredNetworks)+len(step.RunsToCreate) > 0 {
		t.Errorf("paused from the start, it makes networks %v and runs %v", step.DesiredNetworks, step.RunsToCreate)
	}
	l.experiment.Spec.PauseRuns = false
	l.reconcileOnce()
	l.experiment.Spec.PauseRuns = true
	for range 3 {
		l.reconcileOnce()
	}
	l.assertCreatedRuns("exp-p01-r1")
	if len(l.observed.Networks) != 1 {
		t.Errorf("paused in the middle, it has networks %v, want its one", l.observed.Networks)
	}
	l.experiment.Spec.PauseRuns = false
	l.runToEnd()
	l.assertCreatedRuns("exp-p01-r1 exp-p01-r2")
}

func TestNetworksAreRetained(t *testing.T) {
	l := newSimulator(t, "{spec: {networkRetention: Retain, "+twoAxesSpec+"}}")
	l.runToEnd()
	if len(l.observed.Networks) != 2 {
		t.Errorf("networks %v are left, want both", l.observed.Networks)
	}
}
