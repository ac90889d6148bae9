// Package statistics estimates means with their intervals, compares two samples and detects a steady state. Its
// functions are pure; resampling takes a seed.
package statistics

import "github.com/benchnet/benchnet/internal/format"

// Estimate is the estimate of a mean from independent runs.
type Estimate struct {
	// N is the number of runs.
	N int `json:"n"`
	// Mean and StdDev are those of the runs; StdDev is 0 for one run.
	Mean   float64 `json:"mean"`
	StdDev float64 `json:"stdDev"`
	// Low and High bound the mean at the requested confidence (Student's t); both are the mean for one run.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// HalfWidth returns half the width of the interval.
func (e Estimate) HalfWidth() float64 { return (e.High - e.Low) / 2 }

// String returns the mean and, of more than one run, half the width of the interval. Without a run it is empty.
func (e Estimate) String() string {
	switch e.N {
	case 0:
		return ""
	case 1:
		return format.Number(e.Mean)
	}
	return format.Number(e.Mean) + " ± " + format.Number(e.HalfWidth())
}

// Comparison is the comparison of a candidate with a baseline.
type Comparison struct {
	// Baselines and Candidates are the numbers of runs.
	Baselines  int `json:"baselines"`
	Candidates int `json:"candidates"`
	// BaselineMean and CandidateMean are in the metric's own unit.
	BaselineMean  float64 `json:"baselineMean"`
	CandidateMean float64 `json:"candidateMean"`
	// Scale is Relative, or Absolute where shares of the baseline make no sense: for error shares, and if a
	// baseline's run is not above 0.
	Scale Scale `json:"scale"`
	// Difference is the difference of the means on that scale. Low and High bound it (bootstrap).
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	// PValue is that of the two-sided Mann-Whitney U test.
	PValue float64 `json:"pValue"`
	// EffectSize is Cliff's delta, -1 to 1: how much more often a candidate's run exceeds a baseline's than the
	// reverse.
	EffectSize float64 `json:"effectSize"`
	// Detectable is the smallest difference, on the same scale, that so many runs of such a spread would have
	// shown with 80 % power; 0 if the spread is unknown or no difference could be significant.
	Detectable float64 `json:"detectable"`
}
