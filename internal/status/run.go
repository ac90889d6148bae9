package status

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// WaitReason is the condition reason and the message of what a run waits for before it begins. It is empty if
// the run need not wait.
type WaitReason struct {
	Reason, Message string
}

// RunInput is the input of ComputeRun.
type RunInput struct {
	Run *v1alpha1.BenchmarkRun
	// SpecError is why the run cannot be carried out, or nil.
	SpecError  error
	WaitReason WaitReason
	// Start is when the released workers start the load; nil before the release.
	Start *time.Time
	// Unit is the unit of the driver's operations; empty if the driver is unknown.
	Unit string
	// Workers are the workers' pods.
	Workers      []corev1.Pod
	WorkersReady int32
	// WorkersProblem is the best known cause that keeps workers from being ready, or empty.
	WorkersProblem string
	// Progress is the JSON progress of each worker, or empty if it has reported none.
	Progress []string
	// ReconcileError is the error that ended the pass early, or nil. The operator retries. A run with a result is
	// complete only without an error: a complete run is not reconciled again, so it would keep its owner
	// references and be deleted with its network.
	ReconcileError error
	// Failure is why the run ended without a result, or empty. FailureReason is RunFailed by default.
	Failure, FailureReason string
	// Result is the result of the run, or nil. ResultDigest is the digest of its document.
	Result       *document.RunResult
	ResultDigest string
	Now          time.Time
}

// ComputeRun returns the status of a run.
func ComputeRun(in RunInput) v1alpha1.BenchmarkRunStatus {
	old, workers := in.Run.Status, in.Run.Spec.Workload.Workers.Count
	s := v1alpha1.BenchmarkRunStatus{ObservedGeneration: in.Run.Generation,
		WorkersReady: in.WorkersReady, StartTime: old.StartTime, Release: old.Release, Unit: cmp.Or(in.Unit, old.Unit),
		Display: v1alpha1.RunDisplay{Workers: fmt.Sprintf("%d/%d", in.WorkersReady, workers)}}
	if in.Start != nil {
		s.StartTime = new(metav1.NewMicroTime(*in.Start))
	}
	l := conditionList{generation: in.Run.Generation}
	switch {
	case in.Result != nil && in.ReconcileError == nil:
		setComplete(&s, &l, in)
	case in.SpecError != nil:
		setFailed(&s, &l, in.Now, v1alpha1.ReasonInvalidSpec, limits.FromError(in.SpecError))
	case in.Failure != "":
		setFailed(&s, &l, in.Now, cmp.Or(in.FailureReason, v1alpha1.ReasonRunFailed), in.Failure)
	case in.ReconcileError != nil:
		s.Phase, s.Display.Progress = v1alpha1.PhasePreparing, "Preparing"
		if in.Result != nil {
			s.Phase, s.Display.Progress = v1alpha1.PhaseDraining, "Cleaning up"
		}
		addRunInProgress(&l, quotaReasonOr(v1alpha1.ReasonProblem, in.ReconcileError.Error()), in.ReconcileError.Error())
	case in.Run.Spec.Cancelled:
		setCancelled(&s, &l, in)
	case in.WaitReason.Reason != "":
		s.Phase, s.Display.Progress = v1alpha1.PhasePending, "Waiting"
		addRunInProgress(&l, in.WaitReason.Reason, in.WaitReason.Message)
	case in.Start == nil:
		s.Phase, s.Display.Progress = v1alpha1.PhasePreparing, "Preparing "+s.Display.Workers
		addRunInProgress(&l, quotaReasonOr(v1alpha1.ReasonWaitingForWorkers, in.WorkersProblem), workersMessage(in))
	default:
		setLiveProgress(&s, in)
		addRunInProgress(&l, v1alpha1.ReasonMeasuring, "the workers are applying the load: "+s.Display.Progress)
	}
	addObjectivesCondition(&l, in)
	s.Conditions = keepTransitionTimes(old.Conditions, l.conditions, in.Now)
	keepRecentUnlessChanged(&s, &old)
	return s
}

