package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

// coverageLaw is a distribution of runs with its mean.
type coverageLaw struct {
	name string
	mean float64
	draw func(r *rand.Rand) float64
}

// paretoIndex is the tail index of the heavy tail: the variance is finite, the third moment is not.
const paretoIndex = 2.5

var coverageLaws = []coverageLaw{
	{"normal, noise 10 %", 100, func(r *rand.Rand) float64 { return 100 + 10*r.NormFloat64() }},
	{"log-normal, noise 30 %", math.Exp(0.3 * 0.3 / 2), func(r *rand.Rand) float64 { return math.Exp(0.3 * r.NormFloat64()) }},
	{"exponential", 1, func(r *rand.Rand) float64 { return r.ExpFloat64() }},
	{"heavy tail (Pareto, 2.5)", paretoIndex / (paretoIndex - 1), func(r *rand.Rand) float64 { return math.Exp(r.ExpFloat64() / paretoIndex) }},
	{"bimodal: one run in ten twice as high", 110, func(r *rand.Rand) float64 {
		if r.IntN(10) == 0 {
			return 200 + 6*r.NormFloat64()
		}
		return 100 + 3*r.NormFloat64()
	}},
}

// coverageSizes are numbers of runs, or of pairs.
var coverageSizes = []int{5, 6, 8, 10, 20, 30}

// simulateCoverage returns how often intervals contain the truth, by the distribution of runs: that of the mean of a point, and that of
// a difference of 10 %.
func simulateCoverage(simulations int) markdownTable {
	t := markdownTable{header: []string{"runs", "interval of"}}
	for _, n := range coverageSizes {
		t.header = append(t.header, fmt.Sprintf("n = %d", n))
	}
	for i := range coverageLaws {
		law := &coverageLaws[i]
		for _, estimand := range []struct {
			name     string
			contains func(r *rand.Rand, n int) bool
		}{
			{"the mean", law.coversMean},
			{"a difference of pairs", func(r *rand.Rand, n int) bool { return law.coversDifference(r, n, true) }},
			{"a difference without pairs", func(r *rand.Rand, n int) bool { return law.coversDifference(r, n, false) }},
		} {
			row := []string{law.name, estimand.name}
			for _, n := range coverageSizes {
				covered := simulate(simulations, func(r *rand.Rand) bool { return estimand.contains(r, n) })
				row = append(row, formatShare(covered, func(covers bool) bool { return covers }))
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

func (l *coverageLaw) drawRuns(r *rand.Rand, n int, factor float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = factor * l.draw(r)
	}
	return values
}

func (l *coverageLaw) coversMean(r *rand.Rand, n int) bool {
	bounds := statistics.EstimateMean(l.drawRuns(r, n, 1), confidence).Bounds()
	return bounds.Low <= l.mean && l.mean <= bounds.High
}

// coversDifference reports whether the interval contains the difference of two systems whose runs have the same distribution but for a
// factor.
func (l *coverageLaw) coversDifference(r *rand.Rand, n int, paired bool) bool {
	const difference = 0.1
	bounds := statistics.Compare(l.drawRuns(r, n, 1), l.drawRuns(r, n, 1+difference), statistics.CompareOptions{Confidence: confidence, Paired: paired}).Bounds()
	return bounds.Low <= difference && difference <= bounds.High
}
