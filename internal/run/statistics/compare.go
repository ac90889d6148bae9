package statistics

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// Scale is the scale of a difference.
type Scale string

const (
	// Relative differences are shares of the baseline's mean.
	Relative Scale = "Relative"
	// Absolute differences are in the metric's own unit.
	Absolute Scale = "Absolute"
)

const (
	defaultResamples = 5000
	statisticalPower = 0.8
)

// CompareOptions are the options of a comparison.
type CompareOptions struct {
	// Confidence is the confidence of the interval, and one minus the significance level; such as 0.95.
	Confidence float64
	// Scale is the scale of the difference. Default: Relative, or Absolute if a baseline's run is not above 0.
	Scale Scale
	// Seed is the seed of the resampling.
	Seed int64
	// Resamples is the number of resamples of the bootstrap. Default: 5000.
	Resamples int
}

// Compare compares a candidate's runs with a baseline's, each run given by one number. If a side has no run,
// there is no difference and p is 1.
func Compare(baseline, candidate []float64, o CompareOptions) Comparison {
	c := Comparison{Baselines: len(baseline), Candidates: len(candidate), Scale: o.effectiveScale(baseline), PValue: 1}
	c.BaselineMean, c.CandidateMean = meanOrZero(baseline), meanOrZero(candidate)
	if len(baseline) == 0 || len(candidate) == 0 {
		return c
	}
	c.Difference = c.Scale.differenceBetween(c.BaselineMean, c.CandidateMean)
	if test, err := stats.MannWhitneyUTest(candidate, baseline, stats.LocationDiffers); err == nil { // err: all samples are equal
		c.PValue = min(1, test.P)
		c.EffectSize = 2*test.U/float64(len(baseline)*len(candidate)) - 1
	}
	spread, degrees := c.standardError(baseline, candidate)
	c.Low, c.High = c.bootstrapInterval(baseline, candidate, degrees, o)
	if !c.HasTooFewRuns(o.Confidence) {
		c.Detectable = c.detectableDifference(spread, degrees, o.Confidence)
	}
	return c
}

// HasTooFewRuns reports whether no outcome of so few runs could be significant.
func (c Comparison) HasTooFewRuns(confidence float64) bool {
	return leastPValue(c.Baselines, c.Candidates) >= 1-confidence-1e-9
}

// RunsNeeded returns the smallest number of runs on each side with which a difference can be significant.
func RunsNeeded(confidence float64) int {
	n := 1
	for (Comparison{Baselines: n, Candidates: n}).HasTooFewRuns(confidence) {
		n++
	}
	return n
}

// IsSignificant reports whether the interval excludes 0 and the test is significant. Each covers a weakness of
// the other: the interval can be too narrow for few runs of an unusual distribution, where the test is exact;
// the test can be significant for spreads that differ while the means do not. Requiring both makes false alarms
// rarer, never more frequent.
func (c Comparison) IsSignificant(confidence float64) bool {
	return c.PValue < 1-confidence && (c.Low > 0 || c.High < 0)
}

// leastPValue returns the smallest p-value of a Mann-Whitney test of so many runs: that of samples that do not
// overlap.
func leastPValue(n, m int) float64 {
	return 2 / math.Exp(logFactorial(n+m)-logFactorial(n)-logFactorial(m))
}

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

func (o CompareOptions) effectiveScale(baseline []float64) Scale {
	if o.Scale == Absolute || slices.ContainsFunc(baseline, func(v float64) bool { return v <= 0 }) {
		return Absolute
	}
	return Relative
}

func (s Scale) differenceBetween(baseline, candidate float64) float64 {
	if s == Relative {
		return candidate/baseline - 1
	}
	return candidate - baseline
}

// standardError returns the standard error of the difference under the null hypothesis that there is none, and
// its degrees of freedom (Welch and Satterthwaite).
func (c Comparison) standardError(baseline, candidate []float64) (deviation, degrees float64) {
	n, m := float64(len(baseline)), float64(len(candidate))
	b, d := sumSquaredDeviations(baseline)/max(1, n-1)/n, sumSquaredDeviations(candidate)/max(1, m-1)/m
	deviation = math.Sqrt(b + d)
	if c.Scale == Relative {
		deviation /= c.BaselineMean
	}
	if b+d == 0 {
		return 0, max(1, n+m-2)
	}
	// Shares of the whole keep the squares of squares within the range of a float64.
	b, d = b/(b+d), d/(b+d)
	return deviation, 1 / (b*b/max(1, n-1) + d*d/max(1, m-1))
}

// bootstrapInterval returns the confidence interval of the difference: the percentile method, expanded for few
// runs (Hesterberg 2015). The plain percentile interval divides by n instead of n-1 and uses the normal instead
// of Student's distribution; at 4 runs it covers the true value in 85 % of all cases instead of 95 %. The
// expanded one uses percentiles further out to correct both.
func (c Comparison) bootstrapInterval(baseline, candidate []float64, degrees float64, o CompareOptions) (low, high float64) {
	resamples := o.Resamples
	if resamples <= 0 {
		resamples = defaultResamples
	}
	random := rand.New(rand.NewPCG(uint64(o.Seed), 0))
	differences := make([]float64, resamples)
	for i := range differences {
		differences[i] = c.Scale.differenceBetween(resampledMean(baseline, random), resampledMean(candidate, random))
	}
	slices.Sort(differences)
	fewest := float64(max(2, min(len(baseline), len(candidate))))
	quantile := -math.Sqrt(fewest/(fewest-1)) * tQuantile((1+o.Confidence)/2, degrees)
	tail := int(stats.StdNormal.CDF(quantile) * float64(resamples))
	return differences[tail], differences[resamples-1-tail]
}

func resampledMean(runs []float64, random *rand.Rand) float64 {
	sum := 0.0
	for range runs {
		sum += runs[random.IntN(len(runs))]
	}
	return sum / float64(len(runs))
}

// detectableDifference returns the difference by Student's t, plus a share of one over the smaller number of
// runs, because the rank test needs that much more with few runs. The resulting power is between 80 % and 87 %
// (a test simulates it).
func (c Comparison) detectableDifference(spread, degrees, confidence float64) float64 {
	quantiles := tQuantile((1+confidence)/2, degrees) + tQuantile(statisticalPower, degrees)
	return spread * quantiles * (1 + 1/float64(min(c.Baselines, c.Candidates)))
}

func meanOrZero(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return stats.Mean(values)
}