// quotaReasonOr returns ReasonQuotaExceeded if the message is about a quota, otherwise the given reason.
func quotaReasonOr(reason, message string) string {
	if snapshot.IsQuotaMessage(message) {
		return v1alpha1.ReasonQuotaExceeded
	}
	return reason
}

func addRunInProgress(l *conditionList, reason, message string) {
	l.addBool(v1alpha1.ConditionAccepted, true, v1alpha1.ReasonAccepted, "the spec is valid")
	l.addBool(v1alpha1.ConditionMeasured, false, reason, message)
	l.addBool(v1alpha1.ConditionComplete, false, reason, message)
	l.addNotReady(false, reason, message)
}

// workersMessage returns how many workers are ready and what prevents the others.
func workersMessage(in RunInput) string {
	message := fmt.Sprintf("%d of %d workers are ready", in.WorkersReady, in.Run.Spec.Workload.Workers.Count)
	if in.WorkersProblem != "" {
		message += "; " + in.WorkersProblem
	}
	return message
}

// runPhases maps the drivers' phases to those of the status.
var runPhases = map[protocol.Phase]v1alpha1.Phase{protocol.PhaseWarmUp: v1alpha1.PhaseWarmUp,
	protocol.PhaseWindow: v1alpha1.PhaseMeasuring, protocol.PhaseDrain: v1alpha1.PhaseDraining}

// setLiveProgress sets the phase, the planned window and the throughput so far of a released run.
func setLiveProgress(s *v1alpha1.BenchmarkRunStatus, in RunInput) {
	s.Phase, s.Display.Progress = v1alpha1.PhaseWarmUp, "Starting"
	var throughput, elapsed float64
	var recent [][]protocol.RecentLoad
	for _, text := range in.Progress {
		var p protocol.Progress
		if text == "" || json.Unmarshal([]byte(text), &p) != nil || runPhases[p.Phase] == "" {
			continue // Invalid progress counts as none.
		}
		throughput += p.Throughput
		recent = append(recent, p.Recent)
		if p.ElapsedSeconds >= elapsed {
			elapsed = p.ElapsedSeconds
			s.Phase = runPhases[p.Phase]
		}
	}
	s.Recent = mergeRecent(recent)
	m := in.Run.Spec.Workload.Measure
	s.Window = plannedWindow(m, *in.Start)
	switch s.Phase {
	case v1alpha1.PhaseWarmUp:
		if elapsed > 0 {
			s.Display.Progress = "WarmUp " + formatProgress(elapsed, m.WarmUp.Seconds())
		}
	case v1alpha1.PhaseMeasuring:
		s.Display.Progress = "Window " + formatProgress(elapsed, m.RecordedDuration().Seconds())
	case v1alpha1.PhaseDraining:
		s.Display.Progress = "Drain"
	}
	if throughput > 0 && !math.IsInf(throughput, 0) {
		s.ThroughputMilliPerSecond = roundToMilli(throughput)
		s.Display.Throughput = formatThroughput(throughput, s.Unit)
	}
}

// plannedWindow returns the window of a load that began at start. With a steady-state policy it includes the
// warm-up.
func plannedWindow(m v1alpha1.Measure, start time.Time) *v1alpha1.MeasuredWindow {
	if m.SteadyState == nil {
		start = start.Add(m.WarmUp.Duration)
	}
	return &v1alpha1.MeasuredWindow{Start: metav1.NewMicroTime(start), End: metav1.NewMicroTime(start.Add(m.RecordedDuration()))}
}

func setFailed(s *v1alpha1.BenchmarkRunStatus, l *conditionList, now time.Time, reason, message string) {
	s.Phase, s.Display.Progress, s.CompletionTime = v1alpha1.PhaseFailed, "Failed", new(metav1.NewTime(now))
	l.addBool(v1alpha1.ConditionAccepted, reason != v1alpha1.ReasonInvalidSpec, reason, message)
	l.addBool(v1alpha1.ConditionMeasured, false, reason, message)
	l.addBool(v1alpha1.ConditionComplete, true, reason, message)
	l.addNotReady(true, reason, message)
}

