package status

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// TestCauseTravelsUpward checks that the cause of a pod reaches the run, and that of a run the experiment.
func TestCauseTravelsUpward(t *testing.T) {
	const cause = "pod r-0-x: container worker: ImagePullBackOff: image r.example.com/none:1: not found"
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "r"}}
	run.Spec.Workload.Workers.Count = 3
	run.Status = ComputeRun(RunInput{Run: run, WorkersReady: 2, WorkersProblem: cause})
	ready := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionReady)
	if ready.Message != "2 of 3 workers are ready; "+cause {
		t.Errorf("Ready of the run is %q", ready.Message)
	}
	e := &v1alpha1.BenchmarkExperiment{}
	in := ExperimentInput{Experiment: e, Step: &experiment.NextStep{ActiveRuns: []string{"r"}, TotalTurns: 1}, Result: &experiment.Result{}, RunProblem: RunProblem(run),
		Plan: &v1alpha1.ExperimentPlan{}}
	s := ComputeExperiment(in)
	if c := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionReady); !strings.Contains(c.Message, "measuring r; BenchmarkRun r: ") || !strings.Contains(c.Message, cause) {
		t.Errorf("Ready of the experiment is %q", c.Message)
	}
	for name, message := range map[string]string{"merely waits": "2 of 3 workers are ready", "proceeds": ""} {
		t.Run(name, func(t *testing.T) {
			waiting := run.DeepCopy()
			meta.FindStatusCondition(waiting.Status.Conditions, v1alpha1.ConditionReady).Message = message
			if got := RunProblem(waiting); got != "" {
				t.Errorf("the problem is %q", got)
			}
		})
	}
}

// TestPausedNetworkIsProblem checks that an experiment says why it waits if a user has paused one of its networks.
func TestPausedNetworkIsProblem(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "r"}}
	run.Status = ComputeRun(RunInput{Run: run, WaitReason: WaitReason{Reason: v1alpha1.ReasonPaused, Message: "spec.pauseRuns of BenchmarkNetwork n is true"}})
	if got := RunProblem(run); got != "BenchmarkRun r: spec.pauseRuns of BenchmarkNetwork n is true" {
		t.Errorf("the problem is %q", got)
	}
}

// TestQuotaOfSomeWorkers checks the reason of a run of which a quota lets only some workers start.
func TestQuotaOfSomeWorkers(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{}
	s := ComputeRun(RunInput{Run: run, WorkersReady: 2, WorkersProblem: "pods cannot be created: forbidden: exceeded quota: pods"})
	if c := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionReady); c.Reason != v1alpha1.ReasonQuotaExceeded {
		t.Errorf("the reason is %s", c.Reason)
	}
}
