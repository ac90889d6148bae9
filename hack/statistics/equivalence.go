package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

// reproductionMargin is the default margin of a reproduction.
const reproductionMargin = 0.1

// reproductionLaw is a family of simulated measurements and their reproductions.
type reproductionLaw struct {
	name   string
	source func(r *rand.Rand) runSource
	// baselines and candidates are the numbers of runs.
	baselines, candidates int
}

var reproductionLaws = []reproductionLaw{
	{"noise 3 %", newNoiseSource(0.03), 5, 5},
	{"noise 3 %", newNoiseSource(0.03), 10, 10},
	{"noise 5 %", newNoiseSource(0.05), 5, 5},
	{"noise 5 %", newNoiseSource(0.05), 10, 10},
	{"noise 10 %", newNoiseSource(0.1), 10, 10},
	{"noise 10 %", newNoiseSource(0.1), 20, 20},
	{"5 against 20 runs, noise 5 %", newNoiseSource(0.05), 5, 20},
	{"drift of 1 % per run on each side", newDriftSource(0.01), 10, 10},
	{"AR(1), 0.5", newAutocorrelatedSource(0.5), 10, 10},
	{"AR(1), 0.9", newAutocorrelatedSource(0.9), 10, 10},
	{"ties (steps of 2 %)", roundedRuns, 10, 10},
	{"heavy tails (t, 3)", heavyTailed, 10, 10},
	{"one run in ten 30 % off", newDisturbedSource, 10, 10},
}

// simulateEquivalence measures a version twice, and once with a difference of the margin, of half of it and of twice.
func simulateEquivalence(simulations int) markdownTable {
	t := markdownTable{header: []string{"runs", "per side", "at +10 %: reproduced (false)", "equal: reproduced", "+5 %: reproduced",
		"at +10 %: not reproduced (false)", "+20 %: not reproduced"}}
	isEquivalent := func(e statistics.Equivalence) bool { return e.IsEquivalent(confidence) }
	isBeyond := func(e statistics.Equivalence) bool { return e.IsBeyond(confidence, 1) }
	for _, law := range reproductionLaws {
		assess := func(factor float64) []statistics.Equivalence {
			return simulate(simulations, func(r *rand.Rand) statistics.Equivalence { return law.simulateEquivalence(r, factor) })
		}
		atMargin := assess(1 + reproductionMargin)
		t.rows = append(t.rows, []string{law.name, fmt.Sprintf("%d, %d", law.baselines, law.candidates), formatShare(atMargin, isEquivalent),
			formatShare(assess(1), isEquivalent), formatShare(assess(1+reproductionMargin/2), isEquivalent),
			formatShare(atMargin, isBeyond), formatShare(assess(1+2*reproductionMargin), isBeyond)})
	}
	return t
}

// simulateEquivalence measures both sides one after the other, each from its start; the candidate's runs are multiplied by
// factor.
func (l *reproductionLaw) simulateEquivalence(r *rand.Rand, factor float64) statistics.Equivalence {
	measure := func(runs int, factor float64) []float64 {
		next := l.source(r)
		var values []float64
		for place := range runs {
			values = append(values, factor*next(place))
		}
		return values
	}
	baseline := measure(l.baselines, 1)
	return statistics.AssessEquivalence(baseline, measure(l.candidates, factor), reproductionMargin, confidence)
}
