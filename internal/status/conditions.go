package status

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/network/plan"
)

// conditionList collects the conditions of one generation.
type conditionList struct {
	generation int64
	conditions []metav1.Condition
}

func (l *conditionList) addBool(kind string, ok bool, reason, message string) {
	state := metav1.ConditionFalse
	if ok {
		state = metav1.ConditionTrue
	}
	l.appendCondition(kind, state, reason, message)
}

func (l *conditionList) addUnknown(kind, reason, message string) {
	l.appendCondition(kind, metav1.ConditionUnknown, reason, message)
}

// appendCondition appends a condition. It is the only place that shortens messages to the length that the API
// server accepts.
func (l *conditionList) appendCondition(kind string, state metav1.ConditionStatus, reason, text string) {
	l.conditions = append(l.conditions, metav1.Condition{Type: kind, Status: state, Reason: reason,
		Message: limits.Truncate(text, limits.MaxCondition), ObservedGeneration: l.generation})
}

// addNotReady adds Ready=False with the reason, and Stalled or Reconciling, which kstatus reads.
func (l *conditionList) addNotReady(stalled bool, reason, message string) {
	l.addBool(v1alpha1.ConditionReady, false, reason, message)
	if stalled {
		l.addBool(v1alpha1.ConditionStalled, true, reason, message)
	} else {
		l.addBool(v1alpha1.ConditionReconciling, true, reason, message)
	}
}

// invalidSpecConditions returns the conditions of a network with an invalid spec. An admitted network keeps its
// admission unless it is evicted, since its pods may be running.
func invalidSpecConditions(in NetworkInput) []metav1.Condition {
	l := conditionList{generation: in.Network.Generation}
	refusal := limits.FromError(in.SpecError)
	l.addBool(v1alpha1.ConditionAccepted, false, v1alpha1.ReasonInvalidSpec, refusal)
	if IsAdmitted(in.Network) || in.Admission.Evicted {
		addAdmittedCondition(&l, in.Network, in.Admission)
	}
	l.addNotReady(true, v1alpha1.ReasonInvalidSpec, refusal)
	return l.conditions
}

// queuedConditions returns the conditions of a network that waits for its admission.
func queuedConditions(in NetworkInput) []metav1.Condition {
	l := conditionList{generation: in.Network.Generation}
	l.addBool(v1alpha1.ConditionAccepted, true, v1alpha1.ReasonAccepted, "the spec is valid")
	addAdmittedCondition(&l, in.Network, in.Admission)
	l.addNotReady(in.Admission.Unsatisfiable, in.Admission.Reason, in.Admission.Message)
	return l.conditions
}

func networkConditions(in NetworkInput) []metav1.Condition {
	l := conditionList{generation: in.Network.Generation}
	addAcceptedCondition(&l, in.Plan.Shortfalls)
	addAdmittedCondition(&l, in.Network, in.Admission)
	distance := latencyEmulatedState(in)
	l.addBool(v1alpha1.ConditionLatencyEmulated, distance.OK, distance.Reason, distance.Message)
	first := firstUnready(in.Stages)
	switch {
	case len(in.Plan.LostSecrets) > 0:
		l.addNotReady(true, v1alpha1.ReasonSecretLost, in.Plan.LostSecretsMessage(in.Network.Name, in.Plan.Resettable))
	case isPaused(in):
		addPausedConditions(&l, in.Network.Spec.Pause, first)
	case first == nil:
		l.addBool(v1alpha1.ConditionReady, true, v1alpha1.ReasonAllStagesReady, readyMessage(in))
	default:
		failed := first.State == snapshot.StateFailed
		reason := v1alpha1.ReasonStageNotReady
		switch {
		case failed:
			reason = v1alpha1.ReasonStageFailed
		case snapshot.IsQuotaMessage(first.Message):
			reason = v1alpha1.ReasonQuotaExceeded
		case isResetting(in):
			reason = v1alpha1.ReasonResetting
		}
		l.addNotReady(failed, reason, fmt.Sprintf("stage %s: %s", first.Name, first.Message))
	}
	return l.conditions
}

// isPaused reports whether the members are stopped or stop, and no stage has failed.
func isPaused(in NetworkInput) bool {
	first := firstUnready(in.Stages)
	return in.Plan.Epoch.IsPaused() && (first == nil || first.State != snapshot.StateFailed)
}

