package table

import (
	"bytes"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// TestRunsShowCorrectedServiceTimes checks that wide output has the corrected percentiles beside the raw ones, and
// that a percentile of too few latencies is blank.
func TestRunsShowCorrectedServiceTimes(t *testing.T) {
	run := v1alpha1.BenchmarkRun{}
	run.Name = "net-pay"
	run.Status.Display.LatencyKind = "service time"
	run.Status.LatencyMicroseconds = &v1alpha1.LatencySummary{Mean: 2500, P50: new(int64(2000)), P95: new(int64(2600)), Max: 2_000_000}
	run.Status.CorrectedLatencyMicroseconds = &v1alpha1.LatencySummary{Mean: 50_000, P50: new(int64(2100)), P95: new(int64(818_000)), Max: 2_000_000}
	var text bytes.Buffer
	if err := ForRuns([]v1alpha1.BenchmarkRun{run}).Print(&text, true); err != nil {
		t.Fatal(err)
	}
	cells := text.String()
	for _, want := range []string{"LATENCY IS", "CORRECTED P95 MS", "service time", "2.60", "818.0"} {
		if !strings.Contains(cells, want) {
			t.Errorf("%q is missing in\n%s", want, cells)
		}
	}
	if strings.Contains(cells, " 0 ") {
		t.Errorf("an unknown percentile is not blank:\n%s", cells)
	}
}

// TestComparisonOfNothingHasNoNumbers checks that a metric that a side lacks is not shown as 0.
func TestComparisonOfNothingHasNoNumbers(t *testing.T) {
	outcome := experiment.ComparisonOutcome{Candidate: "b", Baseline: "a", Metric: "LatencyP99", Verdict: v1alpha1.ComparisonTooFewRuns,
		Gate: v1alpha1.GateUndecided, Message: "p99 latency is blank in 2 of 6 valid runs of the candidate"}
	var text bytes.Buffer
	if err := ForComparisons([]experiment.ComparisonOutcome{outcome}).Print(&text, true); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "0 %") || !strings.Contains(text.String(), "blank in 2 of 6") {
		t.Errorf("got\n%s", text.String())
	}
}
