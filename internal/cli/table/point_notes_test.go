package table

import (
	"bytes"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

func TestPointNotes(t *testing.T) {
	points := []experiment.Point{{Name: "p01", Valid: 2}, {Name: "p02", Valid: 3, Notes: map[verdict.ReasonCode]int{verdict.ReasonCPUStolen: 2, verdict.ReasonNodeNotReady: 1}}}
	var text bytes.Buffer
	if err := ForPointNotes(points).Print(&text, false); err != nil {
		t.Fatal(err)
	}
	want := "POINT   NOTES\np02     CPUStolen in 2 of 3 runs, NodeNotReady in 1 of 3 runs\n"
	if text.String() != want {
		t.Errorf("got\n%swant\n%s", text.String(), want)
	}
}

func TestFindingsListRecordedNotes(t *testing.T) {
	run := v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "net-pay"}, Status: v1alpha1.BenchmarkRunStatus{Reasons: []v1alpha1.VerdictReason{
		{Reason: "HostShared", Severity: v1alpha1.SeverityNote}, {Reason: "CPUStolen", Severity: v1alpha1.SeverityRecorded, Message: "24 % of node-1"}}}}
	if got, want := strings.Join(DescribeFindings([]v1alpha1.BenchmarkRun{run}), "\n"), "net-pay has a recorded note, CPUStolen: 24 % of node-1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFindingsOfRunsWithoutResult(t *testing.T) {
	for reason, want := range map[string]string{v1alpha1.ReasonRunFailed: "net-pay failed, RunFailed: no node", v1alpha1.ReasonCancelled: "net-pay was cancelled"} {
		t.Run(reason, func(t *testing.T) {
			run := v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "net-pay"}}
			run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue, Reason: reason, Message: "no node"}}
			if got := DescribeFindings([]v1alpha1.BenchmarkRun{run}); len(got) != 1 || got[0] != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
