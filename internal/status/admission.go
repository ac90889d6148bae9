package status

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// AdmissionDecision says whether a network may begin. The zero value is the decision of an operator without a limit.
type AdmissionDecision struct {
	// IsAdmitted reports that the network may begin.
	Admitted bool
	// Evicted reports that Kueue evicted a network that it had admitted.
	Evicted bool
	// Unsatisfiable reports that waiting does not help.
	Unsatisfiable bool
	// Reason and Message of the condition Admitted.
	Reason, Message string
}

// IsAdmitted reports whether a network was admitted, or begun when there was no limit. Only Kueue takes an admission back.
func IsAdmitted(network *v1alpha1.BenchmarkNetwork) bool {
	if meta.IsStatusConditionTrue(network.Status.Conditions, v1alpha1.ConditionAdmitted) {
		return true
	}
	for _, stage := range network.Status.Stages {
		if stage.StartedAt != nil {
			return true
		}
	}
	return false
}

// HasInvalidSpec tells whether a network's spec was found to be impossible as it is.
func HasInvalidSpec(network *v1alpha1.BenchmarkNetwork) bool {
	return network.Status.ObservedGeneration == network.Generation &&
		meta.IsStatusConditionFalse(network.Status.Conditions, v1alpha1.ConditionAccepted)
}

// addAdmittedCondition keeps what was said of an admitted network, and tells the decision about any other.
func addAdmittedCondition(l *conditionList, network *v1alpha1.BenchmarkNetwork, d AdmissionDecision) {
	before := meta.FindStatusCondition(network.Status.Conditions, v1alpha1.ConditionAdmitted)
	switch {
	case d.Evicted:
		l.addBool(v1alpha1.ConditionAdmitted, false, d.Reason, d.Message)
	case before != nil && IsAdmitted(network):
		l.addBool(v1alpha1.ConditionAdmitted, true, before.Reason, before.Message)
	case IsAdmitted(network):
		l.addBool(v1alpha1.ConditionAdmitted, true, v1alpha1.ReasonAdmitted, "it had begun already")
	case d == (AdmissionDecision{}):
		l.addBool(v1alpha1.ConditionAdmitted, true, v1alpha1.ReasonNotLimited, "the operator has no limit")
	default:
		l.addBool(v1alpha1.ConditionAdmitted, d.Admitted, d.Reason, d.Message)
	}
}

// isQueued tells whether a network has to wait before anything of it is made.
func isQueued(in NetworkInput) bool {
	return in.Admission.Evicted || in.Admission != (AdmissionDecision{}) && !in.Admission.Admitted && !IsAdmitted(in.Network)
}
