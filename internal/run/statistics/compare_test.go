package statistics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestEstimateMean(t *testing.T) {
	// t(0.975, 4) is 2.776445, from any printed table; the deviation of 1…5 is sqrt(2.5).
	factor := math.Exp(2.776445 * math.Sqrt(2.5/5) / 3)
	for name, test := range map[string]struct {
		samples []float64
		want    Estimate
	}{
		"none":   {nil, Estimate{}},
		"one":    {[]float64{7}, Estimate{N: 1, Mean: 7}},
		"four":   {[]float64{1, 2, 3, 4}, Estimate{N: 4, Mean: 2.5, StdDev: math.Sqrt(5.0 / 3), Uncertainty: Uncertainty{Extremes: &Range{1, 4}}}},
		"five":   {[]float64{1, 2, 3, 4, 5}, Estimate{N: 5, Mean: 3, StdDev: math.Sqrt(2.5), Uncertainty: Uncertainty{Interval: &Range{3 / factor, 3 * factor}}}},
		"zeros":  {[]float64{0, 0, 0, 0, 0}, Estimate{N: 5, Uncertainty: Uncertainty{Interval: &Range{}}}},
		"skewed": {[]float64{1, 1, 1, 1, 96}, Estimate{N: 5, Mean: 20, StdDev: math.Sqrt(1805), Uncertainty: Uncertainty{Interval: &Range{20 * math.Exp(-2.776445*19/20), 20 * math.Exp(2.776445*19/20)}}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := EstimateMean(test.samples, 0.95)
			for i, pair := range [][2]float64{{got.Mean, test.want.Mean}, {got.StdDev, test.want.StdDev}, {got.Bounds().Low, test.want.Bounds().Low}, {got.Bounds().High, test.want.Bounds().High}} {
				if got.N != test.want.N || math.Abs(pair[0]-pair[1]) > 1e-4 {
					t.Errorf("number %d of %+v, want %+v", i, got, test.want)
				}
			}
			if (got.Interval != nil) != (test.want.Interval != nil) || (got.Extremes != nil) != (test.want.Extremes != nil) || (got.Values != nil) != (got.N > 0 && got.Interval == nil) {
				t.Errorf("got interval %v, extremes %v and values %v, want %v and %v", got.Interval, got.Extremes, got.Values, test.want.Interval, test.want.Extremes)
			}
		})
	}
}

