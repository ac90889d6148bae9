package progress

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
)

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
