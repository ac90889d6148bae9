package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/verdict"
)

// TestObjectivesAreShown checks that a missed objective is in the banner and in the table, and that a search that
// was not ended by the system says so.
func TestObjectivesAreShown(t *testing.T) {
	missed := []verdict.ObjectiveOutcome{{Metric: "LatencyP95", Outcome: verdict.ObjectiveFailed, Message: "LatencyP95 is 612.0 ms, must be at most 500.0 ms"}}
	e := newSimulatedSearch()
	e.Points[0].Objectives = missed
	e.Saturation[0].Unjudged, e.Saturation[0].Message = 64, "generator-limited above 60"
	run := readRecordedRun(t, "testdata/malachite.json.gz")
	run.Objectives = missed
	for name, c := range map[string]struct {
		write func(io.Writer) error
		says  []string
	}{
		"experiment": {func(w io.Writer) error { return WriteExperimentPage(w, e, nil) }, []string{"1 gate failed.", "The system may bear more: generator-limited above 60."}},
		"run":        {func(w io.Writer) error { return WriteRunPage(w, run) }, []string{"1 objective not met."}},
	} {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			if err := c.write(&text); err != nil {
				t.Fatal(err)
			}
			if strings.Count(text.String(), missed[0].Message) < 3 {
				t.Error("the objective is not in the banner, the table and the data")
			}
			for _, says := range c.says {
				if !strings.Contains(text.String(), says) {
					t.Errorf("the page does not say %q", says)
				}
			}
		})
	}
}