func TestEstimateShare(t *testing.T) {
	for name, test := range map[string]struct {
		samples []float64
		want    Range
	}{
		"none failed": {[]float64{0, 0, 0, 0, 0}, Range{0, 0}},
		"all failed":  {[]float64{1, 1, 1, 1, 1}, Range{1, 1}},
		// The mean is 0.1 and the half-width by Student's t 2.776445 / 10, which is 3.084939 on the scale of logits.
		"one run with half": {[]float64{0, 0, 0, 0, 0.5}, Range{1 / (1 + 9*math.Exp(3.084939)), 1 / (1 + 9*math.Exp(-3.084939))}},
		"nearly all failed": {[]float64{1, 1, 1, 1, 0.5}, Range{1 / (1 + math.Exp(3.084939)/9), 1 / (1 + math.Exp(-3.084939)/9)}},
		"extreme":           {[]float64{1e-300, 0, 0, 0, 0}, Range{0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			got := EstimateShare(test.samples, 0.95).Interval
			if name == "extreme" {
				if got.Low < 0 || got.High > 1 || !(got.Low <= got.High) {
					t.Errorf("got %v, want bounds from 0 to 1", got)
				}
				return
			}
			if math.Abs(got.Low-test.want.Low) > 1e-6 || math.Abs(got.High-test.want.High) > 1e-6 {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// TestDifferenceOfSharesIsBounded checks that no bound of a difference of shares is beyond 100 points.
func TestDifferenceOfSharesIsBounded(t *testing.T) {
	baseline, candidate := []float64{0, 0, 1, 1, 0, 0.9}, []float64{1, 1, 0, 1, 1, 1}
	for _, paired := range []bool{false, true} {
		c := Compare(baseline, candidate, CompareOptions{Confidence: 0.99, Scale: Absolute, Paired: paired, Shares: true})
		for _, bounds := range []*Range{c.Interval, c.OneSided} {
			if bounds.Low < -1 || bounds.High > 1 {
				t.Errorf("paired %v: bounds %v", paired, bounds)
			}
		}
		if c.Detectable != nil && *c.Detectable > 1 {
			t.Errorf("paired %v: %v is said to be detectable", paired, *c.Detectable)
		}
	}
}

func TestCompareByHand(t *testing.T) {
	worst := math.Inf(-1)
	for name, test := range map[string]struct {
		baseline, candidate []float64
		options             CompareOptions
		want                Comparison
	}{
		// All four lie above all other four: 2 of the 70 orders are as extreme.
		"all above": {[]float64{10, 11, 12, 13}, []float64{20, 22, 24, 26}, CompareOptions{}, Comparison{Scale: Relative, Difference: 1, PValue: 2.0 / 70, EffectSize: 1}},
		// 3 of 4 pairs go down, one up.
		"mixed":     {[]float64{1, 4}, []float64{0.5, 2}, CompareOptions{}, Comparison{Scale: Relative, Difference: -0.5, PValue: 4.0 / 6, EffectSize: -0.5}},
		"equal":     {[]float64{5, 5, 5, 5}, []float64{5, 5, 5, 5}, CompareOptions{}, Comparison{Scale: Relative, PValue: 1}},
		"zeros":     {[]float64{0, 0, 0, 0}, []float64{0.1, 0.1, 0.1, 0.1}, CompareOptions{}, Comparison{Scale: Absolute, Difference: 0.1, PValue: 2.0 / 70, EffectSize: 1}},
		"asked for": {[]float64{1, 1, 1, 1}, []float64{3, 3, 3, 3}, CompareOptions{Scale: Absolute}, Comparison{Scale: Absolute, Difference: 2, PValue: 2.0 / 70, EffectSize: 1}},
		// Of the 2^6 assignments of signs, 2 are as extreme.
		"pairs": {[]float64{1, 2, 4, 8, 16, 32}, []float64{2, 4, 8, 16, 32, 64}, CompareOptions{Paired: true},
			Comparison{Scale: Relative, Difference: 1, PValue: 2.0 / 64, EffectSize: 1}},
		// A failed run ranks below all others and has no part in the difference: ranks 1.5 and 1.5 of 8.
		"failed runs": {[]float64{10, 10, 10, 10}, []float64{10, worst, worst, 10}, CompareOptions{},
			Comparison{Scale: Relative, PValue: 30.0 / 70, EffectSize: -0.5}},
		"failed pairs": {[]float64{10, worst, 10, 10}, []float64{20, worst, worst, worst}, CompareOptions{Paired: true},
			Comparison{Scale: Relative, Difference: 1, PValue: 4.0 / 8, EffectSize: -4.0 / 6}},
		"one each":   {[]float64{4}, []float64{5}, CompareOptions{}, Comparison{Scale: Relative, Difference: 0.25, PValue: 1, EffectSize: 1}},
		"none":       {nil, []float64{5}, CompareOptions{}, Comparison{Scale: Relative, PValue: 1}},
		"none there": {[]float64{5}, nil, CompareOptions{}, Comparison{Scale: Relative, PValue: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			test.options.Confidence = 0.95
			got := Compare(test.baseline, test.candidate, test.options)
			for field, pair := range map[string][2]float64{
				"difference": {got.Difference, test.want.Difference}, "p": {got.PValue, test.want.PValue}, "effect": {got.EffectSize, test.want.EffectSize},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-9 {
					t.Errorf("%s is %v, want %v", field, pair[0], pair[1])
				}
			}
			if got.Scale != test.want.Scale || got.Bounds().Low > got.Difference+1e-12 || got.Bounds().High < got.Difference-1e-12 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestSwappedSidesMirrorTheDifference checks that the roles of baseline and candidate do not matter.
func TestSwappedSidesMirrorTheDifference(t *testing.T) {
	for law := range runDistributions {
		for _, options := range []CompareOptions{{}, {Paired: true}, {Scale: Absolute}, {Scale: Absolute, Paired: true}} {
			t.Run(fmt.Sprintf("%s, %+v", law, options), func(t *testing.T) {
				options.Confidence = 0.95
				baseline, candidate := drawPairs(newSeededRand(1), law, 8)
				c, swapped := Compare(baseline, candidate, options), Compare(candidate, baseline, options)
				mirror := func(difference float64) float64 {
					if c.Scale == Relative {
						return 1/(1+difference) - 1
					}
					return -difference
				}
				for name, pair := range map[string][2]float64{
					"difference": {mirror(c.Difference), swapped.Difference}, "p": {c.PValue, swapped.PValue}, "effect": {-c.EffectSize, swapped.EffectSize},
					"low": {mirror(c.Bounds().High), swapped.Bounds().Low}, "high": {mirror(c.Bounds().Low), swapped.Bounds().High},
				} {
					if math.Abs(pair[0]-pair[1]) > 1e-9*max(1, math.Abs(pair[0])) {
						t.Errorf("%s is %v, want %v", name, pair[1], pair[0])
					}
				}
			})
		}
	}
}

// TestDetectableIsUnknown checks that runs without a spread, or too few of them, detect nothing that is known.
func TestDetectableIsUnknown(t *testing.T) {
	varied, equal := []float64{10, 11, 12, 13, 14, 15}, []float64{5, 5, 5, 5, 5, 5}
	for name, c := range map[string]Comparison{
		"no spread":   Compare(equal, equal, CompareOptions{Confidence: 0.95}),
		"too few":     Compare(varied[:3], varied[:3], CompareOptions{Confidence: 0.95}),
		"many claims": Compare(varied, varied, CompareOptions{Confidence: 0.95, Claims: 1000}),
	} {
		if c.Detectable != nil {
			t.Errorf("%s: %v is said to be detectable", name, *c.Detectable)
		}
	}
	if c := Compare(varied, varied, CompareOptions{Confidence: 0.95}); c.Detectable == nil {
		t.Error("enough runs with a spread: the detectable difference is unknown")
	}
}

func TestHasTooFewRuns(t *testing.T) {
	for _, test := range []struct {
		n, m       int
		confidence float64
		want       bool
	}{{3, 3, 0.95, true}, {4, 4, 0.95, false}, {3, 4, 0.95, true}, {3, 5, 0.95, false}, {4, 4, 0.99, true}, {5, 5, 0.99, false}, {0, 9, 0.5, true}, {1, 1, 0.95, true}} {
		if got := (Comparison{Baselines: test.n, Candidates: test.m}).HasTooFewRuns(test.confidence, 1); got != test.want {
			t.Errorf("%d and %d runs at %v: too few is %v", test.n, test.m, test.confidence, got)
		}
	}
	for _, test := range []struct {
		claims int
		paired bool
		want   int
	}{{1, false, 4}, {3, false, 5}, {1, true, 6}, {3, true, 7}, {12, true, 9}} {
		if got := RunsNeeded(0.95, test.claims, test.paired); got != test.want {
			t.Errorf("%+v: needs %d runs", test, got)
		}
	}
}

// runDistributions are the distributions of the runs of both sides.
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

// drawPairs draws randomized pairs. Each second pair has the reverse order of the one before.
func drawPairs(r *rand.Rand, law string, n int) (baseline, candidate []float64) {
	next := runDistributions[law](r)
	first := 0
	for pair := range n {
		if first = 1 - first; pair%2 == 0 {
			first = r.IntN(2)
		}
		baseline, candidate = append(baseline, next(2*pair+first)), append(candidate, next(2*pair+1-first))
	}
	return baseline, candidate
}

// TestFalseAlarmRateOfEqualVersions compares a version with itself. The rate of false alarms must not exceed
// the significance level, and the interval must cover the true difference, 0, at its confidence. The bounds
// leave three standard errors of 2000 cases; make statistics publishes more.
func TestFalseAlarmRateOfEqualVersions(t *testing.T) {
	const cases, confidence = 2000, 0.95
	slack := 3 * math.Sqrt(confidence*(1-confidence)/cases)
	for law := range runDistributions {
		for _, n := range []int{5, 10} {
			for _, paired := range []bool{false, true} {
				var alarms, covered float64
				for seed := range uint64(cases) {
					baseline, candidate := drawPairs(newSeededRand(seed), law, n)
					c := Compare(baseline, candidate, CompareOptions{Confidence: confidence, Paired: paired})
					alarms += boolToFloat(c.IsSignificant(confidence)) / cases
					covered += boolToFloat(c.Bounds().Low <= 0 && c.Bounds().High >= 0) / cases
				}
				t.Logf("%-27s %2d runs each, paired %v: false alarms %.1f %%, interval holds the truth in %.1f %%", law, n, paired, 100*alarms, 100*covered)
				if alarms > 1-confidence+slack || covered < confidence-slack-0.01 {
					t.Errorf("%s, %d runs each, paired %v: %.3f false alarms, %.3f covered", law, n, paired, alarms, covered)
				}
			}
		}
	}
}

func TestEstimateShowsInterval(t *testing.T) {
	for want, e := range map[string]Estimate{
		"": {}, "10.0": {N: 1, Mean: 10}, "10.0 (7.50 to 12.5)": {N: 2, Mean: 10, Uncertainty: Uncertainty{Extremes: &Range{7.5, 12.5}}},
		"10.0 [7.50, 12.5]": {N: 5, Mean: 10, Uncertainty: Uncertainty{Interval: &Range{7.5, 12.5}}},
	} {
		if got := e.String(); got != want {
			t.Errorf("the estimate is %q, want %q", got, want)
		}
	}
}
