// Package statistics estimates means with their intervals, compares two samples and detects a steady state. Its
// functions are pure.
package statistics

import (
	"strings"

	"github.com/benchnet/benchnet/internal/format"
)

// MinRunsForInterval is the number of runs from which an interval is computed. Fewer runs are shown one by one.
const MinRunsForInterval = 5

// Range is a pair of bounds.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Uncertainty bounds a value by a confidence interval or, where there are too few runs for one, by extremes. At most
// one of them is set.
type Uncertainty struct {
	// Interval is the confidence interval at the requested confidence.
	Interval *Range `json:"interval,omitempty"`
	// Extremes are the lowest and the highest of fewer single values than MinRunsForInterval. They have no confidence.
	Extremes *Range `json:"extremes,omitempty"`
}

// BoundsOr returns the interval or the extremes, or the value as both bounds if it has neither.
func (u Uncertainty) BoundsOr(value float64) Range {
	switch {
	case u.Interval != nil:
		return *u.Interval
	case u.Extremes != nil:
		return *u.Extremes
	}
	return Range{value, value}
}

// Format formats the bounds by the given function: an interval in brackets, such as "[7.50, 12.5]", and extremes in
// parentheses, such as "(7.50 to 12.5)". It is empty without either.
func (u Uncertainty) Format(format func(float64) string) string {
	switch {
	case u.Interval != nil:
		return "[" + format(u.Interval.Low) + ", " + format(u.Interval.High) + "]"
	case u.Extremes != nil:
		return "(" + format(u.Extremes.Low) + " to " + format(u.Extremes.High) + ")"
	}
	return ""
}

// Estimate is the estimate of a mean from independent runs.
type Estimate struct {
	// N is the number of runs, or of deployments if the experiment has more than one.
	N int `json:"n"`
	// Mean and StdDev are those of the runs, or of the means of deployments; StdDev is 0 for one.
	Mean   float64 `json:"mean"`
	StdDev float64 `json:"stdDev"`
	// Uncertainty bounds the mean. A single run has none.
	Uncertainty
	// Values are the runs, or the means of deployments, in order, if they are fewer than MinRunsForInterval.
	Values []float64 `json:"values,omitempty"`
}

// Bounds returns the interval or the extremes, or the mean as both bounds of a single run.
func (e Estimate) Bounds() Range { return e.BoundsOr(e.Mean) }

// String returns the mean with its interval in brackets, or of two to four runs with the lowest and the highest.
// Without a run it is empty.
func (e Estimate) String() string {
	if e.N == 0 {
		return ""
	}
	return strings.TrimSpace(format.Number(e.Mean) + " " + e.Format(format.Number))
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
	// of the means. Uncertainty bounds it; the extremes are those of single pairs or, unpaired, of single runs.
	Difference float64 `json:"difference"`
	Uncertainty
	// OneSided has the lower and the upper bound of the difference, each of which alone has the confidence; absent for fewer runs than
	// MinRunsForInterval.
	OneSided *Range `json:"oneSided,omitempty"`
	// PValue is that of the exact two-sided test: signed ranks of pairs, or else the rank sum, or the log-rank test if some values are only
	// lower bounds, with which they have a part in means and intervals. AdjustedPValue is corrected for the number of claims.
	PValue         float64 `json:"pValue"`
	AdjustedPValue float64 `json:"adjustedPValue"`
	// EffectSize is, from -1 to 1, how much more often a candidate's run exceeds a baseline's than the reverse:
	// Cliff's delta, or of pairs the rank-biserial correlation, or of lower bounds that of the log-rank test.
	EffectSize float64 `json:"effectSize"`
	// Detectable is the smallest difference, on the same scale, that so many runs of such a spread would have
	// shown with 80 % power; absent if it is unknown.
	Detectable *float64 `json:"detectable,omitempty"`

	spread spread
	// censored reports that some values are only lower bounds.
	censored bool
}
