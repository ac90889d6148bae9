package experiment

import (
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// RunVerdict is the verdict on a run as a part of an experiment. A run that ended without a result has one too.
type RunVerdict string

const (
	RunValid   = RunVerdict(v1alpha1.VerdictValid)
	RunInvalid = RunVerdict(v1alpha1.VerdictInvalid)
	// RunFailed and RunCancelled are verdicts of runs without a result: they failed, or a user cancelled them.
	RunFailed    = RunVerdict(v1alpha1.PhaseFailed)
	RunCancelled = RunVerdict(v1alpha1.PhaseCancelled)
	// RunDeleted is the verdict of a run that a user deleted before the experiment was complete.
	RunDeleted RunVerdict = "Deleted"
)

// ObservedState holds the existing runs and networks of an experiment.
type ObservedState struct {
	// Runs holds the runs by name. An active run has no Verdict.
	Runs map[string]Run
	// Networks holds the networks by name; the value is true while the network is being deleted.
	Networks map[string]bool
}

// NextStep is what to do next. It depends only on the design and the observed state.
type NextStep struct {
	// DesiredNetworks are the networks that must exist, as indexes into the design.
	DesiredNetworks []int
	// RunsToCreate are the runs to create.
	RunsToCreate []PlannedRun
	// ActiveRuns are the names of the active runs.
	ActiveRuns []string
	// CreatedRuns are all runs created so far, in the order of the experiment.
	CreatedRuns []PlannedRun
	// DeletedRuns are the runs that no longer exist. The next attempt replaces each.
	DeletedRuns []PlannedRun
	// Searches holds the state of each search, in the order of the points.
	Searches []PointSearch
	// EndedTurns is how many of TotalTurns have ended. A turn ends when all its runs have ended.
	EndedTurns, TotalTurns int
	// DeletingNetwork is a network that must be deleted before the next can be created.
	DeletingNetwork string
	// StoppedBy is the run whose failure or cancellation stopped the experiment, or empty.
	StoppedBy string
}

// IsDone reports whether nothing is left to measure.
func (s *NextStep) IsDone() bool { return s.StoppedBy != "" || s.EndedTurns == s.TotalTurns }

// PlannedRun is one run of a point.
type PlannedRun struct {
	Name  string
	Point PointKey
	// Network is an index into Design.Networks.
	Network             int
	Repetition, Attempt int
	Workload            v1alpha1.Workload
}

// PointKey identifies the point of a run: a point of the design, or for a search a point at one load.
type PointKey struct {
	Name       string
	Variant    string
	Parameters []Parameter
}

// PointSearch is the state of one search.
type PointSearch struct {
	Point int
	Search
	// Loads are the loads that were tried, in ascending order.
	Loads []int64
	scale loadScale
}

// DecideNextStep returns the next step. A paused experiment starts nothing, but active runs continue.
func (d *Design) DecideNextStep(e *v1alpha1.BenchmarkExperiment, groups []RunGroup, seen ObservedState) NextStep {
	w := nextStepBuilder{design: d, experiment: e, observed: seen}
	var open []RunGroup
	for _, g := range groups {
		w.step.TotalTurns += len(g.Turns)
		if begun, due, settled := w.visitGroup(g); settled {
			w.retainNetworks(g, begun)
		} else if w.step.StoppedBy == "" {
			open = append(open, g)
			w.nextRuns = append(w.nextRuns, due)
			w.started = append(w.started, begun)
		}
	}
	w.activateGroups(open)
	slices.SortStableFunc(w.step.Searches, func(a, b PointSearch) int { return a.Point - b.Point })
	return w.step
}

// nextStepBuilder visits the groups once.
type nextStepBuilder struct {
	design     *Design
	experiment *v1alpha1.BenchmarkExperiment
	observed   ObservedState
	step       NextStep
	// nextRuns holds the next run of each open group, nil while one is active. started reports whether the
	// group has created anything.
	nextRuns []*PlannedRun
	started  []bool
}

// retainNetworks keeps the networks of a settled group if the spec requests it.
func (w *nextStepBuilder) retainNetworks(g RunGroup, begun bool) {
	if begun && w.experiment.Spec.NetworkRetention == v1alpha1.RetentionRetain {
		w.requireNetworks(g)
	}
}

func (w *nextStepBuilder) requireNetworks(g RunGroup) {
	for _, n := range g.Networks {
		if !slices.Contains(w.step.DesiredNetworks, n) {
			w.step.DesiredNetworks = append(w.step.DesiredNetworks, n)
		}
	}
}

// activateGroups continues every group that has started, and starts others while fewer networks than
// spec.parallelism are measured: lowering it deletes no network. A group that has not started waits until the
// networks of settled groups are deleted, because they would disturb it and may hold the capacity that it needs.
func (w *nextStepBuilder) activateGroups(open []RunGroup) {
	active, limit := 0, int(max(1, w.experiment.Spec.Parallelism))
	for i, g := range open {
		if w.started[i] {
			w.requireNetworks(g)
			active++
		}
	}
	w.step.DeletingNetwork = w.findLeftoverNetwork()
	for i, g := range open {
		if !w.started[i] {
			if active >= limit || w.experiment.Spec.PauseRuns || w.step.DeletingNetwork != "" {
				continue
			}
			w.requireNetworks(g)
			active++
		}
		if w.nextRuns[i] != nil && !w.experiment.Spec.PauseRuns {
			w.step.RunsToCreate = append(w.step.RunsToCreate, *w.nextRuns[i])
		}
	}
}

// findLeftoverNetwork returns a network of the design that exists but is not desired, or an empty string.
func (w *nextStepBuilder) findLeftoverNetwork() string {
	for i, n := range w.design.Networks {
		if _, there := w.observed.Networks[n.Name]; there && !slices.Contains(w.step.DesiredNetworks, i) {
			return n.Name
		}
	}
	return ""
}

// visitGroup visits the turns up to the first that is not settled.
func (w *nextStepBuilder) visitGroup(g RunGroup) (begun bool, due *PlannedRun, settled bool) {
	for _, n := range g.Networks {
		_, there := w.observed.Networks[w.design.Networks[n].Name]
		begun = begun || there
	}
	for _, t := range g.Turns {
		before := len(w.step.CreatedRuns)
		due, settled = w.visitTurn(t)
		begun = begun || len(w.step.CreatedRuns) > before
		if !settled {
			return begun, due, false
		}
		w.step.EndedTurns++
		if w.step.StoppedBy != "" {
			return begun, nil, true
		}
	}
	return begun, nil, true
}

// visitTurn reports whether all runs of a turn have ended, and returns the run to create if one is missing.
func (w *nextStepBuilder) visitTurn(t Turn) (due *PlannedRun, settled bool) {
	if t.Repetition == 0 {
		return w.visitSearch(t.Point)
	}
	p := &w.design.Points[t.Point]
	run := PlannedRun{Point: PointKey{p.Name, p.Variant, p.Parameters}, Network: w.design.NetworkOf(t.Point, t.Repetition),
		Repetition: t.Repetition, Workload: p.Workload}
	return w.visitAttempts(run)
}

// visitAttempts follows the attempts at one run. A run that missed the offered rate is not repeated: it is a
// finding about its load. An attempt in the status that does not exist was deleted, and does not count for the policy.
func (w *nextStepBuilder) visitAttempts(run PlannedRun) (due *PlannedRun, settled bool) {
	policy := w.experiment.Spec.Failures
	recorded, deleted := recordedAttempts(&w.experiment.Status, run.Point.Name, run.Repetition), 0
	for attempt := 1; ; attempt++ {
		run.Attempt = attempt
		run.Name = runName(w.experiment, &run)
		seen, there := w.observed.Runs[run.Name]
		if !there && attempt <= recorded {
			w.step.DeletedRuns = append(w.step.DeletedRuns, run)
			deleted++
			continue
		}
		if !there {
			return &run, false
		}
		w.step.CreatedRuns = append(w.step.CreatedRuns, run)
		if seen.Verdict == "" {
			w.step.ActiveRuns = append(w.step.ActiveRuns, run.Name)
			return nil, false
		}
		if (seen.Verdict == RunFailed || seen.Verdict == RunCancelled) && policy.OnFailed == v1alpha1.FailedStop {
			w.step.StoppedBy = run.Name
			return nil, true
		}
		repeat := seen.Verdict == RunFailed && policy.OnFailed == v1alpha1.FailedRepeat ||
			seen.Verdict == RunInvalid && !seen.MissedOfferedRate() && policy.OnInvalid == v1alpha1.InvalidRepeat
		if !repeat || attempt-deleted >= int(max(1, policy.Attempts)) {
			return nil, true
		}
	}
}

// recordedAttempts returns the number of attempts at a repetition in the status, or 0.
func recordedAttempts(s *v1alpha1.BenchmarkExperimentStatus, point string, repetition int) int {
	for i := range s.Points {
		if p := &s.Points[i]; p.Name == point && repetition <= len(p.Attempts) {
			return int(p.Attempts[repetition-1])
		}
	}
	return 0
}

// CountAttempts returns the number of attempts at each repetition of a point, of which as many as in recorded are known to have existed.
func (s *NextStep) CountAttempts(point string, recorded []int32) []int32 {
	attempts := slices.Clone(recorded)
	for _, run := range s.CreatedRuns {
		if run.Point.Name != point {
			continue
		}
		for len(attempts) < run.Repetition {
			attempts = append(attempts, 0)
		}
		attempts[run.Repetition-1] = max(attempts[run.Repetition-1], int32(run.Attempt))
	}
	return attempts
}

func runName(e *v1alpha1.BenchmarkExperiment, run *PlannedRun) string {
	return naming.ExperimentRun(e.Name, run.Point.Name, run.Repetition, run.Attempt)
}

// visitSearch replays the trials of a search and returns the run at the next load.
func (w *nextStepBuilder) visitSearch(point int) (due *PlannedRun, settled bool) {
	p := &w.design.Points[point]
	spec := w.experiment.Spec.Saturation
	var trials []Trial
	found := PointSearch{Point: point, scale: scaleOf(spec)}
	repetitions := map[int64]int{}
	for {
		found.Search = NextLoad(spec, p.Workload.Load.Model, trials)
		load := found.Next
		if load == 0 {
			w.step.Searches = append(w.step.Searches, found)
			return nil, true
		}
		run := PlannedRun{Point: pointAtLoad(p, load, found.scale), Network: p.Network, Repetition: repetitions[load] + 1,
			Workload: workloadAtLoad(p.Workload, load, spec)}
		due, settled = w.visitAttempts(run)
		if !settled {
			w.step.Searches = append(w.step.Searches, found)
			return due, false
		}
		last := w.step.CreatedRuns[len(w.step.CreatedRuns)-1]
		if repetitions[load]++; repetitions[load] == 1 {
			found.Loads = append(found.Loads, load)
			slices.Sort(found.Loads)
		}
		trials = append(trials, newTrial(load, w.observed.Runs[last.Name], spec, last.Workload))
		if w.step.StoppedBy != "" {
			return nil, true
		}
	}
}

// loadParameter is the name of the load parameter of a search.
const loadParameter = "load"

func pointAtLoad(p *PlannedPoint, load int64, scale loadScale) PointKey {
	parameters := append(slices.Clone(p.Parameters), Parameter{Name: loadParameter, Value: scale.format(load)})
	return PointKey{Name: naming.SearchPoint(p.Name, scale.nameOf(load)), Variant: p.Variant, Parameters: parameters}
}
