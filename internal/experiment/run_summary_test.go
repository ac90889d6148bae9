package experiment

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// TestRunSummaryIsBounded checks the size of summaries. Everyone who may write ConfigMaps may write the result
// of a run, and the operator keeps the summaries of all runs in memory.
func TestRunSummaryIsBounded(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	reasons := make([]verdict.Reason, 1000)
	for i := range reasons {
		reasons[i] = verdict.Reason{Code: verdict.ReasonCode(long), Subject: long, Message: long, RecordedOnly: true}
	}
	run := SummarizeRun(&document.RunResult{Run: document.RunIdentity{Name: long}, Summary: measurement.Summary{Unit: long}, Bottleneck: &verdict.Bottleneck{Subject: long},
		Verdict: verdict.Verdict{Reasons: reasons, Notes: reasons}})
	text, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 64<<10 || len(run.Notes) == 0 || len(run.Reasons) == 0 {
		t.Errorf("the run has %d bytes, %d notes and %d reasons", len(text), len(run.Notes), len(run.Reasons))
	}
}
