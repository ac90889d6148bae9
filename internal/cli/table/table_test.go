package table

import (
	"bytes"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

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

func TestDetectableDifference(t *testing.T) {
	for _, test := range []struct {
		name    string
		outcome experiment.ComparisonOutcome
		want    string
	}{
		{"enough runs", experiment.ComparisonOutcome{Verdict: v1alpha1.ComparisonNoDifference, Comparison: statistics.Comparison{Scale: statistics.Relative, Detectable: new(0.123)}}, "12.3 %"},
		{"too few runs", experiment.ComparisonOutcome{Verdict: v1alpha1.ComparisonTooFewRuns, Comparison: statistics.Comparison{Baselines: 1, Candidates: 1}}, "unknown"},
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
