package statistics

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// Scale says what a difference is given in.
type Scale string

// The scales.
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

// CompareOptions say how sure a comparison shall be.
type CompareOptions struct {
	// Confidence of the interval, and one minus the significance; such as 0.95.
	Confidence float64
	// Scale of the difference. Default: Relative; Absolute where a baseline's run is not above 0.
	Scale Scale
	// Seed of the resampling.
	Seed int64
	// Resamples of the bootstrap. Default: 5000.
	Resamples int
}

// Compare a candidate's runs with a baseline's, each run by one number. Where a side has no run there is no difference, and p is 1.
func Compare(baseline, candidate []float64, o CompareOptions) Comparison {
	c := Comparison{Baselines: len(baseline), Candidates: len(candidate), Scale: o.effectiveScale(baseline), PValue: 1}
	c.BaselineMean, c.CandidateMean = meanOrZero(baseline), meanOrZero(candidate)
	if len(baseline) == 0 || len(candidate) == 0 {
		return c
	}
	c.Difference = c.Scale.differenceBetween(c.BaselineMean, c.CandidateMean)
	if test, err := stats.MannWhitneyUTest(candidate, baseline, stats.LocationDiffers); err == nil { // else: all are equal
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

// HasTooFewRuns says that no outcome of so few runs could be significant.
func (c Comparison) HasTooFewRuns(confidence float64) bool {
	return leastPValue(c.Baselines, c.Candidates) >= 1-confidence-1e-9
}

// RunsNeeded of each side is the least with which a difference can be significant.
func RunsNeeded(confidence float64) int {
	n := 1
	for (Comparison{Baselines: n, Candidates: n}).HasTooFewRuns(confidence) {
		n++
	}
	return n
}

// IsSignificant says that a difference can be claimed: the interval excludes 0 and the test is significant. Each has a weakness that
// the other lacks: the interval can be too narrow for few runs of an odd distribution, where the test is exact; the test can be
// significant for spreads that differ while the means do not. Asking for both makes false alarms rarer, never more frequent.
func (c Comparison) IsSignificant(confidence float64) bool {
	return c.PValue < 1-confidence && (c.Low > 0 || c.High < 0)
}

// leastPValue that a Mann-Whitney test of so many runs can have: that of samples that do not overlap.
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

// standardError is the standard error of the difference if there is none, and its degrees of freedom (Welch and Satterthwaite).
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
	// By shares of the whole, since squares of squares can be too small or large for a float64.
	b, d = b/(b+d), d/(b+d)
	return deviation, 1 / (b*b/max(1, n-1) + d*d/max(1, m-1))
}

// bootstrapInterval interval of the difference: the percentile method, expanded for few runs (Hesterberg 2015). The plain percentile
// interval divides by n where n-1 is due and takes the normal for Student's distribution; at 4 runs it holds the truth in 85 %
// of all cases instead of 95 %. The expanded one asks for percentiles further out by just these two.
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

// detectableDifference difference by Student's t, and a share of one over the number of runs above it: so much more the rank test needs
// with few runs. The power that comes of it lies between 80 % and 87 % (a test simulates it).
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
