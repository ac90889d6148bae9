package experiment

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/names"
)

// The verdicts of a run of an experiment, besides those of the run itself.
const (
	verdictValid   = string(v1alpha1.VerdictValid)
	verdictInvalid = string(v1alpha1.VerdictInvalid)
	verdictFailed  = "Failed"
)

// Seen is what there is of an experiment.
type Seen struct {
	// Runs by name. One that goes on has no Verdict.
	Runs map[string]Run
	// Networks by name; true where one is being deleted.
	Networks map[string]bool
}

// Step is what is to be done next. It follows from the design and from what was seen alone.
type Step struct {
	// Networks that shall stand, by their index in the design.
	Networks []int
	// Runs that shall be made.
	Runs []PlannedRun
	// Current are the names of the runs under way.
	Current []string
	// Made has every run that was asked for so far, by name, in the order of the experiment.
	Made []PlannedRun
	// Searches have what each search found so far, in the order of the points.
	Searches []Searched
	// Settled turns of Turns: those whose runs have all ended.
	Settled, Turns int
	// Clearing is a network that has to be gone before the next can be made.
	Clearing string
	// Stopped is the run whose failure stopped the experiment, or empty.
	Stopped string
}

// Done tells whether nothing is left to be measured.
func (s *Step) Done() bool { return s.Stopped != "" || s.Settled == s.Turns }

// PlannedRun is one run of a point.
type PlannedRun struct {
	Name  string
	Point PointKey
	// Network is its index in the design.
	Network             int
	Repetition, Attempt int
	Workload            v1alpha1.Workload
}

// PointKey identifies the point of a run: one of the design, at a load of its own where it is searched.
type PointKey struct {
	Name       string
	Variant    string
	Parameters []Parameter
}

// Searched is what one search found so far.
type Searched struct {
	Point int
	Search
	// Loads that were tried, in ascending order.
	Loads []int64
}

// Next says what to do. An experiment that is suspended starts nothing; what is under way goes on.
func (d *Design) Next(e *v1alpha1.BenchmarkExperiment, groups []Group, seen Seen) Step {
	w := walk{design: d, experiment: e, seen: seen}
	var open []Group
	for _, g := range groups {
		w.step.Turns += len(g.Turns)
		if begun, due, settled := w.group(g); settled {
			w.keep(g, begun)
		} else if w.step.Stopped == "" {
			open = append(open, g)
			w.due = append(w.due, due)
			w.begun = append(w.begun, begun)
		}
	}
	w.activate(open)
	slices.SortStableFunc(w.step.Searches, func(a, b Searched) int { return a.Point - b.Point })
	return w.step
}

// walk goes over the groups once.
type walk struct {
	design     *Design
	experiment *v1alpha1.BenchmarkExperiment
	seen       Seen
	step       Step
	// due is the run that each open group asks for next, nil while one is under way; begun tells whether it has made anything.
	due   []*PlannedRun
	begun []bool
}

// keep lets the networks of a group that is over stand, where that is asked for.
func (w *walk) keep(g Group, begun bool) {
	if begun && w.experiment.Spec.Networks == v1alpha1.RetentionKeep {
		w.want(g)
	}
}

func (w *walk) want(g Group) {
	for _, n := range g.Networks {
		if !slices.Contains(w.step.Networks, n) {
			w.step.Networks = append(w.step.Networks, n)
		}
	}
}

// activate lets as many groups go on as networks may be measured at the same time. One that has made nothing yet waits
// until the networks of those that are over are gone: they would disturb it, and may hold the room that it needs.
func (w *walk) activate(open []Group) {
	limit := int(max(1, w.experiment.Spec.Parallelism))
	active := open[:min(limit, len(open))]
	for i, g := range active {
		if w.begun[i] {
			w.want(g)
		}
	}
	w.step.Clearing = w.leftover()
	for i, g := range active {
		if !w.begun[i] && (w.experiment.Spec.Suspend || w.step.Clearing != "") {
			continue
		}
		w.want(g)
		if w.due[i] != nil && !w.experiment.Spec.Suspend {
			w.step.Runs = append(w.step.Runs, *w.due[i])
		}
	}
}

// leftover is a network of the design that is there and not wanted, or empty.
func (w *walk) leftover() string {
	for i, n := range w.design.Networks {
		if _, there := w.seen.Networks[n.Name]; there && !slices.Contains(w.step.Networks, i) {
			return n.Name
		}
	}
	return ""
}

