package experiment

import (
	"cmp"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// BuildResult returns the result of an experiment, which may still be running. stored is the baseline of an
// earlier experiment, or nil.
func (d *Design) BuildResult(e *v1alpha1.BenchmarkExperiment, seed int64, step *NextStep, seen ObservedState, stored *Result) *Result {
	r := &Result{
		APIVersion: APIVersion, Kind: Kind, SchemaVersion: SchemaVersion,
		Experiment: Identity{Namespace: e.Namespace, Name: e.Name, UID: string(e.UID)},
		Strategy:   string(e.Spec.Strategy), Order: string(e.Spec.OrderType()), Seed: seed, Confidence: confidenceLevel(e.Spec.Compare),
		Axes: d.Axes, Variants: []string{}, Points: []Point{}, Runs: d.collectEndedRuns(step, seen),
	}
	if d.Deployments > 1 {
		r.RunsPerDeployment = d.runsPerDeployment
	}
	for _, v := range e.Spec.Variants {
		r.Variants = append(r.Variants, v.Name)
	}
	r.Points = d.summarizePoints(step, r)
	for _, s := range step.Searches {
		r.Saturation = append(r.Saturation, d.summarizeSearch(s))
	}
	if level := e.Spec.Saturation; level != nil {
		r.ServiceLevel = newServiceLevel(level.ServiceLevel())
	}
	if e.Spec.Compare != nil {
		r.FirstRepetition = e.Spec.Compare.FirstRepetition
		r.Comparisons = CompareVariants(Question{e.Spec.Compare, r, stored})
		r.labelComparisons()
	}
	for _, run := range r.Runs {
		if !run.Start.IsZero() && (r.Start.IsZero() || run.Start.Before(r.Start)) {
			r.Start = run.Start
		}
		if run.End.After(r.End) {
			r.End = run.End
		}
	}
	return r
}

func newServiceLevel(level v1alpha1.ServiceLevel) *ServiceLevel {
	return &ServiceLevel{
		Metric:        level.Metric,
		LatencyMillis: float64(level.MaxLatency.Microseconds()) / 1000,
		MaxErrorShare: level.MaxErrorShare,
	}
}

// labelComparisons sets the parameters of each comparison from its point.
func (r *Result) labelComparisons() {
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		at := slices.IndexFunc(r.Points, func(p Point) bool { return p.Name == c.Point })
		if at >= 0 && len(r.Points[at].Parameters) > 0 {
			c.Parameters = formatPointLabel("", r.Points[at].Parameters)
		}
	}
}

// defaultConfidence is the confidence of all intervals.
const defaultConfidence = 0.95

func confidenceLevel(compare *v1alpha1.Comparison) float64 {
	if compare != nil && compare.ConfidencePercent > 0 {
		return float64(compare.ConfidencePercent) / 100
	}
	return defaultConfidence
}

// collectEndedRuns returns the runs that have ended or were deleted, sorted by their start.
func (d *Design) collectEndedRuns(step *NextStep, seen ObservedState) []Run {
	runs := []Run{}
	for _, created := range step.CreatedRuns {
		run := seen.Runs[created.Name]
		if run.Verdict == "" {
			continue
		}
		run.Point, run.Repetition, run.Attempt, run.Network = created.Point.Name, created.Repetition, created.Attempt, d.Networks[created.Network].Name
		runs = append(runs, run)
	}
	for _, created := range step.DeletedRuns {
		runs = append(runs, Run{Name: created.Name, Point: created.Point.Name, Repetition: created.Repetition, Attempt: created.Attempt,
			Network: d.Networks[created.Network].Name, Verdict: RunDeleted, Reasons: []string{"it was deleted"}})
	}
	slices.SortStableFunc(runs, func(a, b Run) int { return a.Start.Compare(b.Start) })
	return runs
}

