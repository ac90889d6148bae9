package status

import (
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
)

// ComputeTeardown returns the status of a network that is being deleted while it still has schemas on a user's
// database server. The finalizer is the one that blocks the deletion until the schemas are dropped.
func ComputeTeardown(network *v1alpha1.BenchmarkNetwork, servers snapshot.Readiness, finalizer string, now time.Time) v1alpha1.BenchmarkNetworkStatus {
	s := *network.Status.DeepCopy()
	s.Phase = v1alpha1.PhaseDeleting // The observed generation stays that of the plan: see HasPlan.
	l := conditionList{generation: network.Generation}
	for _, c := range s.Conditions {
		switch c.Type {
		case v1alpha1.ConditionReady, v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled:
		default:
			l.conditions = append(l.conditions, c)
		}
	}
	if servers.State == snapshot.StateFailed {
		l.addNotReady(true, v1alpha1.ReasonTeardownFailed, servers.Message+
			"; fix the cause and delete the Job so that it is recreated, or remove the finalizer "+finalizer+
			" from the network to leave schemas and roles on the server")
	} else {
		l.addNotReady(false, v1alpha1.ReasonTearingDown, servers.Message)
	}
	s.Conditions = keepTransitionTimes(network.Status.Conditions, l.conditions, now)
	return s
}
