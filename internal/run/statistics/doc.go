// Package statistics estimates means with their intervals, compares two samples and detects a steady state. Its
// functions are pure; permutations take a seed.
package statistics

import (
	"fmt"

	"github.com/benchnet/benchnet/internal/format"
)

// MinRunsForInterval is the number of runs from which an interval is computed. Fewer runs are shown one by one.
const MinRunsForInterval = 5

// Estimate is the estimate of a mean from independent runs.
type Estimate struct {
	// N is the number of runs.
	N int `json:"n"`
	// Mean and StdDev are those of the runs; StdDev is 0 for one run.
	Mean   float64 `json:"mean"`
	StdDev float64 `json:"stdDev"`
	// Low and High bound the mean at the requested confidence. With fewer than MinRunsForInterval runs they are
	// the lowest and the highest run.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Values are the runs in order, if they are fewer than MinRunsForInterval.
	Values []float64 `json:"values,omitempty"`
}

// HasInterval reports whether Low and High are a confidence interval.
func (e Estimate) HasInterval() bool { return e.N >= MinRunsForInterval }

// HalfWidth returns half the width of the interval.
func (e Estimate) HalfWidth() float64 { return (e.High - e.Low) / 2 }

// String returns the mean with its interval in brackets, or of two to four runs with the lowest and the highest.
// Without a run it is empty.
func (e Estimate) String() string {
	switch {
	case e.N == 0:
		return ""
	case e.N == 1:
		return format.Number(e.Mean)
	case !e.HasInterval():
		return fmt.Sprintf("%s (%s to %s)", format.Number(e.Mean), format.Number(e.Low), format.Number(e.High))
	}
	return fmt.Sprintf("%s [%s, %s]", format.Number(e.Mean), format.Number(e.Low), format.Number(e.High))
}

// Comparison is the comparison of a candidate with a baseline.
type Comparison struct {
	// Baselines and Candidates are the numbers of runs, including failed ones.
	Baselines  int `json:"baselines"`
	Candidates int `json:"candidates"`
	// BaselineFailed and CandidateFailed are the numbers of runs that failed. They have the worst rank, and no
	// part in means and intervals.
	BaselineFailed  int `json:"baselineFailed"`
	CandidateFailed int `json:"candidateFailed"`
	// Paired reports whether run i of the candidate was compared with run i of the baseline.
	Paired bool `json:"paired"`
	// BaselineMean and CandidateMean are in the metric's own unit: geometric means on the scale Relative.
	BaselineMean  float64 `json:"baselineMean"`
	CandidateMean float64 `json:"candidateMean"`
	// Scale is Relative, or Absolute where shares of the baseline make no sense: for error shares, and if a run
	// is not above 0.
	Scale Scale `json:"scale"`
	// Difference is the difference on that scale: the ratio of the geometric means, less one, or the difference
	// of the means. Low and High bound it at the requested confidence, or are the extremes of its single values
	// with fewer than MinRunsForInterval runs or pairs.
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	// PValue is that of the exact two-sided test: signed ranks of pairs, or else the rank sum. AdjustedPValue is
	// corrected for the number of claims.
	PValue         float64 `json:"pValue"`
	AdjustedPValue float64 `json:"adjustedPValue"`
	// EffectSize is, from -1 to 1, how much more often a candidate's run exceeds a baseline's than the reverse:
	// Cliff's delta, or of pairs the rank-biserial correlation.
	EffectSize float64 `json:"effectSize"`
	// Detectable is the smallest difference, on the same scale, that so many runs of such a spread would have
	// shown with 80 % power; absent if it is unknown.
	Detectable *float64 `json:"detectable,omitempty"`
}
