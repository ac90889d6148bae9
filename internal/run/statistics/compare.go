package statistics

import (
	"math"
	"slices"
	"sort"

	"github.com/aclements/go-moremath/stats"
)

// Scale is the scale of a difference.
type Scale string

const (
	// Relative differences are shares of the baseline: the ratio of the geometric means, less one.
	Relative Scale = "Relative"
	// Absolute differences are in the metric's own unit.
	Absolute Scale = "Absolute"
)

// CompareOptions are the options of a comparison.
type CompareOptions struct {
	// Confidence is the confidence of the interval, and one minus the significance level; such as 0.95.
	Confidence float64
	// Scale is the scale of the difference. Default: Relative, or Absolute if a run is not above 0.
	Scale Scale
	// Paired compares run i of the candidate with run i of the baseline.
	Paired bool
	// Claims is the number of claims of the experiment, for which the significance level is corrected. Default: 1.
	Claims int
	// Shares reports that the values are shares from 0 to 1, so that their differences are from -1 to 1.
	Shares bool
	// Censored marks, of the baseline and of the candidate, the values that are only lower bounds. It is empty without any, and with pairs.
	Censored [2][]bool
}

// hasCensored reports whether a value is only a lower bound.
func (o CompareOptions) hasCensored() bool {
	return slices.Contains(o.Censored[0], true) || slices.Contains(o.Censored[1], true)
}

// Compare compares a candidate's runs with a baseline's, each run given by one number. An infinite number is the
// worst outcome, that of a run that failed: it has a rank, but no part in means and intervals. If a side has no
// run, there is no difference and p is 1.
func Compare(baseline, candidate []float64, o CompareOptions) Comparison {
	c := Comparison{Baselines: len(baseline), Candidates: len(candidate), Paired: o.Paired, PValue: 1, AdjustedPValue: 1,
		Scale: o.effectiveScale(baseline, candidate)}
	if len(baseline) == 0 || len(candidate) == 0 {
		return c
	}
	c.BaselineFailed, c.CandidateFailed = len(baseline)-len(keepFinite(baseline)), len(candidate)-len(keepFinite(candidate))
	b, d := c.Scale.transformValues(baseline), c.Scale.transformValues(candidate)
	c.BaselineMean, c.CandidateMean = c.Scale.meanOf(b), c.Scale.meanOf(d)
	var s spread
	switch {
	case o.hasCensored():
		c.censored = true
		c.PValue, c.EffectSize = logRankTest(baseline, candidate, o.Censored)
		s = estimateSpread(keepFinite(b), keepFinite(d))
	case o.Paired:
		differences := subtractPairwise(d, b)
		c.PValue, c.EffectSize = signedRankTest(differences)
		s = estimatePairedSpread(keepFinite(differences))
	default:
		c.PValue, c.EffectSize = rankSumTest(b, d)
		s = estimateSpread(keepFinite(b), keepFinite(d))
	}
	c.AdjustedPValue = min(1, float64(max(1, o.Claims))*c.PValue)
	c.spread = s
	c.Difference, c.Uncertainty = c.Scale.toDifference(s.mean), s.estimateUncertainty(o.Confidence, c.Scale.toDifference)
	if s.runs >= MinRunsForInterval {
		half := tQuantile(o.Confidence, s.degrees) * s.standardError
		c.OneSided = &Range{c.Scale.toDifference(s.mean - half), c.Scale.toDifference(s.mean + half)}
	}
	if !c.HasTooFewRuns(o.Confidence, o.Claims) {
		c.Detectable = c.detectableDifference(s, o)
	}
	if o.Shares {
		c.clampToShares()
	}
	return c
}

// clampToShares limits the bounds of a difference of shares to -1 and 1.
func (c *Comparison) clampToShares() {
	for _, bounds := range []*Range{c.Interval, c.OneSided} {
		if bounds != nil {
			bounds.Low, bounds.High = max(-1, bounds.Low), min(1, bounds.High)
		}
	}
	if c.Detectable != nil {
		c.Detectable = new(min(1, *c.Detectable))
	}
}

// HasTooFewRuns reports whether no outcome of so few runs could be significant among that many claims.
func (c Comparison) HasTooFewRuns(confidence float64, claims int) bool {
	least := leastPairedPValue(c.Baselines)
	if !c.Paired {
		least = leastPValue(c.Baselines, c.Candidates)
	}
	return least*float64(max(1, claims)) >= 1-confidence-1e-9
}

// RunsNeeded returns the smallest number of runs on each side with which a difference can be significant.
func RunsNeeded(confidence float64, claims int, paired bool) int {
	n := 1
	for (Comparison{Baselines: n, Candidates: n, Paired: paired}).HasTooFewRuns(confidence, claims) {
		n++
	}
	return n
}

// IsSignificant reports whether the corrected test is significant and the interval excludes 0. Each covers a
// weakness of the other: the interval can be too narrow for few runs of an unusual distribution, where the test
// is exact; the test can be significant for spreads that differ while the means do not. The interval does not
// count if a run failed, because it then describes the other runs only, or has only a lower bound.
func (c Comparison) IsSignificant(confidence float64) bool {
	bounds := c.Bounds()
	return c.AdjustedPValue < 1-confidence && (c.isOfRanks() || bounds.Low > 0 || bounds.High < 0)
}

// Bounds returns the interval or the extremes of the difference.
func (c Comparison) Bounds() Range { return c.BoundsOr(c.Difference) }

// isOfRanks reports whether the means do not describe all runs, because some failed or have only a lower bound.
func (c Comparison) isOfRanks() bool { return c.censored || c.BaselineFailed+c.CandidateFailed > 0 }

