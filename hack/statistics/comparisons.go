package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

const confidence = 0.95

// runSource returns the value of the next run, given its place in the order of the experiment.
type runSource func(place int) float64

// comparisonLaw is a family of simulated systems.
type comparisonLaw struct {
	name   string
	source func(r *rand.Rand) runSource
	// pairs is the number of pairs; 0 means 8 runs of the baseline and 12 of the candidate, without pairs.
	pairs int
}

func newNoiseSource(deviation float64) func(r *rand.Rand) runSource {
	return func(r *rand.Rand) runSource {
		return func(int) float64 { return 100 * math.Exp(deviation*r.NormFloat64()) }
	}
}

// newDriftSource returns a source of runs with a change per run and 3 % noise.
func newDriftSource(perRun float64) func(r *rand.Rand) runSource {
	return func(r *rand.Rand) runSource {
		return func(place int) float64 { return 100 * math.Exp(perRun*float64(place)+0.03*r.NormFloat64()) }
	}
}

// newAutocorrelatedSource returns a source whose runs depend on the one before, with a total noise of 3 %.
func newAutocorrelatedSource(correlation float64) func(r *rand.Rand) runSource {
	return func(r *rand.Rand) runSource {
		x := r.NormFloat64()
		return func(int) float64 {
			x = correlation*x + math.Sqrt(1-correlation*correlation)*r.NormFloat64()
			return 100 * math.Exp(0.03*x)
		}
	}
}

func roundedRuns(r *rand.Rand) runSource {
	next := newNoiseSource(0.03)(r)
	return func(place int) float64 { return 2 * math.Round(next(place)/2) }
}

// heavyTailed has Student's distribution with three degrees of freedom.
func heavyTailed(r *rand.Rand) runSource {
	return func(int) float64 {
		sum := 0.0
		for range 3 {
			x := r.NormFloat64()
			sum += x * x
		}
		return 100 * math.Exp(0.03*r.NormFloat64()/math.Sqrt(sum/3))
	}
}

func newDisturbedSource(r *rand.Rand) runSource {
	return func(int) float64 {
		x := 100 * math.Exp(0.03*r.NormFloat64())
		if r.IntN(10) == 0 {
			x *= 0.7
		}
		return x
	}
}

var comparisonLaws = []comparisonLaw{
	{name: "noise 3 %", source: newNoiseSource(0.03), pairs: 10},
	{name: "noise 3 %", source: newNoiseSource(0.03), pairs: 20},
	{name: "noise 2.1 % (log ratio 3 %)", source: newNoiseSource(0.03 / math.Sqrt2), pairs: 10},
	{name: "drift of 1 % per run", source: newDriftSource(0.01), pairs: 10},
	{name: "drift of 1 % per run", source: newDriftSource(0.01), pairs: 20},
	{name: "drift of 3 % per run", source: newDriftSource(0.03), pairs: 10},
	{name: "AR(1), 0.5", source: newAutocorrelatedSource(0.5), pairs: 10},
	{name: "AR(1), 0.9", source: newAutocorrelatedSource(0.9), pairs: 10},
	{name: "ties (steps of 2 %)", source: roundedRuns, pairs: 10},
	{name: "heavy tails (t, 3)", source: heavyTailed, pairs: 10},
	{name: "one run in ten 30 % off", source: newDisturbedSource, pairs: 10},
	{name: "8 against 12 runs", source: newNoiseSource(0.03)},
	{name: "8 against 12, ties", source: roundedRuns},
}

// simulateComparisons compares a version with itself and with one that is 5 % faster.
func simulateComparisons(simulations int) markdownTable {
	t := markdownTable{header: []string{"runs", "pairs", "false alarms", "coverage", "power for +5 %"}}
	isAlarm := func(c statistics.Comparison) bool { return c.IsSignificant(confidence) }
	isCovered := func(c statistics.Comparison) bool { bounds := c.Bounds(); return bounds.Low <= 0 && bounds.High >= 0 }
	for _, law := range comparisonLaws {
		compare := func(factor float64) []statistics.Comparison {
			return simulate(simulations, func(r *rand.Rand) statistics.Comparison { return law.simulateComparison(r, factor) })
		}
		same, pairs := compare(1), "none"
		if law.pairs > 0 {
			pairs = fmt.Sprint(law.pairs)
		}
		t.rows = append(t.rows, []string{law.name, pairs, formatShare(same, isAlarm), formatShare(same, isCovered), formatShare(compare(1.05), isAlarm)})
	}
	return t
}

// simulateComparison measures both sides; the candidate's runs are multiplied by factor.
func (l *comparisonLaw) simulateComparison(r *rand.Rand, factor float64) statistics.Comparison {
	next := l.source(r)
	o := statistics.CompareOptions{Confidence: confidence, Paired: l.pairs > 0}
	var baseline, candidate []float64
	if !o.Paired {
		for place := range 20 {
			if len(baseline) < 8 && (len(candidate) == 12 || r.IntN(20-place) < 8-len(baseline)) {
				baseline = append(baseline, next(place))
			} else {
				candidate = append(candidate, factor*next(place))
			}
		}
		return statistics.Compare(baseline, candidate, o)
	}
	candidateFirst := false
	for pair := range l.pairs {
		if candidateFirst = !candidateFirst; pair%2 == 0 {
			candidateFirst = r.IntN(2) == 0
		}
		first, second := next(2*pair), next(2*pair+1)
		if candidateFirst {
			first, second = second, first
		}
		baseline, candidate = append(baseline, first), append(candidate, factor*second)
	}
	return statistics.Compare(baseline, candidate, o)
}
