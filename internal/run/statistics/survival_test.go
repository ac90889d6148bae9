package statistics

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// splitCut returns the times without their sign, and which are negative: they were cut off.
func splitCut(signed []float64) (times []float64, isCut []bool) {
	for _, v := range signed {
		times, isCut = append(times, math.Abs(v)), append(isCut, v < 0)
	}
	return times, isCut
}

// Remissions in weeks from the package survival of R (aml), and from E. Gehan, Biometrika 1965 (MASS::gehan).
var (
	maintained    = []float64{9, 13, -13, 18, 23, -28, 31, 34, -45, 48, -161}
	nonmaintained = []float64{5, 5, 8, 8, 12, -16, 23, 27, 30, 33, 43, 45}
	treated       = []float64{6, 6, 6, -6, 7, -9, 10, -10, -11, 13, 16, -17, -19, -20, 22, 23, -25, -32, -32, -34, -35}
	placebo       = []float64{1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23}
)

// TestSurvivalMedian compares medians with those of survfit in R.
func TestSurvivalMedian(t *testing.T) {
	for name, c := range map[string]struct {
		times []float64
		want  float64
	}{"maintained": {maintained, 31}, "nonmaintained": {nonmaintained, 23}, "treated": {treated, 23}, "placebo": {placebo, 8}} {
		t.Run(name, func(t *testing.T) {
			times, isCut := splitCut(c.times)
			if e := EstimateMedian(times, isCut, 0.95); e.Median == nil || *e.Median != c.want || *e.Low > c.want || e.High != nil && *e.High < c.want {
				t.Errorf("%+v, want %v", e, c.want)
			}
		})
	}
}

// TestLogRank compares the observed and expected ends and chi squared with those of survdiff in R.
func TestLogRank(t *testing.T) {
	for name, c := range map[string]struct {
		baseline, candidate            []float64
		observed, expected, chiSquared float64
	}{
		"aml":   {nonmaintained, maintained, 7, 10.69, 3.396},
		"gehan": {placebo, treated, 9, 19.25, 16.79},
	} {
		t.Run(name, func(t *testing.T) {
			b, cutB := splitCut(c.baseline)
			d, cutD := splitCut(c.candidate)
			r := computeLogRank(b, d, [2][]bool{cutB, cutD})
			chiSquared := (r.observed - r.expected) * (r.observed - r.expected) / r.variance
			if r.observed != c.observed || math.Abs(r.expected-c.expected) > 0.005 || math.Abs(chiSquared-c.chiSquared) > 0.005 {
				t.Errorf("observed %v, expected %v, chi squared %v", r.observed, r.expected, chiSquared)
			}
		})
	}
}

// TestLogRankTest compares p-values with those of the chi-squared distribution, and of all assignments where they are few.
func TestLogRankTest(t *testing.T) {
	for name, c := range map[string]struct {
		baseline, candidate []float64
		p                   float64
		effect              int
	}{
		"no overlap":                       {[]float64{1, 2, 3}, []float64{4, 5, 6}, 2.0 / 20, 1},
		"no overlap, shorter":              {[]float64{4, 5, 6, 7}, []float64{1, 2, 3, 3.5}, 2.0 / 70, -1},
		"the candidate never ends":         {[]float64{1, 2, 3, 4}, []float64{-60, -60, -60, -60}, 2.0 / 70, 1},
		"the candidate fails":              {[]float64{1, 2, 3, 4}, []float64{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}, 2.0 / 70, 1},
		"the baseline was not watched":     {[]float64{-1, -1, -1, -1}, []float64{4, 5, 6, 7}, 1, 0},
		"all cut off":                      {[]float64{-5, -5, -5}, []float64{-6, -6, -6}, 1, 0},
		"equal":                            {[]float64{1, 2, 3}, []float64{1, 2, 3}, 1, 0},
		"many":                             {placebo, treated, 4.17e-5, 1},
		"many, of which none has an event": {slices.Repeat([]float64{-1}, 20), slices.Repeat([]float64{-2}, 20), 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b, cutB := splitCut(c.baseline)
			d, cutD := splitCut(c.candidate)
			p, effect := logRankTest(b, d, [2][]bool{cutB, cutD})
			if math.Abs(p-c.p) > 0.002*c.p || math.Abs(effect) > 1 || (effect > 0) != (c.effect > 0) || (effect < 0) != (c.effect < 0) {
				t.Errorf("p = %v, want %v; effect %v, want the sign of %d", p, c.p, effect, c.effect)
			}
		})
	}
}

// TestLogRankCountsAssignments compares p-values of random times with a count over all assignments.
func TestLogRankCountsAssignments(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for trial := range 50 {
		t.Run(strconv.Itoa(trial), func(t *testing.T) {
			n, m := 2+random.IntN(5), 2+random.IntN(5)
			var times []float64
			for range n + m {
				times = append(times, float64(1+random.IntN(20))*float64(2*min(1, random.IntN(4))-1))
			}
			d, cutD := splitCut(times[:m])
			b, cutB := splitCut(times[m:])
			got, _ := logRankTest(b, d, [2][]bool{cutB, cutD})
			scores := computeLogRank(b, d, [2][]bool{cutB, cutD}).scores
			sumOf := func(chosen uint) (sum float64) {
				for i, score := range scores {
					if chosen>>i&1 == 1 {
						sum += score
					}
				}
				return math.Abs(sum)
			}
			shareAbove := func(least float64) float64 {
				extreme, all := 0.0, 0.0
				for chosen := range uint(1) << (n + m) {
					if bits.OnesCount(chosen) == m {
						all++
						if sumOf(chosen) >= least {
							extreme++
						}
					}
				}
				return extreme / all
			}
			observed := sumOf(1<<m - 1)
			if exact, rounded := shareAbove(observed-1e-9), shareAbove(observed-0.02); got < exact-1e-9 || got > rounded+1e-9 {
				t.Errorf("p = %v of %v, want %v to %v", got, times, exact, rounded)
			}
		})
	}
}

// TestLogRankKeepsItsLevel counts how often equal distributions differ at 5 %.
func TestLogRankKeepsItsLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{6, 20} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			const trials = 1000
			draw := func() (times []float64, isCut []bool) {
				for range n {
					v := random.ExpFloat64()
					times, isCut = append(times, min(v, 1.2)), append(isCut, v > 1.2)
				}
				return times, isCut
			}
			claims := 0
			for range trials {
				b, cutB := draw()
				d, cutD := draw()
				if p, _ := logRankTest(b, d, [2][]bool{cutB, cutD}); p < 0.05 {
					claims++
				}
			}
			if claims > trials*7/100 {
				t.Errorf("%d of %d", claims, trials)
			}
		})
	}
}