// group goes over the turns up to the first that is not settled.
func (w *walk) group(g Group) (begun bool, due *PlannedRun, settled bool) {
	for _, n := range g.Networks {
		_, there := w.seen.Networks[w.design.Networks[n].Name]
		begun = begun || there
	}
	for _, t := range g.Turns {
		before := len(w.step.Made)
		due, settled = w.turn(t)
		begun = begun || len(w.step.Made) > before
		if !settled {
			return begun, due, false
		}
		w.step.Settled++
		if w.step.Stopped != "" {
			return begun, nil, true
		}
	}
	return begun, nil, true
}

// turn tells whether all runs of a turn have ended, and which one to make if one is missing.
func (w *walk) turn(t Turn) (due *PlannedRun, settled bool) {
	if t.Repetition == 0 {
		return w.search(t.Point)
	}
	p := &w.design.Points[t.Point]
	run := PlannedRun{Point: PointKey{p.Name, p.Variant, p.Parameters}, Network: p.Network, Repetition: t.Repetition, Workload: p.Workload}
	return w.attempts(run)
}

// attempts follows the attempts at one run.
func (w *walk) attempts(run PlannedRun) (due *PlannedRun, settled bool) {
	policy := w.experiment.Spec.Failures
	for attempt := 1; ; attempt++ {
		run.Attempt = attempt
		run.Name = runName(w.experiment, &run)
		seen, there := w.seen.Runs[run.Name]
		if !there {
			return &run, false
		}
		w.step.Made = append(w.step.Made, run)
		if seen.Verdict == "" {
			w.step.Current = append(w.step.Current, run.Name)
			return nil, false
		}
		if seen.Verdict == verdictFailed && policy.Failed == v1alpha1.FailedStop {
			w.step.Stopped = run.Name
			return nil, true
		}
		repeat := seen.Verdict == verdictFailed && policy.Failed == v1alpha1.FailedRepeat ||
			seen.Verdict == verdictInvalid && policy.Invalid == v1alpha1.InvalidRepeat
		if !repeat || attempt >= int(max(1, policy.Attempts)) {
			return nil, true
		}
	}
}

func runName(e *v1alpha1.BenchmarkExperiment, run *PlannedRun) string {
	return names.ExperimentRun(e.Name, run.Point.Name, run.Repetition, run.Attempt)
}

// search replays what a search has tried, and asks for the next load.
func (w *walk) search(point int) (due *PlannedRun, settled bool) {
	p := &w.design.Points[point]
	spec := w.experiment.Spec.Saturation
	var trials []Trial
	found := Searched{Point: point}
	repetitions := map[int64]int{}
	for {
		found.Search = NextLoad(spec, p.Workload.Load.Model, trials)
		load := found.Next
		if load == 0 {
			w.step.Searches = append(w.step.Searches, found)
			return nil, true
		}
		run := PlannedRun{Point: loadPoint(p, load), Network: p.Network, Repetition: repetitions[load] + 1, Workload: underLoad(p.Workload, load)}
		due, settled = w.attempts(run)
		if !settled {
			w.step.Searches = append(w.step.Searches, found)
			return due, false
		}
		last := w.step.Made[len(w.step.Made)-1]
		if repetitions[load]++; repetitions[load] == 1 {
			found.Loads = append(found.Loads, load)
			slices.Sort(found.Loads)
		}
		trials = append(trials, trialOf(load, w.seen.Runs[last.Name], spec))
		if w.step.Stopped != "" {
			return nil, true
		}
	}
}

// loadName of a search's parameter.
const loadName = "load"

func loadPoint(p *PlannedPoint, load int64) PointKey {
	parameters := append(slices.Clone(p.Parameters), Parameter{Name: loadName, Value: fmt.Sprint(load)})
	return PointKey{Name: names.LoadPoint(p.Name, load), Variant: p.Variant, Parameters: parameters}
}

// underLoad is the workload with that many clients, or at that rate.
func underLoad(workload v1alpha1.Workload, load int64) v1alpha1.Workload {
	w := *workload.DeepCopy()
	if w.Load.Model == v1alpha1.LoadOpen {
		w.Load.RatePerSecond = resource.NewQuantity(load, resource.DecimalSI)
		return w
	}
	w.Load.Clients, w.Load.MaxOutstanding = int32(load), nil
	return w
}

func trialOf(load int64, run Run, spec *v1alpha1.SaturationSearch) Trial {
	return Trial{Load: load, Valid: run.Verdict == verdictValid,
		Throughput: run.Metrics[string(v1alpha1.MetricThroughput)],
		Latency:    run.Metrics[string(spec.ServiceLevel.Percentile)],
		ErrorShare: run.Metrics[string(v1alpha1.MetricErrorShare)]}
}
