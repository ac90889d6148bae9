package status

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
)

func TestCancelledRun(t *testing.T) {
	start := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	workers := func(phases ...corev1.PodPhase) (pods []corev1.Pod) {
		for _, phase := range phases {
			pods = append(pods, corev1.Pod{Status: corev1.PodStatus{Phase: phase}})
		}
		return pods
	}
	measuring := RunInput{Start: &start, Progress: []string{`{"phase":"Window","elapsedSeconds":20,"throughput":8}`}}
	stopping, stopped, early, failed, judged := measuring, measuring, measuring, measuring, measuring
	stopping.Workers = workers(corev1.PodRunning, corev1.PodFailed)
	stopped.Workers = workers(corev1.PodFailed, corev1.PodSucceeded)
	failed.ReconcileError = errors.New("the Job was not suspended")
	judged.Result = &document.RunResult{}
	tests := map[string]struct {
		in       RunInput
		now      time.Duration // since the start
		complete bool
		reason   string
		phase    v1alpha1.Phase
		window   time.Duration
	}{
		"waiting":                  {RunInput{WaitReason: WaitReason{"WaitingForTurn", "another"}}, 0, true, "Cancelled", "Cancelled", 0},
		"preparing":                {RunInput{Workers: workers(corev1.PodPending)}, 0, true, "Cancelled", "Cancelled", 0},
		"stopping workers":         {stopping, 50 * time.Second, false, "Cancelled", "Cancelling", 20 * time.Second},
		"stopped in the window":    {stopped, 50 * time.Second, true, "Cancelled", "Cancelled", 20 * time.Second},
		"stopped in the warm-up":   {early, 10 * time.Second, true, "Cancelled", "Cancelled", 0},
		"stopped in the drain":     {stopped, 100 * time.Second, true, "Cancelled", "Cancelled", time.Minute},
		"error while stopping":     {failed, 50 * time.Second, false, "Problem", "Preparing", 0},
		"result was written first": {judged, 50 * time.Second, true, "ResultWritten", "Complete", 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.in.Run, test.in.Now = &v1alpha1.BenchmarkRun{}, start.Add(test.now)
			test.in.Run.Spec.Cancelled = true
			test.in.Run.Spec.Workload.Measure = v1alpha1.Measure{WarmUp: v1alpha1.Seconds{Duration: 30 * time.Second}, Window: v1alpha1.Seconds{Duration: time.Minute}}
			s := ComputeRun(test.in)
			complete := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionComplete)
			if (complete.Status == metav1.ConditionTrue) != test.complete || complete.Reason != test.reason || s.Phase != test.phase {
				t.Fatalf("Complete is %s %s in phase %s", complete.Status, complete.Reason, s.Phase)
			}
			if test.reason != v1alpha1.ReasonCancelled {
				return
			}
			if test.in.Start != nil && *s.ThroughputMilliPerSecond != 8000 || (s.CompletionTime != nil) != test.complete || s.Verdict != "" {
				t.Errorf("the live numbers should stay, without a verdict: %+v", s)
			}
			var window time.Duration
			if s.Window != nil {
				window = s.Window.End.Sub(s.Window.Start.Time)
			}
			if window != test.window {
				t.Errorf("the window lasts %s, want %s", window, test.window)
			}
		})
	}
}
