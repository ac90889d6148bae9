package status

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// AdmissionDecision is the decision whether a network or experiment may begin. The zero value means that nothing
// limits it.
type AdmissionDecision struct {
	// Admitted reports that the network may begin.
	Admitted bool
	// Evicted reports that Kueue evicted what it had admitted.
	Evicted bool
	// Unsatisfiable reports that a limit is too low for the network to ever begin, so that waiting does not
	// help.
	Unsatisfiable bool
	// Reason and Message are those of the condition Admitted.
	Reason, Message string
}

// mustWait reports whether a network or experiment has to wait for its admission.
func (d AdmissionDecision) mustWait() bool { return d != (AdmissionDecision{}) && !d.Admitted }

// IsAdmitted reports whether a network was admitted, or began when there was no limit. Only Kueue revokes an
// admission.
func IsAdmitted(network *v1alpha1.BenchmarkNetwork) bool {
	return meta.IsStatusConditionTrue(network.Status.Conditions, v1alpha1.ConditionAdmitted) ||
		slices.ContainsFunc(network.Status.Stages, func(s v1alpha1.StageStatus) bool { return s.StartedAt != nil })
}

// IsExperimentAdmitted reports whether Kueue has admitted an experiment.
func IsExperimentAdmitted(e *v1alpha1.BenchmarkExperiment) bool {
	return meta.IsStatusConditionTrue(e.Status.Conditions, v1alpha1.ConditionAdmitted)
}

// IsExperimentQueued reports whether an experiment waits for Kueue, for the first time or after an eviction.
func IsExperimentQueued(e *v1alpha1.BenchmarkExperiment) bool {
	return meta.IsStatusConditionFalse(e.Status.Conditions, v1alpha1.ConditionAdmitted)
}

// HasInvalidSpec reports whether the spec of the network's current generation was found to be invalid.
func HasInvalidSpec(network *v1alpha1.BenchmarkNetwork) bool {
	return network.Status.ObservedGeneration == network.Generation &&
		meta.IsStatusConditionFalse(network.Status.Conditions, v1alpha1.ConditionAccepted)
}

// addAdmittedCondition adds the condition Admitted. An admitted network keeps its condition unless it is
// evicted; any other network gets the decision.
func addAdmittedCondition(l *conditionList, network *v1alpha1.BenchmarkNetwork, d AdmissionDecision) {
	before := meta.FindStatusCondition(network.Status.Conditions, v1alpha1.ConditionAdmitted)
	switch {
	case d.Evicted:
		l.addBool(v1alpha1.ConditionAdmitted, false, d.Reason, d.Message)
	case before != nil && IsAdmitted(network):
		l.addBool(v1alpha1.ConditionAdmitted, true, before.Reason, before.Message)
	case IsAdmitted(network):
		l.addBool(v1alpha1.ConditionAdmitted, true, v1alpha1.ReasonAdmitted, "it had already started")
	case d == (AdmissionDecision{}):
		l.addBool(v1alpha1.ConditionAdmitted, true, v1alpha1.ReasonNotLimited, "the operator has no limit")
	default:
		l.addBool(v1alpha1.ConditionAdmitted, d.Admitted, d.Reason, d.Message)
	}
}

// isQueued reports whether a network has to wait before its objects are created, or was evicted.
func isQueued(in NetworkInput) bool {
	return in.Admission.Evicted || in.Admission.mustWait() && !IsAdmitted(in.Network)
}
