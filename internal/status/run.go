package status

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/message"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/observe"
	"github.com/benchnet/benchnet/internal/plan"
	"github.com/benchnet/benchnet/internal/results"
)

// Waiting is what a run waits for before it begins: a condition reason and a message; empty if for nothing.
type Waiting struct {
	Reason, Message string
}

// RunInput is what the status of a run follows from.
type RunInput struct {
	Run *v1alpha1.BenchmarkRun
	// Refusal is why the run cannot be carried out, or nil.
	Refusal error
	Waiting Waiting
	// Start is the release of the workers, or nil.
	Start *time.Time
	// Workers are their pods.
	Workers      []corev1.Pod
	WorkersReady int32
	// Refused is why the workers' pods cannot be made, or empty.
	Refused string
	// Progress of each worker, JSON; empty where it told nothing yet.
	Progress []string
	// Problem is what kept the pass from its end, or nil; the run goes on trying.
	Problem error
	// Failure is why the run ended without a result, or empty. FailureReason is RunFailed by default.
	Failure, FailureReason string
	// Result of the run, or nil.
	Result *results.Result
	Now    time.Time
}

// RunEnded tells whether a run is over, well or not.
func RunEnded(run *v1alpha1.BenchmarkRun) bool { return plan.Ended(run) }

// Run computes the status of a run.
func Run(in RunInput) v1alpha1.BenchmarkRunStatus {
	old, wanted := in.Run.Status, in.Run.Spec.Workload.Workers.Count
	s := v1alpha1.BenchmarkRunStatus{ObservedGeneration: in.Run.Generation,
		WorkersReady: fmt.Sprintf("%d/%d", in.WorkersReady, wanted), StartTime: old.StartTime}
	if in.Start != nil {
		start := metav1.NewMicroTime(*in.Start)
		s.StartTime = &start
	}
	l := conditionList{generation: in.Run.Generation}
	switch {
	case in.Result != nil:
		concluded(&s, &l, in)
	case in.Refusal != nil:
		failed(&s, &l, in.Now, v1alpha1.ReasonInvalidSpec, message.Error(in.Refusal))
	case in.Failure != "":
		failed(&s, &l, in.Now, cmp.Or(in.FailureReason, v1alpha1.ReasonRunFailed), in.Failure)
	case in.Problem != nil:
		s.Phase, s.Progress = "Preparing", "Preparing"
		underWay(&l, quotaOr(v1alpha1.ReasonProblem, in.Problem.Error()), in.Problem.Error())
	case in.Waiting.Reason != "":
		s.Phase, s.Progress = "Pending", "Waiting"
		underWay(&l, in.Waiting.Reason, in.Waiting.Message)
	case in.Start == nil:
		s.Phase, s.Progress = "Preparing", "Preparing "+s.WorkersReady
		underWay(&l, quotaOr(v1alpha1.ReasonWaitingForWorkers, in.Refused), workersMessage(in))
	default:
		measuring(&s, &l, in)
	}
	s.Conditions = keepTransitions(old.Conditions, l.all, in.Now)
	return s
}

// quotaOr is the reason of what is refused by a quota, or else another.
func quotaOr(reason, message string) string {
	if observe.QuotaExceeded(message) {
		return v1alpha1.ReasonQuotaExceeded
	}
	return reason
}

func underWay(l *conditionList, reason, message string) {
	l.set(v1alpha1.ConditionAccepted, true, v1alpha1.ReasonAccepted, "the spec can be carried out")
	l.set(v1alpha1.ConditionMeasured, false, reason, message)
	l.set(v1alpha1.ConditionComplete, false, reason, message)
	l.unready(false, reason, message)
}

// workersMessage names the workers that are not ready yet and what keeps them.
func workersMessage(in RunInput) string {
	message := fmt.Sprintf("%d of %d workers are ready", in.WorkersReady, in.Run.Spec.Workload.Workers.Count)
	if in.Refused != "" {
		return message + "; " + in.Refused
	}
	for i := range in.Workers {
		if trouble := observe.PodTrouble(&in.Workers[i]); trouble != "" {
			return message + "; pod " + in.Workers[i].Name + ": " + trouble
		}
	}
	return message
}

// phases of a run by the driver's word for them.
var phases = map[protocol.Phase]string{protocol.PhaseWarmUp: "WarmUp", protocol.PhaseWindow: "Measuring", protocol.PhaseDrain: "Draining"}

func measuring(s *v1alpha1.BenchmarkRunStatus, l *conditionList, in RunInput) {
	s.Phase, s.Progress = "WarmUp", "Starting"
	var throughput, elapsed float64
	for _, text := range in.Progress {
		var p protocol.Progress
		if text == "" || json.Unmarshal([]byte(text), &p) != nil || phases[p.Phase] == "" {
			continue // What is no progress counts as nothing told.
		}
		throughput += p.Throughput
		if p.ElapsedSeconds >= elapsed {
			elapsed = p.ElapsedSeconds
			s.Phase = phases[p.Phase]
		}
	}
	m := in.Run.Spec.Workload.Measure
	s.Window = planned(m, *in.Start)
	switch s.Phase {
	case "WarmUp":
		if elapsed > 0 {
			s.Progress = "WarmUp " + share(elapsed, m.WarmUp.Seconds())
		}
	case "Measuring":
		s.Progress = "Window " + share(elapsed, longest(m).Seconds())
	case "Draining":
		s.Progress = "Drain"
	}
	if throughput > 0 && !math.IsInf(throughput, 0) {
		s.Throughput = decimal(throughput)
	}
	underWay(l, v1alpha1.ReasonMeasuring, "the workers apply the load: "+s.Progress)
}

