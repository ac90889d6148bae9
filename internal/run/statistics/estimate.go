package statistics

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
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

// MedianEstimate is the estimate of a median from independent runs, of which some may only have shown that the value is larger.
type MedianEstimate struct {
	N int `json:"n"`
	// Censored is the number of values that are only known to be larger.
	Censored int `json:"censored,omitempty"`
	// Median is absent without values, and if too many are censored.
	Median *float64 `json:"median,omitempty"`
	// Low and High bound the median at the requested confidence by two of the values. Both are absent if there are too few values, and
	// High if it is censored.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	// Min and Max are the extremes. They are absent if they are censored.
	Min *float64 `json:"min,omitempty"`
	Max *float64 `json:"max,omitempty"`
}

// EstimateMedian estimates the median of the values, of which those that are censored are lower bounds. The interval needs no assumption
// about the distribution (H. David and H. Nagaraja, Order Statistics, 2003, section 7.1): 95 % need six values. It takes lower bounds as
// values for its own lower bound, and as infinite for the upper one.
func EstimateMedian(values []float64, isCensored []bool, confidence float64) MedianEstimate {
	e := MedianEstimate{N: len(values)}
	if e.N == 0 {
		return e
	}
	lowest, highest := slices.Sorted(slices.Values(values)), slices.Clone(values)
	for i, censored := range isCensored {
		if censored {
			e.Censored++
			highest[i] = math.Inf(1)
		}
	}
	slices.Sort(highest)
	known := func(v float64) *float64 {
		if math.IsInf(v, 1) {
			return nil
		}
		return &v
	}
	e.Min, e.Max = known(highest[0]), known(highest[e.N-1])
	e.Median = known(estimateSurvivalMedian(listSteps(values, isCensored)))
	if rank := medianRank(e.N, confidence); rank > 0 {
		e.Low, e.High = known(lowest[rank-1]), known(highest[e.N-rank])
	}
	return e
}

// medianRank returns the largest rank of which the value and its counterpart from above contain the median with the confidence; 0 if
// not even the extremes do.
func medianRank(n int, confidence float64) int {
	below := stats.BinomialDist{N: n, P: 0.5}
	rank := 0
	for below.CDF(float64(rank)) <= (1-confidence)/2 {
		rank++
	}
	return rank
}

// Format returns the median with its interval in brackets or, of fewer values, with the extremes in parentheses. What is censored is
// "not reached". It is empty without values.
func (e MedianEstimate) Format(formatNumber func(float64) string) string {
	describe := func(v *float64) string {
		if v == nil {
			return "not reached"
		}
		return formatNumber(*v)
	}
	switch {
	case e.N == 0:
		return ""
	case e.N == 1:
		return describe(e.Median)
	case e.Low != nil:
		return describe(e.Median) + " [" + describe(e.Low) + ", " + describe(e.High) + "]"
	}
	return describe(e.Median) + " (" + describe(e.Min) + " to " + describe(e.Max) + ")"
}
