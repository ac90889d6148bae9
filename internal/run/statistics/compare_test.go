package statistics

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestEstimateMean(t *testing.T) {
	// t(0.975, 4) is 2.776445, from any printed table; the deviation of 1…5 is sqrt(2.5).
	half := 2.776445 * math.Sqrt(2.5/5)
	for name, test := range map[string]struct {
		samples []float64
		want    Estimate
	}{
		"none": {nil, Estimate{}},
		"one":  {[]float64{7}, Estimate{N: 1, Mean: 7, Low: 7, High: 7}},
		"five": {[]float64{1, 2, 3, 4, 5}, Estimate{N: 5, Mean: 3, StdDev: math.Sqrt(2.5), Low: 3 - half, High: 3 + half}},
	} {
		got := EstimateMean(test.samples, 0.95)
		for i, pair := range [][2]float64{{got.Mean, test.want.Mean}, {got.StdDev, test.want.StdDev}, {got.Low, test.want.Low}, {got.High, test.want.High}} {
			if got.N != test.want.N || math.Abs(pair[0]-pair[1]) > 1e-5 {
				t.Errorf("%s: number %d of %+v, want %+v", name, i, got, test.want)
			}
		}
	}
}

func TestCompareByHand(t *testing.T) {
	for name, test := range map[string]struct {
		baseline, candidate []float64
		options             CompareOptions
		want                Comparison
	}{
		// All four lie above all other four: 2 of the 70 orders are as extreme.
		"all above": {[]float64{10, 11, 12, 13}, []float64{20, 21, 22, 23}, CompareOptions{},
			Comparison{Scale: Relative, Difference: 21.5/11.5 - 1, PValue: 2.0 / 70, EffectSize: 1}},
		// 3 of 4 pairs go down, one up.
		"mixed":      {[]float64{1, 4}, []float64{0.5, 2}, CompareOptions{}, Comparison{Scale: Relative, Difference: -0.5, PValue: 4.0 / 6, EffectSize: -0.5}},
		"equal":      {[]float64{5, 5, 5, 5}, []float64{5, 5, 5, 5}, CompareOptions{}, Comparison{Scale: Relative, PValue: 1}},
		"zeros":      {[]float64{0, 0, 0, 0}, []float64{0.1, 0.1, 0.1, 0.1}, CompareOptions{}, Comparison{Scale: Absolute, Difference: 0.1, PValue: 2.0 / 70, EffectSize: 1}},
		"asked for":  {[]float64{1, 1, 1, 1}, []float64{3, 3, 3, 3}, CompareOptions{Scale: Absolute}, Comparison{Scale: Absolute, Difference: 2, PValue: 2.0 / 70, EffectSize: 1}},
		"one each":   {[]float64{4}, []float64{5}, CompareOptions{}, Comparison{Scale: Relative, Difference: 0.25, PValue: 1, EffectSize: 1}},
		"none":       {nil, []float64{5}, CompareOptions{}, Comparison{Scale: Relative, PValue: 1}},
		"none there": {[]float64{5}, nil, CompareOptions{}, Comparison{Scale: Relative, PValue: 1}},
	} {
		test.options.Confidence = 0.95
		got := Compare(test.baseline, test.candidate, test.options)
		for field, pair := range map[string][2]float64{
			"difference": {got.Difference, test.want.Difference}, "p": {got.PValue, test.want.PValue}, "effect": {got.EffectSize, test.want.EffectSize},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("%s: %s is %v, want %v", name, field, pair[0], pair[1])
			}
		}
		if got.Scale != test.want.Scale || got.Low > got.Difference+1e-12 || got.High < got.Difference-1e-12 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestHasTooFewRuns(t *testing.T) {
	for _, test := range []struct {
		n, m       int
		confidence float64
		want       bool
	}{{3, 3, 0.95, true}, {4, 4, 0.95, false}, {3, 4, 0.95, true}, {3, 5, 0.95, false}, {4, 4, 0.99, true}, {5, 5, 0.99, false}, {0, 9, 0.5, true}, {1, 1, 0.95, true}} {
		if got := (Comparison{Baselines: test.n, Candidates: test.m}).HasTooFewRuns(test.confidence); got != test.want {
			t.Errorf("%d and %d runs at %v: too few is %v", test.n, test.m, test.confidence, got)
		}
	}
}

func TestCompareIsReproducible(t *testing.T) {
	b, c := []float64{10, 12, 11, 14}, []float64{11, 13, 12, 15}
	first := Compare(b, c, CompareOptions{Confidence: 0.95, Seed: 7})
	if again := Compare(b, c, CompareOptions{Confidence: 0.95, Seed: 7}); again != first {
		t.Errorf("got %+v and %+v", first, again)
	}
	if other := Compare(b, c, CompareOptions{Confidence: 0.95, Seed: 8, Resamples: 100}); other.Low == first.Low && other.High == first.High {
		t.Error("another seed changed nothing")
	}
}

// runDistributions are the distributions of the runs of both sides. The runs are interleaved; the baseline's
// have the even numbers.
var runDistributions = map[string]func(r *rand.Rand) func(run int) float64{
	"normal, 5 %": func(r *rand.Rand) func(int) float64 {
		return func(int) float64 { return 100 + 5*r.NormFloat64() }
	},
	"skewed (exponential tail)": func(r *rand.Rand) func(int) float64 {
		return func(int) float64 { return 90 + 10*r.ExpFloat64() }
	},
	"drifting by 2 % a run": func(r *rand.Rand) func(int) float64 {
		return func(run int) float64 { return 100 - 2*float64(run) + 3*r.NormFloat64() }
	},
	"one run in ten is 30 % off": func(r *rand.Rand) func(int) float64 {
		return func(int) float64 {
			if r.IntN(10) == 0 {
				return 70 + 3*r.NormFloat64()
			}
			return 100 + 3*r.NormFloat64()
		}
	},
}

func drawInterleavedRuns(r *rand.Rand, law string, n int) (baseline, candidate []float64) {
	next := runDistributions[law](r)
	for run := range n {
		baseline, candidate = append(baseline, next(2*run)), append(candidate, next(2*run+1))
	}
	return baseline, candidate
}

// TestFalseAlarmRateOfEqualVersions compares a version with itself. The rate of false alarms must not exceed
// the significance level, and the interval must cover the true difference, 0, at its confidence. The bounds
// leave three standard errors of 2000 cases.
func TestFalseAlarmRateOfEqualVersions(t *testing.T) {
	const cases, confidence = 2000, 0.95
	slack := 3 * math.Sqrt(confidence*(1-confidence)/cases)
	for law := range runDistributions {
		for _, n := range []int{4, 5, 8, 10} {
			var alarms, covered float64
			for seed := range uint64(cases) {
				baseline, candidate := drawInterleavedRuns(newSeededRand(seed), law, n)
				c := Compare(baseline, candidate, CompareOptions{Confidence: confidence, Seed: int64(seed), Resamples: 1000})
				alarms += boolToFloat(c.IsSignificant(confidence)) / cases
				covered += boolToFloat(c.Low <= 0 && c.High >= 0) / cases
			}
			t.Logf("%-27s %2d runs each: false alarms %.1f %%, interval holds the truth in %.1f %%", law, n, 100*alarms, 100*covered)
			if alarms > 1-confidence+slack || covered < confidence-slack-0.01 {
				t.Errorf("%s, %d runs each: %.3f false alarms, %.3f covered", law, n, alarms, covered)
			}
		}
	}
}

// TestPowerAtDetectableDifference checks that a detectable difference is found in 80 % of all cases or slightly
// more.
func TestPowerAtDetectableDifference(t *testing.T) {
	const cases, deviation = 1000, 0.05
	for _, n := range []int{4, 5, 6, 8, 10, 15} {
		// The true value, from the deviation that a user cannot know.
		c := Comparison{Baselines: n, Candidates: n, BaselineMean: 1, Scale: Relative}
		difference := c.detectableDifference(deviation*math.Sqrt(2/float64(n)), float64(2*n-2), 0.95)
		var found, said float64
		for seed := range uint64(cases) {
			r := newSeededRand(seed)
			var baseline, candidate []float64
			for range n {
				baseline = append(baseline, 1+deviation*r.NormFloat64())
				candidate = append(candidate, 1+difference+deviation*r.NormFloat64())
			}
			got := Compare(baseline, candidate, CompareOptions{Confidence: 0.95, Seed: int64(seed), Resamples: 1000})
			found += boolToFloat(got.IsSignificant(0.95)) / cases
			said += got.Detectable / cases
		}
		t.Logf("%2d runs each: %.1f %% is found in %.0f %% of the cases; on average %.1f %% is said to be detectable", n, 100*difference, 100*found, 100*said)
		if found < 0.78 || found > 0.90 || math.Abs(said/difference-1) > 0.15 {
			t.Errorf("%d runs each: %.3f found, %.4f said to be detectable, %.4f is", n, found, said, difference)
		}
	}
}

// TestPlainBootstrapIntervalIsTooNarrow shows why the interval is expanded: the plain interval of the same
// resampling covers the true value far less often than its confidence.
func TestPlainBootstrapIntervalIsTooNarrow(t *testing.T) {
	const cases, resamples, confidence = 2000, 1000, 0.95
	for law := range runDistributions {
		covered := 0.0
		for seed := range uint64(cases) {
			random := newSeededRand(seed)
			baseline, candidate := drawInterleavedRuns(random, law, 4)
			below := 0
			for range resamples {
				if resampledMean(candidate, random) < resampledMean(baseline, random) {
					below++
				}
			}
			tail := (1 - confidence) / 2 * resamples
			covered += boolToFloat(float64(below) >= tail && float64(below) <= resamples-tail) / cases
		}
		t.Logf("%-27s 4 runs each: the plain percentile interval holds the truth in %.1f %%", law, 100*covered)
		if law != "drifting by 2 % a run" && covered > 0.90 {
			t.Errorf("%s: %.3f covered; then the plain interval would do", law, covered)
		}
	}
}

func TestEstimateShowsInterval(t *testing.T) {
	for want, e := range map[string]Estimate{
		"": {}, "10.0": {N: 1, Mean: 10, Low: 10, High: 10}, "10.0 ± 2.50": {N: 2, Mean: 10, Low: 7.5, High: 12.5},
	} {
		if got := e.String(); got != want {
			t.Errorf("the estimate is %q, want %q", got, want)
		}
	}
}
