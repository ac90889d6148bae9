package statistics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// drawRuns draws the runs of both sides with a noise of 5 %. The candidate's are multiplied by one plus the difference.
func drawRuns(r *rand.Rand, n, m int, difference float64) (baseline, candidate []float64) {
	const deviation = 0.05
	for range n {
		baseline = append(baseline, math.Exp(deviation*r.NormFloat64()))
	}
	for range m {
		candidate = append(candidate, (1+difference)*math.Exp(deviation*r.NormFloat64()))
	}
	return baseline, candidate
}

// TestDetectableDifferenceIsFound checks that the difference that runs of equal systems name as detectable is claimed in 80 % of all
// cases or slightly more if a candidate of that difference is measured.
func TestDetectableDifferenceIsFound(t *testing.T) {
	const cases = 2000
	for _, test := range []struct {
		n, m, claims int
		confidence   float64
		paired       bool
	}{
		{4, 4, 1, 0.95, false}, {5, 5, 1, 0.95, false}, {5, 5, 3, 0.95, false}, {8, 8, 1, 0.95, false}, {8, 12, 1, 0.95, false}, {15, 15, 12, 0.95, false},
		{6, 6, 1, 0.95, true}, {7, 7, 1, 0.95, true}, {7, 7, 3, 0.95, true}, {8, 8, 1, 0.95, true}, {8, 8, 1, 0.99, true}, {9, 9, 12, 0.95, true},
		{10, 10, 1, 0.9, true}, {10, 10, 3, 0.95, true}, {20, 20, 1, 0.95, true}, {20, 20, 12, 0.95, true}, {30, 30, 1, 0.95, true},
	} {
		t.Run(fmt.Sprintf("%d against %d, %d claims at %v, paired %v", test.n, test.m, test.claims, test.confidence, test.paired), func(t *testing.T) {
			o := CompareOptions{Confidence: test.confidence, Claims: test.claims, Paired: test.paired}
			found := 0.0
			for seed := range uint64(cases) {
				r := newSeededRand(seed)
				baseline, candidate := drawRuns(r, test.n, test.m, 0)
				detectable := *Compare(baseline, candidate, o).Detectable
				baseline, candidate = drawRuns(r, test.n, test.m, detectable)
				found += boolToFloat(Compare(baseline, candidate, o).IsSignificant(test.confidence)) / cases
			}
			t.Logf("found in %.1f %%", 100*found)
			if found < 0.79 || found > 0.87 {
				t.Errorf("found in %.1f %%, want 80 %% or slightly more", 100*found)
			}
		})
	}
}

func TestAttainableLevel(t *testing.T) {
	for name, test := range map[string]struct {
		c           Comparison
		level, want float64
	}{
		"six pairs":         {Comparison{Baselines: 6, Candidates: 6, Paired: true}, 0.05, 2.0 / 64},
		"seven pairs":       {Comparison{Baselines: 7, Candidates: 7, Paired: true}, 0.05, 6.0 / 128},
		"four runs a side":  {Comparison{Baselines: 4, Candidates: 4}, 0.05, 2.0 / 70},
		"many runs":         {Comparison{Baselines: 100, Candidates: 100, Paired: true}, 0.05, 0.05},
		"a level attained":  {Comparison{Baselines: 6, Candidates: 6, Paired: true}, 2.0 / 64, 0},
		"three against six": {Comparison{Baselines: 3, Candidates: 6}, 0.05, 4.0 / 84},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.c.attainableLevel(test.level); math.Abs(got-test.want) > 1e-12 {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// TestPlannedPairsFindDifference measures a pilot of equal systems, plans by its spread, and measures a candidate with that difference.
func TestPlannedPairsFindDifference(t *testing.T) {
	const cases, difference = 500, 0.05
	for _, pilots := range []int{5, 10, 20} {
		t.Run(fmt.Sprintf("pilot of %d runs", pilots), func(t *testing.T) {
			o, found := CompareOptions{Confidence: 0.95, Paired: true}, 0.0
			for seed := range uint64(cases) {
				r := newSeededRand(seed)
				pilot, _ := drawRuns(r, pilots, 0, 0)
				n := PairsForDifference(difference, EstimateMean(pilot, 0.95).StdDev, float64(pilots-1), o)
				baseline, candidate := drawRuns(r, n, n, difference)
				found += boolToFloat(Compare(baseline, candidate, o).IsSignificant(0.95)) / cases
			}
			t.Logf("found in %.1f %%", 100*found)
			if found < 0.77 || found > 0.95 {
				t.Errorf("found in %.1f %%, want 80 %% or slightly more", 100*found)
			}
		})
	}
}

func TestPairsForDifference(t *testing.T) {
	o := CompareOptions{Confidence: 0.95}
	small, large := PairsForDifference(0.05, 0.03, 20, o), PairsForDifference(0.05, 0.06, 20, o)
	if small <= 6 || large < 2*small || large > 5*small {
		t.Errorf("%d pairs with a noise of 3 %%, %d with twice of it, want up to four times as many", small, large)
	}
	if got := PairsForDifference(0.5, 0.001, 20, o); got != 6 {
		t.Errorf("%d pairs without much noise, want the six that a claim needs", got)
	}
	if got := PairsForDifference(0.001, 0.5, 20, o); got != 0 {
		t.Errorf("%d pairs, want none up to the bound", got)
	}
}
