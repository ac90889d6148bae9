package statistics

import (
	"math"
	"slices"
)

// EstimateMean estimates the mean of independent runs. The interval is Student's for the logarithm of the mean, so
// that a positive metric has no negative bound; if the mean is not above 0, it is Student's for the mean.
func EstimateMean(samples []float64, confidence float64) Estimate {
	n, mean := len(samples), meanOrZero(samples)
	e := Estimate{N: n, Mean: mean}
	if n < 2 {
		e.Values = samples
		return e
	}
	e.StdDev = math.Sqrt(sumSquaredDeviations(samples) / float64(n-1))
	if n < MinRunsForInterval {
		e.Values, e.Extremes = samples, &Range{slices.Min(samples), slices.Max(samples)}
		return e
	}
	half := tQuantile((1+confidence)/2, float64(n-1)) * e.StdDev / math.Sqrt(float64(n))
	if mean > 0 {
		e.Interval = &Range{mean * math.Exp(-half/mean), mean * math.Exp(half/mean)}
	} else {
		e.Interval = &Range{mean - half, mean + half}
	}
	return e
}
