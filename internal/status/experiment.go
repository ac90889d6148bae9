package status

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/experiment/capacity"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// ExperimentInput is the input of ComputeExperiment.
type ExperimentInput struct {
	Experiment *v1alpha1.BenchmarkExperiment
	// SpecError is why the experiment cannot be carried out, or nil.
	SpecError error
	// Capacity is the forecast whether the nodes are large enough for the experiment; nil if an earlier pass made it.
	Capacity *capacity.FitResult
	// Plan is what the experiment needs; nil if an earlier pass computed it.
	Plan *v1alpha1.ExperimentPlan
	// Step is what comes next, and Result contains the results so far. Both are nil before the experiment may
	// begin.
	Step   *experiment.NextStep
	Result *experiment.Result
	// Admission is Kueue's decision; zero if Kueue does not manage the experiment or has admitted it before.
	Admission AdmissionDecision
	// RunProblem is the problem of an active run, as by the function RunProblem, or empty.
	RunProblem string
	// ResultWritten reports that the result is in its ConfigMap. ResultDigest is the digest of its document.
	ResultWritten bool
	ResultDigest  string
	// ResultTooLarge is why the result does not fit into a ConfigMap, or empty.
	ResultTooLarge string
	// ReconcileError is the error that ended the pass early, or nil. The operator retries.
	ReconcileError error
	// Refused reports that ReconcileError stays until somebody acts.
	Refused bool
	Now     time.Time
}

// HasPassedPreflight reports whether an experiment was accepted, so that it is not checked again.
func HasPassedPreflight(e *v1alpha1.BenchmarkExperiment) bool {
	return e.Status.Plan != nil && meta.IsStatusConditionTrue(e.Status.Conditions, v1alpha1.ConditionAccepted)
}

// ComputeExperiment returns the status of an experiment.
func ComputeExperiment(in ExperimentInput) v1alpha1.BenchmarkExperimentStatus {
	old := in.Experiment.Status
	s := v1alpha1.BenchmarkExperimentStatus{ObservedGeneration: in.Experiment.Generation, Seed: experiment.Seed(in.Experiment),
		Plan: old.Plan, StartTime: old.StartTime, CompletionTime: old.CompletionTime}
	if in.Plan != nil {
		s.Plan = in.Plan
	}
	if in.Step != nil {
		setProgress(&s, in)
	}
	l := conditionList{generation: in.Experiment.Generation}
	addFitsCondition(&l, in)
	addExperimentAdmission(&l, in)
	addGatesCondition(&l, in)
	addOutcomeConditions(&s, &l, in)
	s.Conditions = keepTransitionTimes(old.Conditions, l.conditions, in.Now)
	return s
}

// addExperimentAdmission adds the condition Admitted of an experiment that Kueue manages.
func addExperimentAdmission(l *conditionList, in ExperimentInput) {
	before := meta.FindStatusCondition(in.Experiment.Status.Conditions, v1alpha1.ConditionAdmitted)
	switch {
	case in.Admission != (AdmissionDecision{}):
		l.addBool(v1alpha1.ConditionAdmitted, in.Admission.Admitted, in.Admission.Reason, in.Admission.Message)
	case before != nil && (before.Status == metav1.ConditionTrue || in.ReconcileError != nil):
		l.addBool(v1alpha1.ConditionAdmitted, before.Status == metav1.ConditionTrue, before.Reason, before.Message)
	}
}

func addFitsCondition(l *conditionList, in ExperimentInput) {
	before := meta.FindStatusCondition(in.Experiment.Status.Conditions, v1alpha1.ConditionFits)
	switch {
	case in.Capacity == nil && before != nil:
		l.conditions = append(l.conditions, *before)
	case in.Capacity == nil:
	case in.Capacity.Unchecked:
		l.addUnknown(v1alpha1.ConditionFits, v1alpha1.ReasonNotChecked, in.Capacity.Message)
	case in.Capacity.Fits:
		l.addBool(v1alpha1.ConditionFits, true, v1alpha1.ReasonFits, in.Capacity.Message)
	default:
		l.addBool(v1alpha1.ConditionFits, false, v1alpha1.ReasonClusterTooSmall,
			in.Capacity.Message+"; the experiment began nevertheless, and pods wait until there are nodes for them")
	}
}