// IsHigher reports whether the candidate's runs are higher than the baseline's, by their ranks if the means do not describe all.
func (c Comparison) IsHigher() bool {
	if c.isOfRanks() {
		return c.EffectSize > 0
	}
	return c.Difference > 0
}

// leastPValue returns the smallest p-value of the rank-sum test of so many runs: that of samples that do not
// overlap.
func leastPValue(n, m int) float64 {
	return 2 / math.Exp(logFactorial(n+m)-logFactorial(n)-logFactorial(m))
}

// leastPairedPValue returns the smallest p-value of the signed-rank test: that of differences of one sign.
func leastPairedPValue(pairs int) float64 { return math.Exp2(float64(1 - pairs)) }

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

func (o CompareOptions) effectiveScale(sides ...[]float64) Scale {
	for _, side := range sides {
		if o.Scale == Absolute || slices.ContainsFunc(keepFinite(side), func(v float64) bool { return v <= 0 }) {
			return Absolute
		}
	}
	return Relative
}

// transformValues returns the values on the scale of the analysis: logarithms for relative differences. Infinite
// values stay.
func (s Scale) transformValues(values []float64) []float64 {
	transformed := slices.Clone(values)
	for i, v := range values {
		if s == Relative && !math.IsInf(v, 0) {
			transformed[i] = math.Log(v)
		}
	}
	return transformed
}

// meanOf returns the mean of the transformed values of runs that did not fail, in the metric's own unit.
func (s Scale) meanOf(transformed []float64) float64 {
	mean := meanOrZero(keepFinite(transformed))
	if s == Relative && len(keepFinite(transformed)) > 0 {
		return math.Exp(mean)
	}
	return mean
}

// toDifference returns a difference of transformed values as a share or in the metric's own unit.
func (s Scale) toDifference(transformed float64) float64 {
	if s == Relative {
		return math.Expm1(transformed)
	}
	return transformed
}

// subtractPairwise returns the differences of pairs. That of two failed runs is not a number.
func subtractPairwise(candidate, baseline []float64) []float64 {
	differences := make([]float64, len(candidate))
	for i := range candidate {
		differences[i] = candidate[i] - baseline[i]
	}
	return differences
}

// spread describes the transformed difference of the runs that did not fail.
type spread struct {
	// mean is the difference, and low and high are the extremes of its single values.
	mean, low, high float64
	// standardError is that of the mean, with so many degrees of freedom; 0 if it is unknown.
	standardError, degrees float64
	// runs is the smaller number of runs or pairs.
	runs int
}

func estimatePairedSpread(differences []float64) spread {
	n := len(differences)
	if n == 0 {
		return spread{}
	}
	s := spread{mean: stats.Mean(differences), low: slices.Min(differences), high: slices.Max(differences), runs: n}
	if n > 1 {
		s.degrees = float64(n - 1)
		s.standardError = math.Sqrt(sumSquaredDeviations(differences) / s.degrees / float64(n))
	}
	return s
}

// estimateSpread returns the difference of two samples, with Welch's standard error and the degrees of freedom
// of Satterthwaite.
func estimateSpread(baseline, candidate []float64) spread {
	n, m := float64(len(baseline)), float64(len(candidate))
	if n == 0 || m == 0 {
		return spread{}
	}
	s := spread{mean: stats.Mean(candidate) - stats.Mean(baseline), runs: min(len(baseline), len(candidate)),
		low: slices.Min(candidate) - slices.Max(baseline), high: slices.Max(candidate) - slices.Min(baseline)}
	b, d := sumSquaredDeviations(baseline)/max(1, n-1)/n, sumSquaredDeviations(candidate)/max(1, m-1)/m
	s.standardError = math.Sqrt(b + d)
	if b+d == 0 {
		s.degrees = max(1, n+m-2)
		return s
	}
	// Shares of the whole keep the squares of squares within the range of a float64.
	b, d = b/(b+d), d/(b+d)
	s.degrees = 1 / (b*b/max(1, n-1) + d*d/max(1, m-1))
	return s
}

// estimateUncertainty returns Student's interval of the difference, or the extremes of fewer runs than MinRunsForInterval.
func (s spread) estimateUncertainty(confidence float64, toDifference func(float64) float64) Uncertainty {
	if s.runs < MinRunsForInterval {
		return Uncertainty{Extremes: &Range{toDifference(s.low), toDifference(s.high)}}
	}
	half := tQuantile((1+confidence)/2, s.degrees) * s.standardError
	return Uncertainty{Interval: &Range{toDifference(s.mean - half), toDifference(s.mean + half)}}
}

// maxRunsToDecide bounds the numbers of runs that EstimateRunsToDecide considers.
const maxRunsToDecide = 10000

// EstimateRunsToDecide returns the number of runs on each side with which the one-sided bounds would lie on one side of a limit of the
// difference, if mean and spread stayed the same. It returns 0 if that is unknown or above 10000.
func (c Comparison) EstimateRunsToDecide(limit, confidence float64) int {
	s := c.spread
	if s.runs < 2 || s.degrees == 0 {
		return 0
	}
	// The more runs, the narrower the bounds.
	n := MinRunsForInterval + sort.Search(maxRunsToDecide-MinRunsForInterval+1, func(more int) bool {
		share := float64(MinRunsForInterval+more) / float64(s.runs)
		half := tQuantile(confidence, max(1, s.degrees*share)) * s.standardError / math.Sqrt(share)
		return c.Scale.toDifference(s.mean-half) > limit || c.Scale.toDifference(s.mean+half) < limit
	})
	if n > maxRunsToDecide {
		return 0
	}
	return n
}

// keepFinite returns the values of the runs that did not fail.
func keepFinite(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsInf(v, 0) || math.IsNaN(v) })
}

func meanOrZero(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return stats.Mean(values)
}
