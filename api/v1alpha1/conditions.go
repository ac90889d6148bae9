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
	// ConditionAccepted reports whether the spec is valid. If it is False, the message names the field.
	ConditionAccepted = "Accepted"
	// ConditionAdmitted reports whether a network may be created, by the operator's limits or by Kueue.
	ConditionAdmitted = "Admitted"
	// ConditionLatencyEmulated reports whether the latency of spec.regions is emulated, and by which mechanism.
	ConditionLatencyEmulated = "LatencyEmulated"
	// ConditionMeasured reports whether a run has a result.
	ConditionMeasured = "Measured"
	// ConditionFits is a forecast: whether the nodes that existed when an experiment began have the capacity that it needs at its
	// peak. It stops nothing.
	ConditionFits = "Fits"
	// ConditionGatesPassed reports whether the objectives of a run or an experiment, and the gates of a comparison, passed. It is
	// Unknown until all runs have ended. A run without objectives does not have it.
	ConditionGatesPassed = "GatesPassed"
	// ConditionComplete reports whether a run or an experiment has ended, successfully or not.
	ConditionComplete = "Complete"
	// ConditionUploaded reports whether the result of a run was copied to the place of delivery.upload. A run without that field does
	// not have it.
	ConditionUploaded = "Uploaded"
	// ConditionNotified reports whether the webhook of a run or an experiment was notified of its end. One without a webhook does not
	// have it.
	ConditionNotified = "Notified"
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
	ReasonSecretLost        = "SecretLost"
	ReasonTearingDown       = "TearingDown"
	ReasonTeardownFailed    = "TeardownFailed"
	ReasonPaused            = "Paused"
	ReasonWaitingForNetwork = "WaitingForNetwork"
	ReasonWaitingForTurn    = "WaitingForTurn"
	ReasonWaitingForWorkers = "WaitingForWorkers"
	ReasonMeasuring         = "Measuring"
	ReasonResultWritten     = "ResultWritten"
	ReasonRunFailed         = "RunFailed"
	ReasonResultTooLarge    = "ResultTooLarge"
	ReasonResultLost        = "ResultLost"
	ReasonCancelled         = "Cancelled"
	ReasonProblem           = "Problem"
	// ReasonResetting is the reason of a network during a reset. ReasonWaitingForReset is the reason of a run that waits for it.
	ReasonResetting       = "Resetting"
	ReasonWaitingForReset = "WaitingForReset"

	// Reasons of Admitted. ReasonNotLimited means that the operator has no limit. ReasonAdmittedByKueue, ReasonQueued and
	// ReasonEvicted are decisions of Kueue.
	ReasonNotLimited      = "NotLimited"
	ReasonAdmitted        = "Admitted"
	ReasonAdmittedByKueue = "AdmittedByKueue"
	ReasonLimitReached    = "LimitReached"
	ReasonLimitTooLow     = "LimitTooLow"
	ReasonQueued          = "Queued"
	ReasonEvicted         = "Evicted"

	// Reasons of experiments.
	ReasonFits              = "Fits"
	ReasonClusterTooSmall   = "ClusterTooSmall"
	ReasonNotChecked        = "NotChecked"
	ReasonWaitingForRemoval = "WaitingForRemoval"
	ReasonNoGates           = "NoGates"
	ReasonGatesPassed       = "GatesPassed"
	ReasonGateFailed        = "GateFailed"
	ReasonGateUndecided     = "GateUndecided"

	// Reasons of Uploaded.
	ReasonUploading    = "Uploading"
	ReasonUploaded     = "Uploaded"
	ReasonUploadFailed = "UploadFailed"

	// Reasons of Notified. ReasonNotificationNotDue means that the gates passed and the webhook receives other outcomes only.
	ReasonNotifying          = "Notifying"
	ReasonNotified           = "Notified"
	ReasonNotificationFailed = "NotificationFailed"
	ReasonNotificationNotDue = "NotificationNotDue"

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

// IsUploading reports whether the run has a result whose upload has not ended. A run without an upload has none.
func (r *BenchmarkRun) IsUploading() bool {
	return r.Spec.Delivery.Upload != nil && r.Status.Result != nil && isPending(r.Status.Conditions, ConditionUploaded, r.Generation)
}

// IsNotifying reports whether the run has ended and its webhook is yet to be notified.
func (r *BenchmarkRun) IsNotifying() bool {
	return r.Spec.Delivery.Webhook != nil && r.IsComplete() && isPending(r.Status.Conditions, ConditionNotified, r.Generation)
}

// IsDelivering reports whether the run has ended and is needed until its upload and its webhook have ended.
func (r *BenchmarkRun) IsDelivering() bool { return r.IsUploading() || r.IsNotifying() }

// isPending reports whether a delivery has not ended: its condition is absent or Unknown, or False for an earlier spec.
func isPending(conditions []metav1.Condition, conditionType string, generation int64) bool {
	c := meta.FindStatusCondition(conditions, conditionType)
	return c == nil || c.Status == metav1.ConditionUnknown || c.Status == metav1.ConditionFalse && c.ObservedGeneration < generation
}

// IsComplete reports whether the experiment has ended, successfully or not.
func (e *BenchmarkExperiment) IsComplete() bool { return IsComplete(e.Status.Conditions) }

// IsNotifying reports whether the experiment has ended and its webhook is yet to be notified.
func (e *BenchmarkExperiment) IsNotifying() bool {
	return e.Spec.Delivery.Webhook != nil && e.IsComplete() && isPending(e.Status.Conditions, ConditionNotified, e.Generation)
}