// addOutcomeConditions sets the phase and adds the conditions that show the progress of the experiment.
func addOutcomeConditions(s *v1alpha1.BenchmarkExperimentStatus, l *conditionList, in ExperimentInput) {
	if in.SpecError != nil {
		s.Phase = v1alpha1.PhaseFailed
		refusal := limits.FromError(in.SpecError)
		l.addBool(v1alpha1.ConditionAccepted, false, v1alpha1.ReasonInvalidSpec, refusal)
		l.addBool(v1alpha1.ConditionComplete, true, v1alpha1.ReasonInvalidSpec, refusal)
		l.addNotReady(true, v1alpha1.ReasonInvalidSpec, refusal)
		return
	}
	l.addBool(v1alpha1.ConditionAccepted, true, v1alpha1.ReasonAccepted, "the spec is valid")
	switch {
	case in.ReconcileError != nil:
		s.Phase = v1alpha1.PhaseRunning
		reason, message := quotaReasonOr(v1alpha1.ReasonProblem, in.ReconcileError.Error()), in.ReconcileError.Error()
		l.addBool(v1alpha1.ConditionComplete, false, reason, message)
		l.addNotReady(in.Refused, reason, message)
	case !in.Step.IsDone():
		addUnfinishedConditions(s, l, in)
	case in.ResultTooLarge != "":
		s.Phase = v1alpha1.PhaseFailed
		clearCurrent(s)
		setCompletionTime(s, in.Now)
		l.addBool(v1alpha1.ConditionComplete, true, v1alpha1.ReasonResultTooLarge, in.ResultTooLarge)
		l.addNotReady(true, v1alpha1.ReasonResultTooLarge, in.ResultTooLarge)
	case !in.ResultWritten:
		s.Phase = v1alpha1.PhaseRunning
		addExperimentInProgress(l, v1alpha1.ReasonMeasuring, "the result is being written")
	default:
		completeExperiment(s, l, in)
	}
}

func addUnfinishedConditions(s *v1alpha1.BenchmarkExperimentStatus, l *conditionList, in ExperimentInput) {
	switch {
	case in.Admission.mustWait():
		s.Phase = v1alpha1.PhaseQueued
		addExperimentInProgress(l, in.Admission.Reason, in.Admission.Message)
	case len(in.Step.ActiveRuns) > 0:
		s.Phase = v1alpha1.PhaseRunning
		message := "measuring " + s.Display.Current
		if in.RunProblem != "" {
			message += "; " + in.RunProblem
		}
		addExperimentInProgress(l, v1alpha1.ReasonMeasuring, message)
	case in.Experiment.Spec.PauseRuns:
		s.Phase = v1alpha1.PhasePaused
		addExperimentInProgress(l, v1alpha1.ReasonPaused, "spec.pauseRuns is true")
	case in.Step.DeletingNetwork != "":
		s.Phase = v1alpha1.PhaseRunning
		addExperimentInProgress(l, v1alpha1.ReasonWaitingForRemoval, fmt.Sprintf("waiting for the deletion of BenchmarkNetwork %s", in.Step.DeletingNetwork))
	default:
		s.Phase = v1alpha1.PhaseRunning
		addExperimentInProgress(l, v1alpha1.ReasonMeasuring, "creating the next run")
	}
}

// RunProblem returns why a run does not begin, if the cause is known: what its network or its workers wait for, and the cause after
// a semicolon, or that its network is paused. It returns "" for a run that proceeds, or merely waits.
func RunProblem(run *v1alpha1.BenchmarkRun) string {
	ready := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionReady)
	if ready == nil || ready.Status == metav1.ConditionTrue || run.IsComplete() {
		return ""
	}
	switch ready.Reason {
	case v1alpha1.ReasonPaused: // An experiment does not pause its networks: a user did.
	case v1alpha1.ReasonWaitingForNetwork, v1alpha1.ReasonWaitingForReset, v1alpha1.ReasonWaitingForWorkers, v1alpha1.ReasonQuotaExceeded,
		v1alpha1.ReasonProblem:
		if !strings.Contains(ready.Message, "; ") {
			return ""
		}
	default:
		return ""
	}
	return limits.Truncate(fmt.Sprintf("BenchmarkRun %s: %s", run.Name, ready.Message), limits.MaxItem)
}

func addExperimentInProgress(l *conditionList, reason, message string) {
	l.addBool(v1alpha1.ConditionComplete, false, reason, message)
	l.addNotReady(false, reason, message)
}

func completeExperiment(s *v1alpha1.BenchmarkExperimentStatus, l *conditionList, in ExperimentInput) {
	clearCurrent(s)
	s.Result = &v1alpha1.ResultReference{ConfigMapName: naming.ExperimentResult(in.Experiment.Name), Key: protocol.ResultKey, Digest: in.ResultDigest}
	setCompletionTime(s, in.Now)
	if in.Step.StoppedBy != "" {
		s.Phase = v1alpha1.PhaseFailed
		message := stopMessage(in.Step.StoppedBy, in.Result.Runs)
		l.addBool(v1alpha1.ConditionComplete, true, v1alpha1.ReasonRunFailed, message)
		l.addNotReady(true, v1alpha1.ReasonRunFailed, message)
		return
	}
	s.Phase = v1alpha1.PhaseComplete
	message := fmt.Sprintf("%d points, %d runs", len(in.Result.Points), len(in.Result.Runs))
	if left := countInvalidRuns(in.Result); left > 0 {
		message += fmt.Sprintf(", %d of them invalid or failed and excluded from the results", left)
	}
	l.addBool(v1alpha1.ConditionComplete, true, v1alpha1.ReasonResultWritten, message)
	l.addBool(v1alpha1.ConditionReady, true, v1alpha1.ReasonResultWritten, message)
}

