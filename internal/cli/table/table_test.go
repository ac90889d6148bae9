package table

import (
	"bytes"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

func TestNumber(t *testing.T) {
	for want, x := range map[string]float64{
		"0": 0, "0.00123": 0.0012345, "0.123": 0.12345, "1.23": 1.2345, "12.3": 12.345, "123.4": 123.44, "1235": 1234.6, "-12.3": -12.345,
	} {
		if got := FormatNumber(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
}

func TestFormatPercentKeepsSmallShares(t *testing.T) {
	for want, share := range map[string]float64{"0 %": 0, "<0.01 %": 0.00001, "0.12 %": 0.0012, "100 %": 1} {
		if got := FormatPercent(share); got != want {
			t.Errorf("%v is %s, want %s", share, got, want)
		}
	}
}

func TestFormatEstimateShowsInterval(t *testing.T) {
	for want, e := range map[string]statistics.Estimate{
		"": {}, "10.0": {N: 1, Mean: 10, Low: 10, High: 10}, "10.0 ± 2.50": {N: 2, Mean: 10, Low: 7.5, High: 12.5},
	} {
		if got := FormatEstimate(e); got != want {
			t.Errorf("%+v is %q, want %q", e, got, want)
		}
	}
}

// TestPointWithoutNumbers checks that a point without valid runs shows no numbers.
func TestPointWithoutNumbers(t *testing.T) {
	r := &experiment.Result{Axes: []experiment.Axis{{Name: "users"}}, Points: []experiment.Point{
		{Name: "p01", Parameters: []experiment.Parameter{{Name: "users", Value: "10"}}, Invalid: 2}}}
	var text bytes.Buffer
	if err := ForPoints(r).Print(&text, false); err != nil {
		t.Fatal(err)
	}
	want := "POINT   USERS   VALID   THROUGHPUT   P50 MS   P95 MS   P99 MS   ERRORS   BOTTLENECK\np01     10      0/2     -            -        -        -        -        -\n"
	if text.String() != want {
		t.Errorf("got\n%swant\n%s", text.String(), want)
	}
}

func TestDifferencesOnTheirScale(t *testing.T) {
	for want, o := range map[string]experiment.ComparisonOutcome{
		"-8.10 %":      {Metric: "Throughput", Comparison: statistics.Comparison{Scale: statistics.Relative, Difference: -0.081}},
		"+0.50 points": {Metric: "ErrorShare", Comparison: statistics.Comparison{Scale: statistics.Absolute, Difference: 0.005}},
		"+12.3":        {Metric: "LatencyP95", Comparison: statistics.Comparison{Scale: statistics.Absolute, Difference: 12.34}},
	} {
		if got := formatDifference(&o, o.Difference); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestDetectableIsEmptyWhereItIsUnknown(t *testing.T) {
	for _, test := range []struct {
		name    string
		outcome experiment.ComparisonOutcome
		want    string
	}{
		{"enough runs", experiment.ComparisonOutcome{Verdict: experiment.NoDifference, Comparison: statistics.Comparison{Detectable: 0.123}}, "12.30 %"},
		{"too few runs", experiment.ComparisonOutcome{Verdict: experiment.TooFewRuns}, "-"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.outcome.Candidate, test.outcome.Metric = "candidate", "Throughput"
			var text bytes.Buffer
			if err := ForComparisons([]experiment.ComparisonOutcome{test.outcome}).Print(&text, false); err != nil {
				t.Fatal(err)
			}
			head, row, _ := strings.Cut(text.String(), "\n")
			column := strings.Index(head, "DETECTABLE")
			if got, _, _ := strings.Cut(row[column:], "   "); got != test.want {
				t.Errorf("the detectable difference is %q, want %q:\n%s", got, test.want, text.String())
			}
		})
	}
}
