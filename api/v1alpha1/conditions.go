package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Condition types. Ready, Reconciling and Stalled follow kstatus; docs/conditions.md lists every reason.
const (
	ConditionReady       = "Ready"
	ConditionReconciling = "Reconciling"
	ConditionStalled     = "Stalled"
	// ConditionAccepted tells whether the spec can be carried out; False names the field.
	ConditionAccepted = "Accepted"
	// ConditionAdmitted reports whether a network may be created: it is within the operator's limits, or Kueue admitted it.
	ConditionAdmitted = "Admitted"
	// ConditionLatencyEmulated tells whether the members are at the distances that spec.latency asks for, and by what.
	ConditionLatencyEmulated = "LatencyEmulated"
	// ConditionMeasured tells whether a run has its numbers.
	ConditionMeasured = "Measured"
	// ConditionFits tells whether the cluster can hold what an experiment needs at one time.
	ConditionFits = "Fits"
	// ConditionGatesPassed tells whether the gates of a comparison passed; Unknown until all is measured.
	ConditionGatesPassed = "GatesPassed"
	// ConditionComplete tells whether a run or an experiment has ended, well or not.
	ConditionComplete = "Complete"
)

// Condition reasons.
const (
	ReasonAccepted          = "Accepted"
	ReasonInvalidSpec       = "InvalidSpec"
	ReasonStorageBelowPlan  = "StorageBelowPlan"
	ReasonStageNotReady     = "StageNotReady"
	ReasonStageFailed       = "StageFailed"
	ReasonQuotaExceeded     = "QuotaExceeded"
	ReasonAllStagesReady    = "AllStagesReady"
	ReasonTearingDown       = "TearingDown"
	ReasonTeardownFailed    = "TeardownFailed"
	ReasonSuspended         = "Suspended"
	ReasonWaitingForNetwork = "WaitingForNetwork"
	ReasonWaitingForTurn    = "WaitingForTurn"
	ReasonWaitingForWorkers = "WaitingForWorkers"
	ReasonMeasuring         = "Measuring"
	ReasonResultWritten     = "ResultWritten"
	ReasonRunFailed         = "RunFailed"
	ReasonResultTooLarge    = "ResultTooLarge"
	ReasonCancelled         = "Cancelled"
	ReasonProblem           = "Problem"
	// ReasonResetting is of a network that goes back to its freshly made state, ReasonWaitingForReset of a run meanwhile.
	ReasonResetting       = "Resetting"
	ReasonWaitingForReset = "WaitingForReset"

	// Reasons of Admitted. ReasonNotLimited is of an operator without a limit; ReasonQueued and ReasonEvicted are Kueue's decisions.
	ReasonNotLimited   = "NotLimited"
	ReasonAdmitted     = "Admitted"
	ReasonLimitReached = "LimitReached"
	ReasonLimitTooLow  = "LimitTooLow"
	ReasonQueued       = "Queued"
	ReasonEvicted      = "Evicted"

	// Reasons of experiments.
	ReasonFits               = "Fits"
	ReasonWaitingForCapacity = "WaitingForCapacity"
	ReasonClusterTooSmall    = "ClusterTooSmall"
	ReasonNotChecked         = "NotChecked"
	ReasonWaitingForRemoval  = "WaitingForRemoval"
	ReasonNoGates            = "NoGates"
	ReasonGatesPassed        = "GatesPassed"
	ReasonGateFailed         = "GateFailed"

	// Reasons of LatencyEmulated, besides the mechanisms Netem and UserSpace.
	ReasonNotRequested       = "NotRequested"
	ReasonWaitingForMembers  = "WaitingForMembers"
	ReasonCapabilityMissing  = "CapabilityMissing"
	ReasonKernelLacksSupport = "KernelLacksSupport"
	ReasonEmulationFailed    = "EmulationFailed"
)

// IsComplete reports whether the conditions are those of a run or an experiment that has ended, successfully or
// not.
func IsComplete(conditions []metav1.Condition) bool {
	return meta.IsStatusConditionTrue(conditions, ConditionComplete)
}

// IsComplete reports whether the run has ended, successfully or not. A nil run has not.
func (r *BenchmarkRun) IsComplete() bool { return r != nil && IsComplete(r.Status.Conditions) }

// IsComplete reports whether the experiment has ended, successfully or not.
func (e *BenchmarkExperiment) IsComplete() bool { return IsComplete(e.Status.Conditions) }