// setComplete takes all values from the result, so that status and result cannot differ.
func setComplete(s *v1alpha1.BenchmarkRunStatus, l *conditionList, in RunInput) {
	result := in.Result
	start, ended := metav1.NewMicroTime(result.Times.Start), metav1.NewTime(result.Times.End)
	s.Phase, s.Display.Progress, s.StartTime, s.CompletionTime = v1alpha1.PhaseComplete, "Complete", &start, &ended
	s.Window = &v1alpha1.MeasuredWindow{Start: metav1.NewMicroTime(result.Times.WindowStart), End: metav1.NewMicroTime(result.Times.WindowEnd)}
	s.ThroughputMilliPerSecond, s.Unit = roundToMilli(result.Summary.ThroughputPerSecond), result.Summary.Unit
	s.Display.Throughput = formatThroughput(result.Summary.ThroughputPerSecond, s.Unit)
	for _, m := range firstItems(maxMeasures, result.Summary.Measures) {
		s.Measures = append(s.Measures, v1alpha1.Measured{Name: m.Name, MilliValue: roundToInt64(1000 * m.Value), Unit: m.Unit})
	}
	s.LatencyMicroseconds = summarizeLatency(result.Summary.Latency)
	s.Display.LatencyKind = result.Summary.LatencyKind.Describe()
	if c := result.Summary.Corrected; c != nil {
		s.CorrectedLatencyMicroseconds = summarizeLatency(c.Latency)
	}
	if f := result.Summary.Finality; f != nil {
		s.FinalityMicroseconds = &v1alpha1.FinalitySummary{Of: string(f.Of), LatencySummary: *summarizeLatency(f.Latency)}
	}
	if p95 := result.Summary.Latency.P95; p95 != nil {
		s.Display.P95 = formatMilliseconds(*p95)
	}
	s.Operations = &v1alpha1.OperationCounts{Completed: result.Summary.Requests - result.Summary.Errors, Failed: result.Summary.Errors}
	if result.WindowSelection != nil {
		s.Display.SteadyState = limits.Truncate(result.WindowSelection.Describe(), limits.MaxItem)
	}
	s.Verdict = v1alpha1.Verdict(result.Verdict.Validity())
	if result.Bottleneck != nil {
		s.Display.Bottleneck = limits.Truncate(result.Bottleneck.Message, limits.MaxItem)
	}
	s.Reasons = verdictFindings(&result.Verdict)
	s.Objectives = objectiveStatuses(result.Objectives)
	s.Result = &v1alpha1.ResultReference{ConfigMapName: naming.ResultConfigMap(in.Run.Name), Key: protocol.ResultKey, Digest: in.ResultDigest}
	message := verdictMessage(&result.Verdict, fmt.Sprintf("%s over %d s, verdict %s", s.Display.Throughput, result.Times.WindowSeconds, s.Verdict))
	l.addBool(v1alpha1.ConditionAccepted, true, v1alpha1.ReasonAccepted, "the spec is valid")
	l.addBool(v1alpha1.ConditionMeasured, true, v1alpha1.ReasonResultWritten, message)
	l.addBool(v1alpha1.ConditionComplete, true, v1alpha1.ReasonResultWritten, message)
	l.addBool(v1alpha1.ConditionReady, true, v1alpha1.ReasonResultWritten, message)
}

// verdictMessage returns the message of a run with a result: the reasons that make it invalid, a shared host that was
// only recorded, then the numbers.
func verdictMessage(v *verdict.Verdict, numbers string) string {
	items := make([]string, 0, len(v.Reasons)+1)
	for _, r := range reasonsOfSeverity(v1alpha1.SeverityInvalid, v.Reasons) {
		items = append(items, r.Reason+": "+strings.TrimPrefix(r.Message, ": "))
	}
	for _, r := range v.RecordedOnlyNotes() {
		if r.Code == verdict.ReasonHostShared {
			items = append(items, fmt.Sprintf("%s: %s", r.Code, r.Message))
			break
		}
	}
	if len(items) == 0 {
		return numbers
	}
	return limits.JoinItems(items, "; ") + "; " + numbers
}

// maxReasons is how many reasons of each severity the status holds; the result has all of them.
const maxReasons = 16

