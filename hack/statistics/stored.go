package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// storedDesign is a baseline that was stored before a candidate, which is its equal, is measured in pairs with a control.
type storedDesign struct {
	name   string
	source func(r *rand.Rand) runSource
	// runs is the number of runs of each.
	runs int
}

var storedDesigns = []storedDesign{
	{name: "noise 3 %", source: newNoiseSource(0.03), runs: 10},
	{name: "drift of 0.2 % per run", source: newDriftSource(0.002), runs: 10},
	{name: "drift of 1 % per run", source: newDriftSource(0.01), runs: 10},
	{name: "drift of 1 % per run", source: newDriftSource(0.01), runs: 20},
	{name: "AR(1), 0.5", source: newAutocorrelatedSource(0.5), runs: 10},
	{name: "AR(1), 0.9", source: newAutocorrelatedSource(0.9), runs: 10},
	{name: "AR(1), 0.9", source: newAutocorrelatedSource(0.9), runs: 20},
}

// simulateStored counts the claims about a candidate that equals its stored baseline, without and with a control.
func simulateStored(simulations int) markdownTable {
	t := markdownTable{header: []string{"runs", "of each", "without control: false claims", "with control: false claims", "the control differs"}}
	claimed := func(c experiment.ComparisonOutcome) bool {
		return c.Verdict == v1alpha1.ComparisonBetter || c.Verdict == v1alpha1.ComparisonWorse
	}
	for _, d := range storedDesigns {
		judge := func(control string, at int) string {
			return formatShare(simulate(simulations, func(r *rand.Rand) experiment.ComparisonOutcome { return d.compareCandidate(r, control)[at] }), claimed)
		}
		t.rows = append(t.rows, []string{d.name, fmt.Sprint(d.runs), judge("", 1), judge("control", 1), judge("control", 0)})
	}
	return t
}

// compareCandidate simulates the runs of the baseline and then pairs of control and candidate. It returns the comparisons of the control
// and of the candidate. Without a control, both are compared with the stored baseline.
func (d *storedDesign) compareCandidate(r *rand.Rand, control string) []experiment.ComparisonOutcome {
	stored := &experiment.Result{Experiment: experiment.Identity{Name: "earlier", UID: "1"}, Points: []experiment.Point{{Name: "p01"}}}
	result := &experiment.Result{Experiment: experiment.Identity{Name: "later", UID: "2"}, Order: string(v1alpha1.OrderRandomizedPairs),
		Points: []experiment.Point{{Name: "p01", Variant: "control"}, {Name: "p02", Variant: "candidate"}}}
	next, place := d.source(r), 0
	measure := func(to *experiment.Result, point, repetition int) {
		to.Runs = append(to.Runs, experiment.Run{Point: to.Points[point].Name, Repetition: repetition, Verdict: experiment.RunValid,
			Start: time.Unix(int64(place), 0), Metrics: map[string]float64{string(v1alpha1.MetricThroughput): next(place)}})
		place++
	}
	for run := range d.runs {
		measure(stored, 0, run+1)
	}
	for pair := range d.runs {
		first := r.IntN(2)
		measure(result, first, pair+1)
		measure(result, 1-first, pair+1)
	}
	spec := &v1alpha1.Comparison{Stored: &v1alpha1.StoredResult{}, Control: control, Metrics: []v1alpha1.Metric{v1alpha1.MetricThroughput},
		ConfidencePercent: 100 * confidence}
	return experiment.CompareVariants(experiment.Question{Spec: spec, Result: result, Stored: stored})
}
