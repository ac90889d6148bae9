package status

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

func outcome(outcome string) verdict.ObjectiveOutcome {
	return verdict.ObjectiveOutcome{Metric: "LatencyP95", Outcome: outcome, Message: "p95 " + outcome}
}

func TestObjectivesOfARun(t *testing.T) {
	for name, c := range map[string]struct {
		outcomes []verdict.ObjectiveOutcome
		status   metav1.ConditionStatus
		reason   string
		says     string
	}{
		"passed":    {[]verdict.ObjectiveOutcome{outcome("Passed"), outcome("Passed")}, metav1.ConditionTrue, v1alpha1.ReasonGatesPassed, "all 2 gates passed"},
		"failed":    {[]verdict.ObjectiveOutcome{outcome("Passed"), outcome("Failed")}, metav1.ConditionFalse, v1alpha1.ReasonGateFailed, "p95 Failed"},
		"undecided": {[]verdict.ObjectiveOutcome{outcome("Undecided")}, metav1.ConditionFalse, v1alpha1.ReasonGateUndecided, "undecided: p95 Undecided"},
		"no result": {nil, metav1.ConditionUnknown, v1alpha1.ReasonMeasuring, "when the run has a result"},
	} {
		t.Run(name, func(t *testing.T) {
			in := RunInput{Run: &v1alpha1.BenchmarkRun{}, Now: testTime}
			in.Run.Spec.Workload.Objectives = []v1alpha1.Objective{{MetricObjective: v1alpha1.MetricObjective{Metric: v1alpha1.MetricLatencyP95}}}
			if c.outcomes != nil {
				in.Result = &document.RunResult{Objectives: c.outcomes}
			}
			s := ComputeRun(in)
			got := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionGatesPassed)
			if got == nil || got.Status != c.status || got.Reason != c.reason || !strings.Contains(got.Message, c.says) || len(s.Objectives) != len(c.outcomes) {
				t.Errorf("got %+v and %+v, want %s, %s: %q", got, s.Objectives, c.status, c.reason, c.says)
			}
		})
	}
	if s := ComputeRun(RunInput{Run: &v1alpha1.BenchmarkRun{}, Now: testTime}); meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionGatesPassed) != nil {
		t.Error("a run without objectives has the condition")
	}
}

func TestObjectivesOfAnExperiment(t *testing.T) {
	points := func(outcomes ...string) *experiment.Result {
		r := &experiment.Result{}
		for i, o := range outcomes {
			r.Points = append(r.Points, experiment.Point{Name: []string{"p01", "p02"}[i], Objectives: []verdict.ObjectiveOutcome{outcome(o)}})
		}
		return r
	}
	for name, c := range map[string]struct {
		result *experiment.Result
		ended  int
		status metav1.ConditionStatus
		says   string
	}{
		"every point passed": {points("Passed", "Passed"), 1, metav1.ConditionTrue, "all 2 gates passed"},
		"one point failed":   {points("Passed", "Failed"), 1, metav1.ConditionFalse, "point p02: p95 Failed"},
		"no objectives left": {&experiment.Result{Points: []experiment.Point{{Name: "p01"}}}, 1, metav1.ConditionUnknown, "no point has objectives"},
		"still measuring":    {points("Passed", "Undecided"), 0, metav1.ConditionUnknown, "after all measurements"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &v1alpha1.BenchmarkExperiment{}
			e.Spec.Template.Workload.Objectives = []v1alpha1.Objective{{MetricObjective: v1alpha1.MetricObjective{Metric: v1alpha1.MetricLatencyP95}}}
			var l conditionList
			addGatesCondition(&l, ExperimentInput{Experiment: e, Result: c.result, Step: &experiment.NextStep{EndedTurns: c.ended, TotalTurns: 1}})
			if got := l.conditions[0]; got.Status != c.status || !strings.Contains(got.Message, c.says) {
				t.Errorf("got %+v, want %s with %q", got, c.status, c.says)
			}
		})
	}
}
