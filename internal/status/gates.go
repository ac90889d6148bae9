package status

import (
	"fmt"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// gateCount collects the outcomes of gates and objectives.
type gateCount struct {
	total             int
	failed, undecided []string
}

// addOutcome counts an outcome. An empty one is that of no gate.
func (g *gateCount) addOutcome(outcome v1alpha1.GateOutcome, message string) {
	if outcome == "" {
		return
	}
	g.total++
	switch outcome {
	case v1alpha1.GatePassed:
	case v1alpha1.GateFailed:
		g.failed = append(g.failed, message)
	default:
		g.undecided = append(g.undecided, "undecided: "+message)
	}
}

func (g *gateCount) addObjectives(subject string, outcomes []verdict.ObjectiveOutcome) {
	for _, o := range outcomes {
		g.addOutcome(v1alpha1.GateOutcome(o.Outcome), subject+o.Message)
	}
}

// addCondition adds GatesPassed. An undecided gate does not pass.
func (g *gateCount) addCondition(l *conditionList) {
	problems := slices.Concat(g.failed, g.undecided)
	switch {
	case len(g.failed) > 0:
		l.addBool(v1alpha1.ConditionGatesPassed, false, v1alpha1.ReasonGateFailed, limits.JoinItems(problems, "; "))
	case len(g.undecided) > 0:
		l.addBool(v1alpha1.ConditionGatesPassed, false, v1alpha1.ReasonGateUndecided, limits.JoinItems(problems, "; "))
	default:
		l.addBool(v1alpha1.ConditionGatesPassed, true, v1alpha1.ReasonGatesPassed, fmt.Sprintf("all %d gates passed", g.total))
	}
}

// addGatesCondition adds GatesPassed to an experiment: the gates of its comparison and the objectives of each
// point.
func addGatesCondition(l *conditionList, in ExperimentInput) {
	spec := &in.Experiment.Spec
	var g gateCount
	if in.Result != nil {
		for _, c := range in.Result.Comparisons {
			g.addOutcome(c.Gate, c.Message)
		}
		for i := range in.Result.Points {
			g.addObjectives("point "+in.Result.Points[i].Name+": ", in.Result.Points[i].Objectives)
		}
	}
	switch {
	case g.total == 0 && len(spec.Template.Workload.Objectives) == 0 && (spec.Compare == nil || len(spec.Compare.Gates) == 0):
		l.addUnknown(v1alpha1.ConditionGatesPassed, v1alpha1.ReasonNoGates, "the experiment has no gates")
	case in.Step == nil || !in.Step.IsDone():
		l.addUnknown(v1alpha1.ConditionGatesPassed, v1alpha1.ReasonMeasuring, "gates are evaluated after all measurements")
	case g.total > 0:
		g.addCondition(l)
	case spec.Compare != nil && len(spec.Compare.Gates) > 0:
		l.addBool(v1alpha1.ConditionGatesPassed, false, v1alpha1.ReasonGateUndecided, "the result has no comparison that a gate could judge")
	default:
		l.addUnknown(v1alpha1.ConditionGatesPassed, v1alpha1.ReasonNoGates, "no point has objectives: its patches or searches remove those of the template")
	}
}

// addObjectivesCondition adds GatesPassed to a run with objectives.
func addObjectivesCondition(l *conditionList, in RunInput) {
	switch {
	case in.Result != nil && len(in.Result.Objectives) > 0 && in.ReconcileError == nil:
		var g gateCount
		g.addObjectives("", in.Result.Objectives)
		g.addCondition(l)
	case len(in.Run.Spec.Workload.Objectives) > 0:
		l.addUnknown(v1alpha1.ConditionGatesPassed, v1alpha1.ReasonMeasuring, "objectives are judged when the run has a result")
	}
}

// maxObjectives is the number of objectives that the status holds.
const maxObjectives = 8

func objectiveStatuses(outcomes []verdict.ObjectiveOutcome) []v1alpha1.ObjectiveStatus {
	var all []v1alpha1.ObjectiveStatus
	for _, o := range firstItems(maxObjectives, outcomes) {
		all = append(all, v1alpha1.ObjectiveStatus{Metric: limits.Truncate(o.Metric, limits.MaxItem),
			Outcome: limits.Truncate(o.Outcome, limits.MaxItem), Message: limits.Truncate(o.Message, limits.MaxItem)})
	}
	return all
}
