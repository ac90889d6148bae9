package statistics

import (
	"encoding/json"
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
			p, _ = rankSumTest(c.Baseline, c.Candidate, 1)
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

// TestDrawnPValues checks the p-values of more runs than are enumerated: near the exact ones, reproducible, and
// never 0.
func TestDrawnPValues(t *testing.T) {
	r := newSeededRand(3)
	for range 20 {
		var baseline, candidate []float64
		for range maxEnumeratedRuns / 2 {
			baseline, candidate = append(baseline, r.NormFloat64()), append(candidate, 0.5+r.NormFloat64())
		}
		exact, _ := rankSumTest(baseline, candidate, 1)
		ranks := doubledRanks(slices.Concat(candidate, baseline))
		observed, expected := 0, len(candidate)*(len(ranks)+1)
		for _, rank := range ranks[:len(candidate)] {
			observed += rank
		}
		drawn := drawRankSums(ranks, len(candidate), 1, func(sum int) bool { return abs(sum-expected) >= abs(observed-expected) })
		if math.Abs(drawn-exact) > 4*math.Sqrt(exact*(1-exact)/drawnAssignments)+1e-4 {
			t.Errorf("p is %v, drawn %v", exact, drawn)
		}
	}
	low, high := make([]float64, 40), make([]float64, 40)
	for i := range low {
		low[i], high[i] = float64(i), float64(100+i)
	}
	if p, effect := rankSumTest(low, high, 1); p != 1.0/(drawnAssignments+1) || effect != 1 {
		t.Errorf("p is %v, effect %v", p, effect)
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
