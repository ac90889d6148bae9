package experiment

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// lab carries out an experiment as the operator does, each pass from what is there alone.
type lab struct {
	t        *testing.T
	e        *v1alpha1.BenchmarkExperiment
	d        *Design
	groups   []Group
	seen     Seen
	made     []string
	standing int
	// verdict of a run that is made; Valid without it.
	verdict func(run PlannedRun) string
}

func newLab(t *testing.T, spec string) *lab {
	e, d := expand(t, spec)
	return &lab{t: t, e: e, d: d, groups: d.Groups(&e.Spec, Seed(e)),
		seen: Seen{Runs: map[string]Run{}, Networks: map[string]bool{}}}
}

// pass is one step; a network that is deleted is gone with the pass after the next.
func (l *lab) pass() Step {
	step := l.d.Next(l.e, l.groups, l.seen)
	wanted := map[string]bool{}
	for _, i := range step.Networks {
		wanted[l.d.Networks[i].Name] = true
		l.seen.Networks[l.d.Networks[i].Name] = false
	}
	for name, going := range l.seen.Networks {
		switch {
		case wanted[name]:
		case going:
			delete(l.seen.Networks, name)
		default:
			l.seen.Networks[name] = true
		}
	}
	l.standing = max(l.standing, len(l.seen.Networks))
	for _, run := range step.Runs {
		if _, again := l.seen.Runs[run.Name]; again {
			l.t.Fatalf("run %s is made twice", run.Name)
		}
		if !wanted[l.d.Networks[run.Network].Name] {
			l.t.Fatalf("run %s is made without its network", run.Name)
		}
		l.seen.Runs[run.Name] = Run{Name: run.Name}
		l.made = append(l.made, run.Name)
	}
	for _, name := range step.Current { // What was under way in this pass has ended by the next.
		at := slices.IndexFunc(step.Made, func(r PlannedRun) bool { return r.Name == name })
		run := l.seen.Runs[name]
		run.Verdict = verdictValid
		if l.verdict != nil {
			run.Verdict = l.verdict(step.Made[at])
		}
		l.seen.Runs[name] = run
	}
	return step
}

func (l *lab) finish() Step {
	for range 1000 {
		if step := l.pass(); step.Done() {
			l.pass()
			l.pass()
			return step
		}
	}
	l.t.Fatal("the experiment does not end")
	return Step{}
}

func (l *lab) want(runs string) {
	l.t.Helper()
	if got := strings.Join(l.made, " "); got != runs {
		l.t.Errorf("made\n  %s, want\n  %s", got, runs)
	}
}

const two = `axes: [{name: members, field: network.members.count, values: [2, 3]}, {name: clients, field: workload.load.clients, values: [1, 5]}]`

func TestListedOrder(t *testing.T) {
	l := newLab(t, "{spec: {"+two+"}}")
	l.finish()
	l.want("exp-p01-r1 exp-p01-r2 exp-p02-r1 exp-p02-r2 exp-p03-r1 exp-p03-r2 exp-p04-r1 exp-p04-r2")
	if l.standing != 1 || len(l.seen.Networks) != 0 {
		t.Errorf("%d networks stood at one time, want 1; %v are left", l.standing, l.seen.Networks)
	}
}

func TestInterleavedOrder(t *testing.T) {
	l := newLab(t, `
spec:
  order: {type: Interleaved}
  axes: [{name: members, field: network.members.count, values: [2, 3]}]
  variants: [{name: A, patch: {network: {platform: {corda: {version: "4.3"}}}}}, {name: B}]
`)
	l.finish()
	// p01 and p02 are A with 2 and 3 members, p03 and p04 B.
	l.want("exp-p01-r1 exp-p03-r1 exp-p01-r2 exp-p03-r2 exp-p02-r1 exp-p04-r1 exp-p02-r2 exp-p04-r2")
	if l.standing != 2 {
		t.Errorf("%d networks stood at one time, want the two of a point", l.standing)
	}
}

func TestShuffledOrder(t *testing.T) {
	orders := map[string]bool{}
	for seed := range 5 {
		spec := fmt.Sprintf("{spec: {order: {type: Shuffled, seed: %d}, %s}}", seed, two)
		first, again := newLab(t, spec), newLab(t, spec)
		first.finish()
		again.finish()
		again.want(strings.Join(first.made, " "))
		if len(first.made) != 8 || first.standing != 1 {
			t.Errorf("seed %d made %v with %d networks at one time", seed, first.made, first.standing)
		}
		orders[strings.Join(first.made, " ")] = true
	}
	if len(orders) < 4 {
		t.Errorf("five seeds give %d orders", len(orders))
	}
}

func TestParallelNetworks(t *testing.T) {
	l := newLab(t, "{spec: {parallelism: 2, "+two+"}}")
	l.finish()
	if l.standing != 2 || len(l.made) != 8 {
		t.Errorf("%d networks stood at one time, %d runs were made", l.standing, len(l.made))
	}
}

func TestFailedRuns(t *testing.T) {
	for policy, want := range map[string]string{
		"Continue": "exp-p01-r1 exp-p01-r2",
		"Repeat":   "exp-p01-r1 exp-p01-r1-a2 exp-p01-r1-a3 exp-p01-r2",
		"Stop":     "exp-p01-r1",
	} {
		l := newLab(t, "{spec: {failures: {failed: "+policy+", attempts: 3}}}")
		l.verdict = func(r PlannedRun) string {
			if r.Repetition == 1 {
				return verdictFailed
			}
			return verdictValid
		}
		step := l.finish()
		l.want(want)
		if (step.Stopped != "") != (policy == "Stop") || len(l.seen.Networks) != 0 {
			t.Errorf("%s: stopped by %q, networks %v are left", policy, step.Stopped, l.seen.Networks)
		}
	}
}

func TestInvalidRuns(t *testing.T) {
	l := newLab(t, "{spec: {failures: {invalid: Repeat, attempts: 3}}}")
	l.verdict = func(r PlannedRun) string {
		if r.Repetition == 2 && r.Attempt < 2 {
			return verdictInvalid
		}
		return verdictValid
	}
	l.finish()
	l.want("exp-p01-r1 exp-p01-r2 exp-p01-r2-a2")
	result := l.d.Assemble(l.e, 1, new(l.d.Next(l.e, l.groups, l.seen)), l.seen, nil)
	if p := result.Points[0]; p.Valid != 2 || p.Invalid != 1 || len(result.Runs) != 3 {
		t.Errorf("the point has %d valid and %d invalid runs of %d", p.Valid, p.Invalid, len(result.Runs))
	}
}

func TestSuspended(t *testing.T) {
	l := newLab(t, "{spec: {suspend: true}}")
	if step := l.pass(); len(step.Networks)+len(step.Runs) > 0 {
		t.Errorf("suspended from the start, it makes networks %v and runs %v", step.Networks, step.Runs)
	}
	l.e.Spec.Suspend = false
	l.pass()
	l.e.Spec.Suspend = true
	for range 3 {
		l.pass()
	}
	l.want("exp-p01-r1")
	if len(l.seen.Networks) != 1 {
		t.Errorf("suspended in the middle, it has networks %v, want its one", l.seen.Networks)
	}
	l.e.Spec.Suspend = false
	l.finish()
	l.want("exp-p01-r1 exp-p01-r2")
}

func TestNetworksAreKept(t *testing.T) {
	l := newLab(t, "{spec: {networks: Keep, "+two+"}}")
	l.finish()
	if len(l.seen.Networks) != 2 {
		t.Errorf("networks %v are left, want both", l.seen.Networks)
	}
}
