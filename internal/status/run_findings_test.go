package status

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/results"
)

// TestVerdictNames checks that results and the API name verdicts alike. Results do not import the API.
func TestVerdictNames(t *testing.T) {
	valid, invalid := results.Verdict{}, results.Verdict{Reasons: []results.Reason{{Code: results.Errors}}}
	if valid.Validity() != string(v1alpha1.VerdictValid) || invalid.Validity() != string(v1alpha1.VerdictInvalid) {
		t.Errorf("verdicts %q and %q", valid.Validity(), invalid.Validity())
	}
}

// TestStatusMessageNamesNeighbours: the message of a run on a shared host begins with the share of others.
func TestStatusMessageNamesNeighbours(t *testing.T) {
	shared := results.Reason{Code: results.HostShared, Subject: "node-1", Message: "others used 1.1 of the 2 CPUs of node-1"}
	for name, c := range map[string]struct {
		verdict results.Verdict
		named   bool
	}{
		"quiet":    {results.Verdict{}, false},
		"enforced": {results.Verdict{Reasons: []results.Reason{{Code: results.Errors}, shared}}, true},
		"recorded": {results.Verdict{Notes: []results.Reason{{Code: shared.Code, Message: shared.Message, RecordedOnly: true}}}, true},
		"noted":    {results.Verdict{Notes: []results.Reason{shared}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var s v1alpha1.BenchmarkRunStatus
			l := &conditionList{}
			setComplete(&s, l, RunInput{Run: &v1alpha1.BenchmarkRun{}, Result: &results.RunResult{Verdict: c.verdict}})
			for _, condition := range l.conditions {
				if condition.Type == v1alpha1.ConditionReady && strings.HasPrefix(condition.Message, "HostShared: others used 1.1 of the 2 CPUs of node-1; ") != c.named {
					t.Errorf("message %q", condition.Message)
				}
			}
		})
	}
}

// TestVerdictFindings: a finding about the environment that was only recorded differs from other notes.
func TestVerdictFindings(t *testing.T) {
	got := verdictFindings(&results.Verdict{
		Reasons: []results.Reason{{Code: results.Errors, Message: "3 of 9 failed"}},
		Notes: []results.Reason{{Code: results.HostShared, Subject: "node-1", Message: "other pods used node-1"},
			{Code: results.CPUStolen, Subject: "node-1", Message: "24 % of node-1 were stolen", RecordedOnly: true}},
	})
	want := []v1alpha1.VerdictReason{
		{Reason: "Errors", Severity: v1alpha1.SeverityInvalid, Message: "3 of 9 failed"},
		{Reason: "CPUStolen", Severity: v1alpha1.SeverityRecorded, Message: "24 % of node-1 were stolen"},
		{Reason: "HostShared", Severity: v1alpha1.SeverityNote, Message: "other pods used node-1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