// longest is how long the drivers may measure: where the steady state decides, the warm-up is found in what they measured.
func longest(m v1alpha1.Measure) time.Duration {
	if m.SteadyState != nil {
		return m.WarmUp.Duration + m.Window.Duration
	}
	return m.Window.Duration
}

// planned is the window of a load that began at start. Where the steady state decides, all of it may be measured.
func planned(m v1alpha1.Measure, start time.Time) *v1alpha1.MeasuredWindow {
	if m.SteadyState == nil {
		start = start.Add(m.WarmUp.Duration)
	}
	return &v1alpha1.MeasuredWindow{Start: metav1.NewMicroTime(start), End: metav1.NewMicroTime(start.Add(longest(m)))}
}

func failed(s *v1alpha1.BenchmarkRunStatus, l *conditionList, now time.Time, reason, message string) {
	ended := metav1.NewTime(now)
	s.Phase, s.Progress, s.CompletionTime = "Failed", "Failed", &ended
	l.set(v1alpha1.ConditionAccepted, reason != v1alpha1.ReasonInvalidSpec, reason, message)
	l.set(v1alpha1.ConditionMeasured, false, reason, message)
	l.set(v1alpha1.ConditionComplete, true, reason, message)
	l.unready(true, reason, message)
}

// concluded takes everything from the result, so that status and result cannot differ.
func concluded(s *v1alpha1.BenchmarkRunStatus, l *conditionList, in RunInput) {
	result := in.Result
	start, ended := metav1.NewMicroTime(result.Times.Start), metav1.NewTime(result.Times.End)
	s.Phase, s.Progress, s.StartTime, s.CompletionTime = "Complete", "Complete", &start, &ended
	s.Window = &v1alpha1.MeasuredWindow{Start: metav1.NewMicroTime(result.Times.WindowStart), End: metav1.NewMicroTime(result.Times.WindowEnd)}
	s.Throughput, s.Unit = decimal(result.Summary.ThroughputPerSecond), result.Summary.Unit
	for _, m := range atMost(maxMeasures, result.Summary.Measures) {
		s.Measures = append(s.Measures, v1alpha1.Measured{Name: m.Name, Value: number(m.Value), Unit: m.Unit})
	}
	latency := result.Summary.Latency
	s.Latency = &v1alpha1.LatencySummary{Mean: decimal(latency.Mean), P50: decimal(latency.P50), P90: decimal(latency.P90),
		P95: decimal(latency.P95), P99: decimal(latency.P99), P999: decimal(latency.P999), Max: decimal(latency.Max)}
	s.Operations = &v1alpha1.OperationCounts{Completed: result.Summary.Requests - result.Summary.Errors, Failed: result.Summary.Errors}
	if result.Steady != nil {
		s.Steady = message.Truncate(result.Steady.Sentence(), message.MaxItem)
	}
	s.Verdict = v1alpha1.Verdict(result.Verdict.Validity)
	if result.Bottleneck != nil {
		s.Bottleneck = message.Truncate(result.Bottleneck.Message, message.MaxItem)
	}
	s.Reasons = findings(&result.Verdict)
	s.Result = &v1alpha1.ResultReference{ConfigMapName: names.Result(in.Run.Name), Key: protocol.ResultKey}
	message := fmt.Sprintf("%s %s/s over %d s, verdict %s", s.Throughput, cmp.Or(s.Unit, "operations"), result.Times.WindowSeconds, s.Verdict)
	l.set(v1alpha1.ConditionAccepted, true, v1alpha1.ReasonAccepted, "the spec can be carried out")
	l.set(v1alpha1.ConditionMeasured, true, v1alpha1.ReasonResultWritten, message)
	l.set(v1alpha1.ConditionComplete, true, v1alpha1.ReasonResultWritten, message)
	l.set(v1alpha1.ConditionReady, true, v1alpha1.ReasonResultWritten, message)
}

// maxReasons is what the status holds; the result has all.
const maxReasons = 16

// findings lists what a verdict found, the heaviest first. Each severity has at most maxReasons.
func findings(v *results.Verdict) []v1alpha1.VerdictReason {
	notes := slices.DeleteFunc(slices.Clone(v.Notes), func(r results.Reason) bool { return r.RecordedOnly })
	return slices.Concat(reasons(v1alpha1.SeverityInvalid, v.Reasons), reasons(v1alpha1.SeverityRecorded, v.RecordedOnly()),
		reasons(v1alpha1.SeverityNote, notes))
}

func reasons(severity v1alpha1.FindingSeverity, found []results.Reason) []v1alpha1.VerdictReason {
	var all []v1alpha1.VerdictReason
	for _, r := range atMost(maxReasons, found) {
		text := r.Message
		if !strings.Contains(text, r.Subject) {
			text = r.Subject + ": " + text
		}
		all = append(all, v1alpha1.VerdictReason{Reason: string(r.Code), Severity: severity, Message: message.Truncate(text, message.MaxItem)})
	}
	return all
}

// decimal has three significant places or one after the point, whichever is more.
func decimal(x float64) string {
	switch {
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case x >= 1:
		return strconv.FormatFloat(x, 'f', 2, 64)
	default:
		return strconv.FormatFloat(x, 'f', 3, 64)
	}
}

// number is a whole one as it is, and a decimal otherwise.
func number(x float64) string {
	if x == math.Trunc(x) {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return decimal(x)
}

func share(part, whole float64) string {
	if whole <= 0 {
		return "100%"
	}
	return fmt.Sprintf("%.0f%%", 100*min(1, max(0, part/whole)))
}
