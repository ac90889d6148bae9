package status

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// AdmissionDecision says whether a network may begin. The zero value is the decision of an operator without a limit.
type AdmissionDecision struct {
	// Admitted reports that the network may begin.
	Admitted bool
	// Withdrawn reports that Kueue evicted a network that it had admitted.
	Withdrawn bool
	// Never reports that waiting does not help.
	Never bool
	// Reason and Message of the condition Admitted.
	Reason, Message string
}

// Admitted reports whether a network was admitted, or begun when there was no limit. Only Kueue takes an admission back.
func Admitted(network *v1alpha1.BenchmarkNetwork) bool {
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

// Refused tells whether a network's spec was found to be impossible as it is.
func Refused(network *v1alpha1.BenchmarkNetwork) bool {
	return network.Status.ObservedGeneration == network.Generation &&
		meta.IsStatusConditionFalse(network.Status.Conditions, v1alpha1.ConditionAccepted)
}

// admission keeps what was said of an admitted network, and tells the decision about any other.
func admission(l *conditionList, network *v1alpha1.BenchmarkNetwork, d AdmissionDecision) {
	before := meta.FindStatusCondition(network.Status.Conditions, v1alpha1.ConditionAdmitted)
	switch {
	case d.Withdrawn:
		l.set(v1alpha1.ConditionAdmitted, false, d.Reason, d.Message)
	case before != nil && Admitted(network):
		l.set(v1alpha1.ConditionAdmitted, true, before.Reason, before.Message)
	case Admitted(network):
		l.set(v1alpha1.ConditionAdmitted, true, v1alpha1.ReasonAdmitted, "it had begun already")
	case d == (AdmissionDecision{}):
		l.set(v1alpha1.ConditionAdmitted, true, v1alpha1.ReasonNotLimited, "the operator has no limit")
	default:
		l.set(v1alpha1.ConditionAdmitted, d.Admitted, d.Reason, d.Message)
	}
}

// queued tells whether a network has to wait before anything of it is made.
func queued(in NetworkInput) bool {
	return in.Admission.Withdrawn || in.Admission != (AdmissionDecision{}) && !in.Admission.Admitted && !Admitted(in.Network)
}
