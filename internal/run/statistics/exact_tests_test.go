package statistics

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
)

// TestExactPValues compares with 1,000 random cases of scipy (testdata/exact_tests.py), with ties and sides of
// unequal size.
func TestExactPValues(t *testing.T) {
	content, err := os.ReadFile("testdata/exact_tests.json")
	if err != nil {
		t.Fatal(err)
	}
	var published struct {
		Cases []struct {
			Test                string
			Baseline, Candidate []float64
			P                   float64
		}
	}
	if err := json.Unmarshal(content, &published); err != nil {
		t.Fatal(err)
	}
	for _, c := range published.Cases {
		var p float64
		switch c.Test {
		case "rankSum":
			p, _ = rankSumTest(c.Baseline, c.Candidate)
		case "signedRank":
			p, _ = signedRankTest(subtractPairwise(c.Candidate, c.Baseline))
		case "fisher":
			p = FisherExactTest(int(c.Baseline[0]), int(c.Baseline[1]), int(c.Candidate[0]), int(c.Candidate[1]))
		}
		if math.Abs(p-c.P) > 1e-9 {
			t.Errorf("%s of %v and %v: p is %v, scipy has %v", c.Test, c.Baseline, c.Candidate, p, c.P)
		}
	}
	if len(published.Cases) != 1000 {
		t.Errorf("%d cases", len(published.Cases))
	}
}

// countAllRankSums counts the choices of ranks by their sum, for all sums and numbers of chosen ranks.
func countAllRankSums(ranks []int, chosen, total int) []float64 {
	counts := make([][]float64, chosen+1)
	for k := range counts {
		counts[k] = make([]float64, total+1)
	}
	counts[0][0] = 1
	for _, rank := range ranks {
		for k := chosen; k > 0; k-- {
			for sum := total; sum >= rank; sum-- {
				counts[k][sum] += counts[k-1][sum-rank]
			}
		}
	}
	return counts[chosen]
}

// TestCountRankSums compares with a count of all sums, of sides of different sizes with and without ties.
func TestCountRankSums(t *testing.T) {
	r := newSeededRand(3)
	for _, test := range []struct{ n, m, values int }{{2, 3, 100}, {5, 5, 3}, {30, 30, 1000}, {20, 45, 6}, {60, 3, 40}} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			var values []float64
			for range test.n + test.m {
				values = append(values, float64(r.IntN(test.values)))
			}
			ranks, total := doubledRanks(values), (test.n+test.m)*(test.n+test.m+1)
			want := countAllRankSums(ranks, test.m, total)
			got, least := countRankSums(ranks, test.m)
			for sum, count := range want {
				counted := 0.0
				if i := sum - least; i >= 0 && i < len(got) {
					counted = got[i]
				}
				if math.Abs(counted-count) > 1e-12*count {
					t.Fatalf("%v ways to a sum of %d, want %v", counted, sum, count)
				}
			}
		})
	}
}

// TestSeparateSamples checks that the p-value of samples that do not overlap is two of all choices, whatever their sizes.
func TestSeparateSamples(t *testing.T) {
	for _, test := range []struct{ n, m int }{{4, 4}, {26, 25}, {40, 40}, {100, 100}, {7, 90}} {
		var low, high []float64
		for i := range test.n {
			low = append(low, float64(i))
		}
		for i := range test.m {
			high = append(high, float64(1000+i))
		}
		p, effect := rankSumTest(low, high)
		if want := leastPValue(test.n, test.m); math.Abs(p/want-1) > 1e-9 || effect != 1 {
			t.Errorf("%+v: p is %v, want %v, effect %v", test, p, want, effect)
		}
	}
}

// TestApproximateRankSum compares the approximation with the count at the largest number of runs that are counted, with and without
// ties. It is close where p is large, and too large where p is small.
func TestApproximateRankSum(t *testing.T) {
	r := newSeededRand(3)
	for _, shift := range []float64{0, 0.2, 0.4, 0.6} {
		for _, step := range []float64{0, 0.5} {
			var baseline, candidate []float64
			for range maxCountedRuns / 2 {
				b, c := r.NormFloat64(), shift+r.NormFloat64()
				if step > 0 {
					b, c = step*math.Round(b/step), step*math.Round(c/step)
				}
				baseline, candidate = append(baseline, b), append(candidate, c)
			}
			counted, effect := rankSumTest(baseline, candidate)
			half := maxCountedRuns / 2
			distance := int(math.Round(math.Abs(effect) * float64(half*half)))
			approximate := approximateRankSum(doubledRanks(slices.Concat(candidate, baseline)), half, distance)
			if approximate < 0.97*counted || approximate > 2*counted || counted > 0.01 && approximate > 1.05*counted {
				t.Errorf("shift %v, step %v: p is %v, approximated as %v", shift, step, counted, approximate)
			}
		}
	}
	long := make([]float64, 2*maxCountedRuns)
	if p, _ := rankSumTest(long, long); p != 1 {
		t.Errorf("p of equal values is %v", p)
	}
}

// TestAdjustForClaims is the example of Holm's paper in the form of R's p.adjust.
func TestAdjustForClaims(t *testing.T) {
	got := AdjustForClaims([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("got %v", got)
		}
	}
	if got := AdjustForClaims([]float64{0.6, 0.9}); got[0] != 1 || got[1] != 1 {
		t.Errorf("got %v", got)
	}
}

func TestEstimateTrend(t *testing.T) {
	var baseline, candidate []OrderedRun
	r := newSeededRand(1)
	for i := range 10 {
		first, second := float64(2*i), float64(2*i+1)
		baseline = append(baseline, OrderedRun{first, 100 * math.Exp(0.01*first+0.01*r.NormFloat64())})
		candidate = append(candidate, OrderedRun{second, 150 * math.Exp(0.01*second+0.01*r.NormFloat64())})
	}
	trend := EstimateTrend(baseline, candidate)
	if trend == nil || math.Abs(trend.PerRun-0.01) > 0.001 || trend.PValue > 1e-6 {
		t.Errorf("got %+v, want 1 %% per run", trend)
	}
	if got := EstimateTrend(baseline, []OrderedRun{{1, math.Inf(1)}}); got != nil {
		t.Errorf("got %+v of a failed run", got)
	}
	if got := EstimateTrend(baseline[:1], candidate[:1]); got != nil {
		t.Errorf("got %+v of one run each", got)
	}
}
