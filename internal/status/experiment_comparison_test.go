package status

import (
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// TestComparisonStatus checks that a comparison without values, as of a percentile that runs are too short for, shows no
// difference of 0.
func TestComparisonStatus(t *testing.T) {
	for name, c := range map[string]struct {
		runs       int
		difference string
	}{
		"compared":       {runs: 5, difference: "-2.0 %"},
		"without values": {},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := &experiment.ComparisonOutcome{Candidate: "new", Metric: string(v1alpha1.MetricLatencyP95)}
			outcome.Scale, outcome.Difference, outcome.Interval = statistics.Relative, -0.02, &statistics.Range{Low: -0.03, High: -0.01}
			outcome.Baselines, outcome.Candidates = c.runs, c.runs
			got := comparisonStatus(outcome)
			if got.Display.Difference != c.difference || (got.Difference != nil) != (c.difference != "") {
				t.Errorf("got %+v, %+v; want the difference %q", got.Display, got.Difference, c.difference)
			}
		})
	}
}
