package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// gateDesign is an experiment with pairs of runs on simulated systems.
type gateDesign struct {
	name   string
	source func(r *rand.Rand) runSource
	// deployments is the number of deployments of each variant, each with so many pairs.
	deployments, pairs int
	// between is the deviation between deployments of the same variant, as a share.
	between float64
}

var gateDesigns = []gateDesign{
	{name: "noise 1 %", source: newNoiseSource(0.01), deployments: 1, pairs: 6},
	{name: "noise 3 %", source: newNoiseSource(0.03), deployments: 1, pairs: 6},
	{name: "noise 3 %", source: newNoiseSource(0.03), deployments: 1, pairs: 10},
	{name: "noise 3 %", source: newNoiseSource(0.03), deployments: 1, pairs: 20},
	{name: "noise 3 %, drift of 1 % per run", source: newDriftSource(0.01), deployments: 1, pairs: 10},
	{name: "noise 3 %, AR(1), 0.5", source: newAutocorrelatedSource(0.5), deployments: 1, pairs: 10},
	{name: "heavy tails (t, 3)", source: heavyTailed, deployments: 1, pairs: 10},
	{name: "one run in ten 30 % off", source: newDisturbedSource, deployments: 1, pairs: 20},
	{name: "noise 1 %, 2 % between deployments", source: newNoiseSource(0.01), deployments: 1, pairs: 10, between: 0.02},
	{name: "noise 1 %, 2 % between deployments", source: newNoiseSource(0.01), deployments: 1, pairs: 20, between: 0.02},
	{name: "noise 1 %, 2 % between deployments", source: newNoiseSource(0.01), deployments: 10, pairs: 1, between: 0.02},
	{name: "noise 1 %, 2 % between deployments", source: newNoiseSource(0.01), deployments: 10, pairs: 2, between: 0.02},
	{name: "noise 1 %, 2 % between deployments", source: newNoiseSource(0.01), deployments: 20, pairs: 1, between: 0.02},
	{name: "as Malachite: noise 5.3 %, 5.5 % between deployments", source: newNoiseSource(0.053), deployments: 1, pairs: 10, between: 0.055},
	{name: "as Malachite: noise 5.3 %, 5.5 % between deployments", source: newNoiseSource(0.053), deployments: 10, pairs: 1, between: 0.055},
	{name: "as Malachite: noise 5.3 %, 5.5 % between deployments", source: newNoiseSource(0.053), deployments: 40, pairs: 1, between: 0.055},
}

// simulateGates judges a gate of 5 % on the throughput of candidates that are equal, 5 % slower and 10 % slower.
func simulateGates(simulations int) markdownTable {
	t := markdownTable{header: []string{"runs", "deployments × pairs", "equal: claimed different", "equal: passed",
		"-5 %: passed (false)", "-10 %: passed (false)", "-10 %: failed"}}
	passed := func(c experiment.ComparisonOutcome) bool { return c.Gate == v1alpha1.GatePassed }
	failed := func(c experiment.ComparisonOutcome) bool { return c.Gate == v1alpha1.GateFailed }
	claimed := func(c experiment.ComparisonOutcome) bool {
		return c.Verdict == v1alpha1.ComparisonBetter || c.Verdict == v1alpha1.ComparisonWorse
	}
	for _, d := range gateDesigns {
		judge := func(factor float64) []experiment.ComparisonOutcome {
			return simulate(simulations, func(r *rand.Rand) experiment.ComparisonOutcome { return d.judgeCandidate(r, factor) })
		}
		equal, atLimit, beyond := judge(1), judge(0.95), judge(0.9)
		t.rows = append(t.rows, []string{d.name, fmt.Sprintf("%d × %d", d.deployments, d.pairs), formatShare(equal, claimed), formatShare(equal, passed),
			formatShare(atLimit, passed), formatShare(beyond, passed), formatShare(beyond, failed)})
	}
	return t
}

// judgeCandidate simulates the runs of a baseline and of a candidate with its throughput times the factor, and compares them.
func (d *gateDesign) judgeCandidate(r *rand.Rand, factor float64) experiment.ComparisonOutcome {
	result := &experiment.Result{Order: string(v1alpha1.OrderRandomizedPairs),
		Points: []experiment.Point{{Name: "p01", Variant: "base"}, {Name: "p02", Variant: "other"}}}
	if d.deployments > 1 {
		result.RunsPerDeployment = d.pairs
	}
	next, place := d.source(r), 0
	for deployment := range d.deployments {
		levels := [2]float64{math.Exp(d.between * r.NormFloat64()), factor * math.Exp(d.between*r.NormFloat64())}
		for pair := range d.pairs {
			first := r.IntN(2)
			for _, side := range []int{first, 1 - first} {
				result.Runs = append(result.Runs, experiment.Run{Point: result.Points[side].Name, Repetition: deployment*d.pairs + pair + 1, Verdict: experiment.RunValid,
					Start: time.Unix(int64(place), 0), Metrics: map[string]float64{string(v1alpha1.MetricThroughput): levels[side] * next(place)}})
				place++
			}
		}
	}
	spec := &v1alpha1.Comparison{Baseline: "base", Metrics: []v1alpha1.Metric{v1alpha1.MetricThroughput}, ConfidencePercent: 100 * confidence,
		Gates: []v1alpha1.Gate{{Metric: v1alpha1.MetricThroughput, MaxRegressionPercent: resource.MustParse("5")}}}
	return experiment.CompareVariants(experiment.Question{Spec: spec, Result: result})[0]
}