// summarizePoints returns the points of the grid, or those that the searches tried, each with the numbers of
// its runs.
func (d *Design) summarizePoints(step *NextStep, r *Result) []Point {
	points := []Point{}
	for _, key := range d.pointKeys(step) {
		p := Point{Name: key.Name, Variant: key.Variant, Parameters: key.Parameters, Network: d.Networks[key.network].Name}
		var own []Run
		for _, run := range r.Runs {
			if run.Point != p.Name {
				continue
			}
			own = append(own, run)
			p.Unit, p.LatencyKind = cmp.Or(p.Unit, run.Unit), cmp.Or(p.LatencyKind, run.LatencyKind)
			p.countNotes(run.Notes)
			p.countRun(&run)
		}
		p.Deployments = estimateDeployments(selectCountedRuns(r, p.Name))
		p.Metrics, p.Bottleneck = EstimateMetrics(own, r.RunsPerDeployment, r.Confidence), mostFrequentBottleneck(own)
		p.FaultTimes = estimateFaultTimes(own, r.Confidence)
		p.Segments = estimateSegments(own, r.RunsPerDeployment, r.Confidence)
		p.Objectives = append(judgePoint(key.objectives, &p, own), judgePointQueries(key.queryObjectives, own)...)
		points = append(points, p)
	}
	return points
}

// countRun adds one run to the numbers of runs.
func (p *Point) countRun(run *Run) {
	switch run.Verdict {
	case RunValid:
		p.Valid++
	case RunInvalid:
		p.Invalid++
		if slices.Contains(run.Codes, verdict.ReasonOfferedNotAchieved) {
			p.Overloaded++
		}
	case RunCancelled:
		p.Failed++
		p.Cancelled++
	case RunDeleted:
		p.Failed++
		p.Deleted++
	default:
		p.Failed++
	}
	if run.Attempt > 1 {
		p.Repeated++
	}
}

// countNotes adds the notes of one run and counts each code once.
func (p *Point) countNotes(notes []verdict.Reason) {
	counted := map[verdict.ReasonCode]bool{}
	for _, note := range notes {
		if counted[note.Code] {
			continue
		}
		if p.Notes == nil {
			p.Notes = map[verdict.ReasonCode]int{}
		}
		counted[note.Code] = true
		p.Notes[note.Code]++
	}
}

type pointOnNetwork struct {
	PointKey
	network int
	// objectives are those of the workload; none in a search, which has a service level instead.
	objectives      []v1alpha1.Objective
	queryObjectives []v1alpha1.QueryObjective
}

// pointKeys returns the keys of all points in order. The points of a search are those at the loads that it
// tried.
func (d *Design) pointKeys(step *NextStep) []pointOnNetwork {
	var keys []pointOnNetwork
	if len(step.Searches) == 0 {
		for _, p := range d.Points {
			keys = append(keys, pointOnNetwork{PointKey{p.Name, p.Variant, p.Parameters}, p.Network, p.Workload.MetricObjectives(), p.Workload.QueryObjectives()})
		}
		return keys
	}
	for _, s := range step.Searches {
		p := &d.Points[s.Point]
		for _, load := range s.Loads {
			keys = append(keys, pointOnNetwork{pointAtLoad(p, load, s.scale), p.Network, nil, nil})
		}
	}
	return keys
}

func (d *Design) summarizeSearch(s PointSearch) Saturation {
	p := &d.Points[s.Point]
	found := Saturation{Name: p.Label(), Load: s.scale.value(s.Load), Unmet: s.scale.value(s.Unmet), Unjudged: s.scale.value(s.Unjudged),
		Knee: s.scale.value(s.Knee), Message: s.Message, Points: []string{}}
	for _, load := range s.Loads {
		found.Points = append(found.Points, pointAtLoad(p, load, s.scale).Name)
	}
	return found
}

// mostFrequentBottleneck returns the most frequent bottleneck of the valid runs, or of all runs if none is
// valid. On a tie it returns the first one.
func mostFrequentBottleneck(runs []Run) string {
	valid := slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.Verdict != RunValid })
	if len(valid) == 0 {
		valid = runs
	}
	counts := map[string]int{}
	best := ""
	for _, run := range valid {
		counts[run.Bottleneck]++
	}
	for _, run := range valid {
		if best == "" || counts[run.Bottleneck] > counts[best] {
			best = run.Bottleneck
		}
	}
	return best
}
