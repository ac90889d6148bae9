package progress

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/naming"
)

// Outcome reports whether a target has ended, and its failures.
type Outcome struct {
	Ended bool
	// Failures lists failed runs, networks and experiments, which have no result.
	Failures []string
	// FailedChecks lists negative verdicts on existing results: an invalid run, a failed gate.
	FailedChecks []string
}

// JudgeState returns the outcome of a target.
func JudgeState(s *State) Outcome {
	switch s.Target.Kind {
	case cluster.Experiment:
		return judgeExperiment(s.Experiment)
	case cluster.Network:
		return judgeNetwork(s)
	default:
		return judgeRun(&s.Runs[0])
	}
}

func judgeExperiment(e *v1alpha1.BenchmarkExperiment) Outcome {
	conditions, name := e.Status.Conditions, "experiment "+e.Name
	if c := stalledCondition(conditions); c != nil {
		return Outcome{Ended: true, Failures: []string{fmt.Sprintf("%s: %s: %s", name, c.Reason, c.Message)}}
	}
	if !v1alpha1.IsComplete(conditions) {
		return Outcome{}
	}
	o := Outcome{Ended: true}
	o.addGates(name, conditions)
	for _, p := range e.Status.Points {
		if p.RunsEnded <= p.RunsInvalid {
			o.FailedChecks = append(o.FailedChecks, fmt.Sprintf("%s: point %s (%s) has no valid run", name, p.Name, p.Display.Parameters))
		}
	}
	return o
}

// addGates adds a failed check if a gate failed or could not be decided.
func (o *Outcome) addGates(name string, conditions []metav1.Condition) {
	c := meta.FindStatusCondition(conditions, v1alpha1.ConditionGatesPassed)
	switch {
	case c == nil || c.Status != metav1.ConditionFalse:
	case c.Reason == v1alpha1.ReasonGateUndecided:
		o.FailedChecks = append(o.FailedChecks, fmt.Sprintf("%s: a gate is %s", name, c.Message))
	default:
		o.FailedChecks = append(o.FailedChecks, fmt.Sprintf("%s: a gate failed: %s", name, c.Message))
	}
}

// judgeNetwork returns the outcome of a network. It has ended when its status is current, every workload has a
// run, all its runs have ended, and it is ready or has runs; a stalled network has ended too.
func judgeNetwork(s *State) Outcome {
	n := &s.Networks[0]
	if c := stalledCondition(n.Status.Conditions); c != nil {
		return Outcome{Ended: true, Failures: []string{fmt.Sprintf("network %s: %s: %s", n.Name, c.Reason, c.Message)}}
	}
	o := Outcome{Ended: true}
	own := map[string]bool{}
	for i := range s.Runs {
		judged := judgeRun(&s.Runs[i])
		own[s.Runs[i].Name] = true
		o.Ended = o.Ended && judged.Ended
		o.Failures = append(o.Failures, judged.Failures...)
		o.FailedChecks = append(o.FailedChecks, judged.FailedChecks...)
	}
	for _, w := range n.Spec.Workloads {
		o.Ended = o.Ended && own[naming.WorkloadRun(n.Name, w.Name)]
	}
	current := n.Status.ObservedGeneration == n.Generation
	ready := meta.IsStatusConditionTrue(n.Status.Conditions, v1alpha1.ConditionReady)
	o.Ended = o.Ended && current && (ready || len(s.Runs) > 0)
	return o
}

func judgeRun(r *v1alpha1.BenchmarkRun) Outcome {
	if !r.IsComplete() {
		return Outcome{}
	}
	o := Outcome{Ended: true}
	switch {
	case isCancelled(r):
		o.Failures = append(o.Failures, fmt.Sprintf("run %s was cancelled", r.Name))
	case r.Status.Verdict == "":
		o.Failures = append(o.Failures, fmt.Sprintf("run %s failed: %s", r.Name, blockingMessage(r.Status.Conditions)))
	}
	if r.Status.Verdict == v1alpha1.VerdictInvalid {
		for _, reason := range r.Status.Reasons {
			if reason.Severity == v1alpha1.SeverityInvalid {
				o.FailedChecks = append(o.FailedChecks, fmt.Sprintf("run %s is invalid, %s: %s", r.Name, reason.Reason, reason.Message))
			}
		}
	}
	o.addGates("run "+r.Name, r.Status.Conditions)
	return o
}

func isCancelled(r *v1alpha1.BenchmarkRun) bool {
	c := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionComplete)
	return c != nil && c.Status == metav1.ConditionTrue && c.Reason == v1alpha1.ReasonCancelled
}

func stalledCondition(conditions []metav1.Condition) *metav1.Condition {
	if meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionStalled) {
		return meta.FindStatusCondition(conditions, v1alpha1.ConditionStalled)
	}
	return nil
}

// blockingMessage returns the message of the Stalled condition, or else of a Ready condition that is not true.
func blockingMessage(conditions []metav1.Condition) string {
	for _, kind := range []string{v1alpha1.ConditionStalled, v1alpha1.ConditionReady} {
		if c := meta.FindStatusCondition(conditions, kind); c != nil && (kind == v1alpha1.ConditionStalled) == (c.Status == metav1.ConditionTrue) {
			return c.Message
		}
	}
	return ""
}

// WaitReason returns the reason and the message of what a target waits for. Both are empty if the target is ready, has
// ended or is stalled.
func WaitReason(s *State) (reason, message string) {
	conditions := s.targetConditions()
	ready := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady)
	switch {
	case ready == nil:
		return "NotReconciled", "the operator has not reconciled it yet"
	case ready.Status == metav1.ConditionTrue, v1alpha1.IsComplete(conditions), stalledCondition(conditions) != nil:
		return "", ""
	}
	return ready.Reason, ready.Message
}

func (s *State) targetConditions() []metav1.Condition {
	switch s.Target.Kind {
	case cluster.Experiment:
		return s.Experiment.Status.Conditions
	case cluster.Network:
		return s.Networks[0].Status.Conditions
	default:
		return s.Runs[0].Status.Conditions
	}
}
