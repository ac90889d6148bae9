package status

import (
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