// stopMessage returns why a run stopped its experiment.
func stopMessage(stoppedBy string, runs []experiment.Run) string {
	ended := "failed"
	if slices.ContainsFunc(runs, func(r experiment.Run) bool { return r.Name == stoppedBy && r.Verdict == experiment.RunCancelled }) {
		ended = "was cancelled"
	}
	return fmt.Sprintf("BenchmarkRun %s %s, and spec.failures.onFailed is Stop", stoppedBy, ended)
}

// setCompletionTime sets the completion time once.
func setCompletionTime(s *v1alpha1.BenchmarkExperimentStatus, now time.Time) {
	if s.CompletionTime == nil {
		s.CompletionTime = new(metav1.NewTime(now))
	}
}

func countInvalidRuns(r *experiment.Result) int {
	n := 0
	for _, p := range r.Points {
		n += p.Invalid + p.Failed
	}
	return n
}

// setProgress fills the fields that show the results so far.
func setProgress(s *v1alpha1.BenchmarkExperimentStatus, in ExperimentInput) {
	if s.StartTime == nil && !in.Admission.mustWait() {
		s.StartTime = new(metav1.NewTime(in.Now))
	}
	s.RunsEnded = int32(len(in.Result.Runs))
	s.RunsTotal = max(s.Plan.Runs, int32(len(in.Step.CreatedRuns)+len(in.Step.DeletedRuns)))
	s.Display.Runs = fmt.Sprintf("%d/%d", s.RunsEnded, s.RunsTotal)
	if in.Experiment.Spec.Strategy == v1alpha1.StrategySaturation {
		s.Display.Runs = fmt.Sprint(s.RunsEnded)
	}
	s.CurrentRuns, s.Display.Current = firstItems(maxCurrentRuns, in.Step.ActiveRuns), strings.Join(in.Step.ActiveRuns, ", ")
	if len(in.Step.ActiveRuns) > 0 {
		setTimeLeft(s, in)
	}
	recorded := map[string][]int32{}
	for i := range in.Experiment.Status.Points {
		p := &in.Experiment.Status.Points[i]
		recorded[p.Name] = p.Attempts
	}
	repetitions := int(max(1, in.Experiment.Spec.Repetitions))
	for i := range in.Result.Points {
		p := &in.Result.Points[i]
		point := pointStatus(p)
		point.Attempts = in.Step.CountAttempts(p.Name, recorded[p.Name])
		s.Points = append(s.Points, point)
		if p.Valid+p.Invalid+p.Failed-p.Deleted >= repetitions {
			s.PointsDone++
		}
	}
	s.PointsTotal = int32(len(in.Result.Points))
	for _, found := range firstItems(maxSearches, in.Result.Saturation) {
		s.Saturation = append(s.Saturation, saturationStatus(found, in.Result))
	}
	for i := range in.Result.Comparisons {
		s.Comparisons = append(s.Comparisons, comparisonStatus(&in.Result.Comparisons[i]))
	}
	s.Points = firstItems(experiment.MaxPoints, s.Points)
	s.Comparisons = firstItems(experiment.MaxPoints, s.Comparisons)
}

// minRunsForEstimate is how many runs must have ended before their pace predicts better than the plan.
const minRunsForEstimate = 3

// setTimeLeft estimates the time left from the pace of the ended runs, including their networks, or from the plan
// before there are enough of them. It is rounded so that it does not change in every pass.
func setTimeLeft(s *v1alpha1.BenchmarkExperimentStatus, in ExperimentInput) {
	planned, ended := time.Duration(s.Plan.Runs), time.Duration(s.RunsEnded)
	if planned <= ended {
		return
	}
	perRun := s.Plan.Duration.Duration / planned
	if ended >= minRunsForEstimate {
		perRun = in.Result.End.Sub(in.Result.Start) / ended
	}
	left := max(time.Minute, (perRun * (planned - ended)).Round(time.Minute))
	s.TimeLeftSeconds, s.Display.TimeLeft = new(int64(left.Seconds())), strings.TrimSuffix(left.String(), "0s")
	if in.Experiment.Spec.Strategy == v1alpha1.StrategySaturation {
		s.Display.TimeLeft = "at most " + s.Display.TimeLeft
	}
}

