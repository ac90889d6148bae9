package status

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// TestVerdictNames checks that results and the API name verdicts alike. Results do not import the API.
func TestVerdictNames(t *testing.T) {
	valid, invalid := verdict.Verdict{}, verdict.Verdict{Reasons: []verdict.Reason{{Code: verdict.ReasonErrors}}}
	if valid.Validity() != string(v1alpha1.VerdictValid) || invalid.Validity() != string(v1alpha1.VerdictInvalid) {
		t.Errorf("verdicts %q and %q", valid.Validity(), invalid.Validity())
	}
}

// TestMessageBeginsWithInvalidReasons checks the order of findings in the conditions of a run with a result: what makes
// it invalid comes before a shared host that was only recorded.
func TestMessageBeginsWithInvalidReasons(t *testing.T) {
	shared := verdict.Reason{Code: verdict.ReasonHostShared, Subject: "node-1", Message: "others used 1.1 of the 2 CPUs of node-1"}
	recorded := shared
	recorded.RecordedOnly = true
	restarted := verdict.Reason{Code: verdict.ReasonMemberRestarted, Subject: "member-1", Message: "its containers restarted 1 times"}
	const sharedText, restartedText = "HostShared: others used 1.1 of the 2 CPUs of node-1; ", "MemberRestarted: member-1: its containers restarted 1 times; "
	for name, c := range map[string]struct {
		verdict verdict.Verdict
		want    string
	}{
		"quiet":                       {verdict.Verdict{}, ""},
		"invalid":                     {verdict.Verdict{Reasons: []verdict.Reason{restarted}}, restartedText},
		"invalid twice":               {verdict.Verdict{Reasons: []verdict.Reason{shared, restarted}}, sharedText + restartedText},
		"invalid and recorded":        {verdict.Verdict{Reasons: []verdict.Reason{restarted}, Notes: []verdict.Reason{recorded}}, restartedText + sharedText},
		"invalid and noted":           {verdict.Verdict{Reasons: []verdict.Reason{restarted}, Notes: []verdict.Reason{shared}}, restartedText},
		"recorded":                    {verdict.Verdict{Notes: []verdict.Reason{recorded}}, sharedText},
		"noted":                       {verdict.Verdict{Notes: []verdict.Reason{shared}}, ""},
		"recorded on several hosts":   {verdict.Verdict{Notes: []verdict.Reason{recorded, recorded}}, sharedText},
		"invalid without its subject": {verdict.Verdict{Reasons: []verdict.Reason{{Code: verdict.ReasonErrors, Message: "3 of 9 failed"}}}, "Errors: 3 of 9 failed; "},
	} {
		t.Run(name, func(t *testing.T) {
			var s v1alpha1.BenchmarkRunStatus
			l := &conditionList{}
			setComplete(&s, l, RunInput{Run: &v1alpha1.BenchmarkRun{}, Result: &document.RunResult{Verdict: c.verdict}})
			want := c.want + fmt.Sprintf("%s over 0 s, verdict %s", s.Display.Throughput, c.verdict.Validity())
			for _, condition := range l.conditions {
				if condition.Type != v1alpha1.ConditionAccepted && condition.Message != want {
					t.Errorf("%s has the message %q, want %q", condition.Type, condition.Message, want)
				}
			}
		})
	}
}

// TestVerdictFindings: a finding about the environment that was only recorded differs from other notes.
func TestVerdictFindings(t *testing.T) {
	got := verdictFindings(&verdict.Verdict{
		Reasons: []verdict.Reason{{Code: verdict.ReasonErrors, Message: "3 of 9 failed"}},
		Notes: []verdict.Reason{{Code: verdict.ReasonHostShared, Subject: "node-1", Message: "other pods used node-1"},
			{Code: verdict.ReasonCPUStolen, Subject: "node-1", Message: "24 % of node-1 were stolen", RecordedOnly: true}},
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
