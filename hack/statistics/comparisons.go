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

// simulateComparisons compares a version with itself and with one that is 5 % faster.
func simulateComparisons(simulations int) markdownTable {
	t := markdownTable{header: []string{"runs", "per side", "false alarms", "coverage", "power for +5 %"}}
	for _, law := range comparisonLaws {
		for _, n := range []int{5, 10} {
			same := simulate(simulations, func(r *rand.Rand) statistics.Comparison { return simulateComparison(r, law.source(r), n, 1) })
			faster := simulate(simulations, func(r *rand.Rand) statistics.Comparison { return simulateComparison(r, law.source(r), n, 1.05) })
			t.rows = append(t.rows, []string{law.name, fmt.Sprint(n), formatShare(same, isAlarm),
				formatShare(same, func(c statistics.Comparison) bool { return c.Low <= 0 && c.High >= 0 }), formatShare(faster, isAlarm)})
		}
	}
	return t
}

func isAlarm(c statistics.Comparison) bool { return c.IsSignificant(confidence) }

var comparisonLaws = []struct {
	name   string
	source func(r *rand.Rand) runSource
}{
	{"normal, 3 %", func(r *rand.Rand) runSource {
		return func(int) float64 { return 100 * math.Exp(0.03*r.NormFloat64()) }
	}},
	{"drift of 1 % per run, 3 %", func(r *rand.Rand) runSource {
		return func(place int) float64 { return 100 * math.Exp(0.01*float64(place)+0.03*r.NormFloat64()) }
	}},
}

// simulateComparison measures n alternating runs of each side. The candidate's are multiplied by factor.
func simulateComparison(r *rand.Rand, next runSource, n int, factor float64) statistics.Comparison {
	var baseline, candidate []float64
	for i := range n {
		baseline, candidate = append(baseline, next(2*i)), append(candidate, factor*next(2*i+1))
	}
	return statistics.Compare(baseline, candidate, statistics.CompareOptions{Confidence: confidence, Seed: int64(r.Uint32())})
}
