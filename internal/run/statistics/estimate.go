package statistics

import (
	"math"
	"slices"
)

// EstimateMean estimates the mean of independent runs. The interval is Student's for the logarithm of the mean, so
// that a positive metric has no negative bound; if the mean is not above 0, it is Student's for the mean.
func EstimateMean(samples []float64, confidence float64) Estimate {
	return estimateMean(samples, confidence, func(mean, half float64) Range {
		if mean > 0 {
			return Range{mean * math.Exp(-half/mean), mean * math.Exp(half/mean)}
		}
		return Range{mean - half, mean + half}
	})
}

// EstimateShare estimates the mean of shares from 0 to 1 of independent runs. The interval is Student's for the logit of the mean, so
// that its bounds are shares too.
func EstimateShare(samples []float64, confidence float64) Estimate {
	return estimateMean(samples, confidence, func(mean, half float64) Range {
		if mean <= 0 || mean >= 1 { // All shares are equal.
			return Range{mean, mean}
		}
		odds, factor := mean/(1-mean), half/mean/(1-mean)
		return Range{1 / (1 + math.Exp(factor)/odds), 1 / (1 + math.Exp(-factor)/odds)}
	})
}

// estimateMean estimates a mean. bounds returns the interval of a mean with a half-width by Student's t.
func estimateMean(samples []float64, confidence float64, bounds func(mean, half float64) Range) Estimate {
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
	e.Interval = new(bounds(mean, tQuantile((1+confidence)/2, float64(n-1))*e.StdDev/math.Sqrt(float64(n))))
	return e
}
