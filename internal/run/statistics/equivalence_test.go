package statistics

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// TestEquivalencePValues compares with two one-sided Welch tests of scipy (testdata/equivalence.py).
func TestEquivalencePValues(t *testing.T) {
	content, err := os.ReadFile("testdata/equivalence.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Baseline, Candidate          []float64
		Margin, P, Beyond, Low, High float64
	}
	if err := json.Unmarshal(content, &cases); err != nil {
		t.Fatal(err)
	}
	equivalent, beyond := 0, 0
	for i, c := range cases {
		e := AssessEquivalence(c.Baseline, c.Candidate, c.Margin, 0.95)
		for name, pair := range map[string][2]float64{"p": {e.PValue, c.P}, "p beyond": {e.BeyondPValue, c.Beyond}, "low": {e.Interval.Low, c.Low}, "high": {e.Interval.High, c.High}} {
			if math.Abs(pair[0]-pair[1]) > 1e-7 {
				t.Errorf("case %d: %s is %v, scipy has %v", i, name, pair[0], pair[1])
			}
		}
		if within := e.Interval.Low > -1+1/(1+c.Margin) && e.Interval.High < c.Margin; within != e.IsEquivalent(0.95) {
			t.Errorf("case %d: equivalent is %t, but the interval is [%v, %v] and the margin %v", i, !within, e.Interval.Low, e.Interval.High, c.Margin)
		}
		if again := AssessEquivalence(c.Candidate, c.Baseline, c.Margin, 0.95); math.Abs(again.PValue-e.PValue) > 1e-12 {
			t.Errorf("case %d: exchanging the sides changes p from %v to %v", i, e.PValue, again.PValue)
		}
		for _, factor := range []float64{0.999, 1.001} {
			if got := AssessEquivalence(c.Baseline, c.Candidate, factor**e.SmallestMargin, 0.95).IsEquivalent(0.95); got != (factor > 1) {
				t.Errorf("case %d: equivalent within %v times the smallest margin: %t", i, factor, got)
			}
		}
		if e.IsEquivalent(0.95) {
			equivalent++
		}
		if e.IsBeyond(0.95, 1) {
			beyond++
		}
	}
	if equivalent < 10 || beyond < 10 {
		t.Errorf("%d cases are equivalent and %d beyond the margin: too few of either to test", equivalent, beyond)
	}
}

func TestEquivalenceOfFewRuns(t *testing.T) {
	for _, test := range []struct {
		name                string
		baseline, candidate []float64
		tooFew, equivalent  bool
	}{
		{"no run", nil, []float64{1}, true, false},
		{"single runs", []float64{100}, []float64{100}, true, false},
		{"four against five", []float64{1, 1, 1, 1}, []float64{1, 1, 1, 1, 1}, true, false},
		{"no spread", []float64{2, 2, 2, 2, 2}, []float64{2, 2, 2, 2, 2}, false, true},
		{"no spread, beyond the margin", []float64{2, 2, 2, 2, 2}, []float64{3, 3, 3, 3, 3}, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := AssessEquivalence(test.baseline, test.candidate, 0.1, 0.95)
			if e.HasTooFewRuns() != test.tooFew || (e.SmallestMargin == nil) != test.tooFew || e.IsEquivalent(0.95) != test.equivalent || math.IsNaN(e.PValue+e.BeyondPValue+e.BoundsOr(0).Low+e.BoundsOr(0).High) {
				t.Errorf("%+v", e)
			}
			if wantBeyond := !test.tooFew && !test.equivalent; e.IsBeyond(0.95, 3) != wantBeyond {
				t.Errorf("beyond the margin is %t: %+v", !wantBeyond, e)
			}
		})
	}
}
