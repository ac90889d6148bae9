package progress

import (
	"bytes"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
)

var startTime = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func newMeasuringRun() v1alpha1.BenchmarkRun {
	run := v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "two-banks-issue"}}
	run.Spec.Workload.Measure = v1alpha1.Measure{WarmUp: v1alpha1.Seconds{Duration: 30 * time.Second}, Window: v1alpha1.Seconds{Duration: 90 * time.Second}}
	began := metav1.NewMicroTime(startTime)
	run.Status = v1alpha1.BenchmarkRunStatus{Phase: "Measuring", StartTime: &began, Unit: "flows", Display: v1alpha1.RunDisplay{Throughput: "41.2 flows/s"}}
	return run
}

func endRun(run v1alpha1.BenchmarkRun, verdict v1alpha1.Verdict) v1alpha1.BenchmarkRun {
	run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}}
	run.Status.Verdict = verdict
	if verdict == v1alpha1.VerdictInvalid {
		run.Status.Reasons = []v1alpha1.VerdictReason{{Reason: "Errors", Severity: "Invalid", Message: "3 of 9 failed"}, {Reason: "FewSamples", Severity: "Note"}}
	}
	return run
}

func TestMeasuringRunLine(t *testing.T) {
	run := newMeasuringRun()
	l := runLine(&run, startTime.Add(60*time.Second))
	if l.DoneFraction != 0.5 || l.Text != "Measuring · 50 % · 41.2 flows/s" || l.LogText != "Measuring" || l.Ended {
		t.Errorf("%+v", l)
	}
}

// TestLogScreenWritesEachStepOnce checks that a log has one line per step rather than per second.
func TestLogScreenWritesEachStepOnce(t *testing.T) {
	var out bytes.Buffer
	screen := &logScreen{out: &out, lastText: map[string]string{}, now: func() time.Time { return startTime }}
	run := newMeasuringRun()
	for second := range 5 {
		screen.Show([]Line{runLine(&run, startTime.Add(time.Duration(second)*time.Second))})
	}
	run = endRun(run, v1alpha1.VerdictValid)
	screen.Show([]Line{runLine(&run, startTime)})
	want := "12:00:00 brun/two-banks-issue Measuring\n12:00:00 brun/two-banks-issue Valid · 41.2 flows/s\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestBarScreenHidesEndedObjects(t *testing.T) {
	var out bytes.Buffer
	screen := newBars(t.Context(), &out)
	run := newMeasuringRun()
	screen.Show([]Line{runLine(&run, startTime.Add(60*time.Second)), {Name: "brun/passing", Ended: true, HideWhenEnded: true}})
	screen.Close()
	if text := out.String(); !bytes.Contains(out.Bytes(), []byte("brun/two-banks-issue")) || bytes.Contains(out.Bytes(), []byte("passing")) {
		t.Errorf("shown: %q", text)
	}
}

func newNetwork(ready bool, workloads ...string) v1alpha1.BenchmarkNetwork {
	n := v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "two-banks"}}
	for _, name := range workloads {
		n.Spec.Workloads = append(n.Spec.Workloads, v1alpha1.NetworkWorkload{Workload: v1alpha1.Workload{Name: name}})
	}
	if ready {
		n.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue}}
	}
	return n
}

func TestNetworkEndsWithItsRuns(t *testing.T) {
	target := cluster.Target{Kind: cluster.Network, Name: "two-banks"}
	of := func(n v1alpha1.BenchmarkNetwork, runs ...v1alpha1.BenchmarkRun) Outcome {
		return JudgeState(&State{Target: target, Networks: []v1alpha1.BenchmarkNetwork{n}, Runs: runs})
	}
	if of(newNetwork(false)).Ended || of(newNetwork(true, "issue")).Ended || of(newNetwork(true, "issue"), newMeasuringRun()).Ended {
		t.Error("a network has ended before it was ready, or before its runs have")
	}
	if !of(newNetwork(true)).Ended || !of(newNetwork(true, "issue"), endRun(newMeasuringRun(), v1alpha1.VerdictValid)).Ended {
		t.Error("a network has not ended though it is ready and its runs are over")
	}
	if of(newNetwork(true, "issue", "pay"), endRun(newMeasuringRun(), v1alpha1.VerdictValid)).Ended {
		t.Error("a network has ended though a run of its workloads is not there yet")
	}
}

func TestJudgement(t *testing.T) {
	run := cluster.Target{Kind: cluster.Run}
	invalid := JudgeState(&State{Target: run, Runs: []v1alpha1.BenchmarkRun{endRun(newMeasuringRun(), v1alpha1.VerdictInvalid)}})
	if len(invalid.Failures) != 0 || len(invalid.FailedChecks) != 1 || invalid.FailedChecks[0] != "run two-banks-issue is invalid, Errors: 3 of 9 failed" {
		t.Errorf("an invalid run: %+v", invalid)
	}
	failed := endRun(newMeasuringRun(), "")
	failed.Status.Conditions = append(failed.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue, Message: "no result"})
	if o := JudgeState(&State{Target: run, Runs: []v1alpha1.BenchmarkRun{failed}}); len(o.Failures) != 1 || o.Failures[0] != "run two-banks-issue failed: no result" {
		t.Errorf("a failed run: %+v", o)
	}
	cancelled := endRun(newMeasuringRun(), "")
	cancelled.Status.Conditions[0].Reason = v1alpha1.ReasonCancelled
	if o := JudgeState(&State{Target: run, Runs: []v1alpha1.BenchmarkRun{cancelled}}); len(o.Failures) != 1 || o.Failures[0] != "run two-banks-issue was cancelled" {
		t.Errorf("a cancelled run: %+v", o)
	}
	for reason, want := range map[string]string{
		v1alpha1.ReasonGateFailed:    "run two-banks-issue: a gate failed: p95 too high",
		v1alpha1.ReasonGateUndecided: "run two-banks-issue: a gate is p95 too high",
	} {
		missed := endRun(newMeasuringRun(), v1alpha1.VerdictValid)
		missed.Status.Conditions = append(missed.Status.Conditions, metav1.Condition{
			Type: v1alpha1.ConditionGatesPassed, Status: metav1.ConditionFalse, Reason: reason, Message: "p95 too high"})
		if o := JudgeState(&State{Target: run, Runs: []v1alpha1.BenchmarkRun{missed}}); len(o.FailedChecks) != 1 || o.FailedChecks[0] != want {
			t.Errorf("a run with an objective that did not pass: %+v, want %q", o, want)
		}
	}
	e := &v1alpha1.BenchmarkExperiment{ObjectMeta: metav1.ObjectMeta{Name: "i1"}}
	e.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue},
		{Type: v1alpha1.ConditionGatesPassed, Status: metav1.ConditionFalse, Message: "throughput -8 %"}}
	e.Status.Points = []v1alpha1.PointStatus{{Name: "p01", RunsEnded: 3, RunsInvalid: 1},
		{Name: "p02", RunsEnded: 3, RunsInvalid: 3, Display: v1alpha1.PointDisplay{Parameters: "users=10"}}}
	o := JudgeState(&State{Target: cluster.Target{Kind: cluster.Experiment}, Experiment: e})
	if len(o.FailedChecks) != 2 || o.FailedChecks[0] != "experiment i1: a gate failed: throughput -8 %" || o.FailedChecks[1] != "experiment i1: point p02 (users=10) has no valid run" {
		t.Errorf("an experiment: %+v", o)
	}
}