// addPausedConditions adds Ready=False of a paused network, and Reconciling while a stage is unready, such as that of members
// that have not stopped yet.
func addPausedConditions(l *conditionList, pause v1alpha1.Pause, unready *ObservedStage) {
	message := "the members are paused by spec.pause Now; set it to Never to resume them"
	if pause == v1alpha1.PauseWhenFinished {
		message = "the members are paused, since all runs have ended; another run or workload resumes them, or spec.pause Never"
	}
	if unready != nil {
		l.addNotReady(false, v1alpha1.ReasonPaused, fmt.Sprintf("%s; stage %s: %s", message, unready.Name, unready.Message))
		return
	}
	l.addBool(v1alpha1.ConditionReady, false, v1alpha1.ReasonPaused, message)
}

// addAcceptedCondition adds the condition Accepted of a network that exists. Appended workloads run even if
// they may need larger volumes.
func addAcceptedCondition(l *conditionList, shortfalls []plan.VolumeShortfall) {
	if len(shortfalls) == 0 {
		l.addBool(v1alpha1.ConditionAccepted, true, v1alpha1.ReasonAccepted, "the spec is valid")
		return
	}
	s := shortfalls[0]
	message := fmt.Sprintf("spec.workloads: the workloads may need %s on volume %s of StatefulSet %s, whose size remains %s",
		&s.Needed, s.Volume, s.StatefulSet, &s.Size)
	if more := len(shortfalls) - 1; more > 0 {
		message += fmt.Sprintf("; %d other volumes are also too small", more)
	}
	l.addBool(v1alpha1.ConditionAccepted, true, v1alpha1.ReasonStorageBelowPlan, message+
		"; the workloads run anyway: create another network if a volume fills up")
}

// firstUnready returns the first failed provisioning stage, otherwise the first that is not ready, or nil.
func firstUnready(stages []ObservedStage) *ObservedStage {
	var first *ObservedStage
	for i := range stages {
		s := &stages[i]
		if !s.Provisioning || s.State == snapshot.StateReady {
			continue
		}
		if s.State == snapshot.StateFailed {
			return s
		}
		if first == nil {
			first = s
		}
	}
	return first
}

func networkPhase(in NetworkInput, s v1alpha1.BenchmarkNetworkStatus) v1alpha1.Phase {
	unready := firstUnready(in.Stages)
	switch {
	case isPaused(in):
		return v1alpha1.PhasePaused
	case unready == nil:
		return readyPhase(in)
	case unready.State == snapshot.StateFailed:
		return v1alpha1.PhaseFailed
	case isResetting(in):
		return v1alpha1.PhaseResetting
	case wasReady(s.Stages):
		return v1alpha1.PhaseDegraded
	}
	return v1alpha1.PhaseProvisioning
}

// readyPhase returns the phase of a ready network, by its runs.
func readyPhase(in NetworkInput) v1alpha1.Phase {
	ended := 0
	for _, run := range in.Runs {
		if run.IsComplete() {
			ended++
		}
	}
	listed := len(in.Network.Spec.Workloads)
	switch {
	case ended < len(in.Runs), ended > 0 && ended < listed && !in.Network.Spec.PauseRuns:
		return v1alpha1.PhaseRunning
	case ended > 0 && ended >= listed:
		return v1alpha1.PhaseFinished
	default:
		return v1alpha1.PhaseReady
	}
}

func wasReady(stages []v1alpha1.StageStatus) bool {
	return slices.ContainsFunc(stages, func(s v1alpha1.StageStatus) bool { return s.Name == string(plan.StageMembers) && s.ReadyAt != nil })
}

// keepTransitionTimes keeps the transition times of conditions whose status did not change, and sets the others
// to now.
func keepTransitionTimes(old, current []metav1.Condition, now time.Time) []metav1.Condition {
	for i := range current {
		current[i].LastTransitionTime = metav1.NewTime(now)
		before := meta.FindStatusCondition(old, current[i].Type)
		if before != nil && before.Status == current[i].Status {
			current[i].LastTransitionTime = before.LastTransitionTime
		}
	}
	return current
}
