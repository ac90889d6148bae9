// Package statistics holds the methods by which runs are judged: estimates with their intervals, comparisons of two samples,
// and the detection of a steady state. All of it is pure; what resamples is given its seed.
package statistics

// Estimate of a mean from independent runs.
type Estimate struct {
	// N is the number of runs.
	N int `json:"n"`
	// Mean and StdDev of the runs; StdDev is 0 for one run.
	Mean   float64 `json:"mean"`
	StdDev float64 `json:"stdDev"`
	// Low and High bound the mean at the confidence that was asked for (Student's t); both are the mean for one run.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// HalfWidth of the interval.
func (e Estimate) HalfWidth() float64 { return (e.High - e.Low) / 2 }

// Comparison of a candidate with a baseline.
type Comparison struct {
	// Baselines and Candidates are the numbers of runs.
	Baselines  int `json:"baselines"`
	Candidates int `json:"candidates"`
	// BaselineMean and CandidateMean in the metric's own unit.
	BaselineMean  float64 `json:"baselineMean"`
	CandidateMean float64 `json:"candidateMean"`
	// Scale is Relative, or Absolute where shares of the baseline make no sense: for error shares, and where its mean is 0.
	Scale Scale `json:"scale"`
	// Difference of the means on that scale; Low and High bound it (bootstrap).
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	// PValue of the Mann-Whitney U test, two-sided.
	PValue float64 `json:"pValue"`
	// EffectSize is Cliff's delta, -1 to 1: how much more often a candidate's run exceeds a baseline's than the reverse.
	EffectSize float64 `json:"effectSize"`
	// Detectable is the smallest difference, on the same scale, that so many runs of such a spread would have shown with
	// 80 % power; 0 where nothing can be told of the spread, or no difference could be significant.
	Detectable float64 `json:"detectable"`
}