// clearCurrent removes what is only shown while runs are in progress.
func clearCurrent(s *v1alpha1.BenchmarkExperimentStatus) {
	s.CurrentRuns, s.TimeLeftSeconds = nil, nil
	s.Display.Current, s.Display.TimeLeft = "", ""
}

func pointStatus(p *experiment.Point) v1alpha1.PointStatus {
	s := v1alpha1.PointStatus{Name: p.Name, Variant: p.Variant, RunsEnded: int32(p.Valid + p.Invalid + p.Failed), RunsInvalid: int32(p.Invalid + p.Failed),
		Objectives: objectiveStatuses(p.Objectives),
		Display:    v1alpha1.PointDisplay{Parameters: p.Label(), Bottleneck: p.Bottleneck, Notes: p.NotesText()}}
	for _, parameter := range p.Parameters {
		if s.Parameters == nil {
			s.Parameters = map[string]string{}
		}
		s.Parameters[parameter.Name] = parameter.Value
	}
	if e, ok := p.Metrics[string(v1alpha1.MetricThroughput)]; ok && e.N > 0 {
		s.ThroughputMilliPerSecond = roundToMilli(e.Mean)
		if e.Interval != nil {
			s.ThroughputHalfWidthMilliPerSecond = roundToMilli((e.Interval.High - e.Interval.Low) / 2)
		}
		s.Display.Throughput = e.String() + " " + formatRateUnit(p.Unit)
	}
	if e, ok := p.Metrics[string(v1alpha1.MetricLatencyP95)]; ok && e.N > 0 {
		s.P95LatencyMicroseconds, s.Display.P95 = new(roundToMicroseconds(e.Mean)), formatMilliseconds(e.Mean)
	}
	return s
}

func saturationStatus(found experiment.Saturation, r *experiment.Result) v1alpha1.SaturationStatus {
	s := v1alpha1.SaturationStatus{Name: found.Name, Load: *loadQuantity(found.Load), Message: found.Message}
	if found.Knee > 0 {
		s.Knee = loadQuantity(found.Knee)
	}
	at := slices.IndexFunc(r.Points, func(p experiment.Point) bool { return slices.Contains(found.Points, p.Name) && p.Load() == found.Load })
	if at >= 0 {
		s.ThroughputMilliPerSecond = roundToMilli(r.Points[at].Metrics[string(v1alpha1.MetricThroughput)].Mean)
	}
	return s
}

func loadQuantity(load float64) *resource.Quantity {
	return resource.NewMilliQuantity(roundToInt64(1000*load), resource.DecimalSI)
}

func comparisonStatus(c *experiment.ComparisonOutcome) v1alpha1.ComparisonStatus {
	s := v1alpha1.ComparisonStatus{Candidate: c.Name(), Metric: v1alpha1.Metric(c.Metric), Scope: c.Scope,
		PValuePerMillion: int32(roundToInt64(1e6 * c.AdjustedPValue)), Verdict: c.Verdict, Gate: c.Gate, Message: c.Message}
	if c.HasValues() {
		s.Difference = newDifference(c)
		s.Display = v1alpha1.ComparisonDisplay{Difference: c.FormatDifference(c.Difference), Bounds: c.FormatBounds(),
			PValue: fmt.Sprintf("%.3g", c.AdjustedPValue)}
	}
	return s
}

// newDifference returns the difference of a comparison in the unit of its scale, or nil if it is not finite.
func newDifference(c *experiment.ComparisonOutcome) *v1alpha1.Difference {
	unit, scale := v1alpha1.DifferenceMicroseconds, 1000.0
	switch metric := v1alpha1.Metric(c.Metric); {
	case c.Scale == statistics.Relative:
		unit, scale = v1alpha1.DifferenceMilliPercent, 100*1000
	case metric.IsShare():
		unit, scale = v1alpha1.DifferenceMilliPercentagePoints, 100*1000
	case metric == v1alpha1.MetricThroughput:
		unit = v1alpha1.DifferenceMilliPerSecond
	case metric.IsCount():
		unit = v1alpha1.DifferenceMilliOperations
	case metric.IsOfFault():
		scale = 1e6
	}
	if math.IsNaN(c.Difference) || math.IsInf(c.Difference, 0) {
		return nil
	}
	round := func(r *statistics.Range) *v1alpha1.DifferenceRange {
		if r == nil {
			return nil
		}
		return &v1alpha1.DifferenceRange{Low: roundToInt64(scale * r.Low), High: roundToInt64(scale * r.High)}
	}
	return &v1alpha1.Difference{Unit: unit, Value: roundToInt64(scale * c.Difference), Interval: round(c.Interval), Extremes: round(c.Extremes)}
}