// verdictFindings returns the findings of a verdict, the most severe first, with at most maxReasons of each
// severity.
func verdictFindings(v *verdict.Verdict) []v1alpha1.VerdictReason {
	notes := slices.DeleteFunc(slices.Clone(v.Notes), func(r verdict.Reason) bool { return r.RecordedOnly })
	return slices.Concat(reasonsOfSeverity(v1alpha1.SeverityInvalid, v.Reasons), reasonsOfSeverity(v1alpha1.SeverityRecorded, v.RecordedOnlyNotes()),
		reasonsOfSeverity(v1alpha1.SeverityNote, notes))
}

func reasonsOfSeverity(severity v1alpha1.FindingSeverity, found []verdict.Reason) []v1alpha1.VerdictReason {
	var all []v1alpha1.VerdictReason
	for _, r := range firstItems(maxReasons, found) {
		text := r.Message
		if !strings.Contains(text, r.Subject) {
			text = r.Subject + ": " + text
		}
		all = append(all, v1alpha1.VerdictReason{Reason: string(r.Code), Severity: severity, Message: limits.Truncate(text, limits.MaxItem)})
	}
	return all
}

// formatProgress formats the elapsed part of a phase for the display, from 0% to 100%.
func formatProgress(part, whole float64) string {
	if whole <= 0 {
		return "100%"
	}
	return fmt.Sprintf("%.0f%%", 100*min(1, max(0, part/whole)))
}

// SetResultExists sets the conditions of a run with a result to whether the result still exists. Otherwise the status would say
// for ever that it can be read.
func SetResultExists(run *v1alpha1.BenchmarkRun, exists bool, now time.Time) {
	complete := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionComplete)
	if run.Status.Result == nil || complete == nil {
		return
	}
	want := metav1.Condition{Status: metav1.ConditionTrue, Reason: complete.Reason, Message: complete.Message, ObservedGeneration: run.Generation,
		LastTransitionTime: metav1.NewTime(now)}
	if !exists {
		want.Status, want.Reason = metav1.ConditionFalse, v1alpha1.ReasonResultLost
		want.Message = fmt.Sprintf("ConfigMap %s with the result was deleted, and cannot be written again: restore it from a backup with its labels and owner, "+
			"or create another run", run.Status.Result.ConfigMapName)
	}
	for _, condition := range []string{v1alpha1.ConditionMeasured, v1alpha1.ConditionReady} {
		want.Type = condition
		meta.SetStatusCondition(&run.Status.Conditions, want)
	}
}

// setCancelled sets the status of a cancelled run. A released run is complete when no worker applies load any
// longer, so that the next run starts undisturbed; any other run is complete at once. The live numbers stay.
func setCancelled(s *v1alpha1.BenchmarkRunStatus, l *conditionList, in RunInput) {
	running := 0
	if in.Start != nil {
		setLiveProgress(s, in)
		s.Window = elapsedWindow(s.Window, in.Now)
		running = countRunningPods(in.Workers)
	}
	if running > 0 {
		s.Phase, s.Display.Progress = v1alpha1.PhaseCancelling, "Cancelling"
		addRunInProgress(l, v1alpha1.ReasonCancelled, fmt.Sprintf("spec.cancelled is true: %d workers are being stopped", running))
		return
	}
	setFailed(s, l, in.Now, v1alpha1.ReasonCancelled, "the run was cancelled by spec.cancelled and has no result")
	s.Phase, s.Display.Progress = v1alpha1.PhaseCancelled, "Cancelled"
}

// elapsedWindow returns the part of a window before now, or nil if the window has not begun.
func elapsedWindow(window *v1alpha1.MeasuredWindow, now time.Time) *v1alpha1.MeasuredWindow {
	switch {
	case !window.Start.Time.Before(now):
		return nil
	case window.End.After(now):
		return &v1alpha1.MeasuredWindow{Start: window.Start, End: metav1.NewMicroTime(now)}
	}
	return window
}

func countRunningPods(pods []corev1.Pod) int {
	running := 0
	for i := range pods {
		if !snapshot.HasPodEnded(&pods[i]) {
			running++
		}
	}
	return running
}
