package experiment

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/objectives"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// SummarizeRun returns a summary of a run for the experiment. It truncates all texts, because the operator
// keeps the runs of an experiment in memory and users can write their results.
func SummarizeRun(r *document.RunResult) Run {
	name := limits.Truncate(r.Run.Name, maxTextBytes)
	run := Run{Name: name, Start: r.Times.Start, End: r.Times.End, Unit: limits.Truncate(r.Summary.Unit, maxTextBytes),
		LatencyKind: measurement.LatencyKind(limits.Truncate(string(r.Summary.LatencyKind), maxTextBytes)),
		Verdict:     RunVerdict(r.Verdict.Validity()), Metrics: runMetrics(&r.Summary), Load: newLoadEvidence(r),
		ResultConfigMap: naming.ResultConfigMap(name)}
	run.Conditions, run.FaultTimes, run.Segments = conditionsOf(r), faultTimesOf(r), segmentsOf(r)
	for _, metric := range v1alpha1.FaultyRunMetrics {
		if value, problem := objectives.FaultyRunValue(r, metric); problem == "" {
			run.Metrics[string(metric)] = value
		}
	}
	if f := r.Summary.Finality; f != nil {
		run.FinalityOf = measurement.FinalityOf(limits.Truncate(string(f.Of), maxTextBytes))
	}
	run.Excluded = r.Verdict.HasOnlyExogenousReasons()
	if b := r.Bottleneck; b != nil {
		run.Bottleneck = limits.Truncate(strings.TrimSpace(string(b.Resource)+" "+b.Subject), maxTextBytes)
	}
	for _, reason := range r.Verdict.Reasons[:min(len(r.Verdict.Reasons), maxReasons)] {
		run.Reasons = append(run.Reasons, limits.Truncate(reason.Message, limits.MaxItem))
		run.Codes = append(run.Codes, verdict.ReasonCode(limits.Truncate(string(reason.Code), maxTextBytes)))
	}
	notes := slices.Clone(r.Verdict.Notes)
	slices.SortStableFunc(notes, func(a, b verdict.Reason) int { return cmp.Compare(recordedFirst(a), recordedFirst(b)) })
	for _, note := range notes[:min(len(notes), maxNotes)] {
		note.Code = verdict.ReasonCode(limits.Truncate(string(note.Code), maxTextBytes))
		note.Subject, note.Message = limits.Truncate(note.Subject, maxTextBytes), limits.Truncate(note.Message, limits.MaxItem)
		run.Notes = append(run.Notes, note)
	}
	for _, o := range r.Objectives[:min(len(r.Objectives), maxObjectives)] {
		o.Metric, o.Outcome, o.Message = limits.Truncate(o.Metric, maxTextBytes), limits.Truncate(o.Outcome, maxTextBytes), limits.Truncate(o.Message, limits.MaxItem)
		o.Query = nil
		run.Objectives = append(run.Objectives, o)
	}
	return run
}

// recordedFirst ranks the notes that would make the run invalid with another policy before all others.
func recordedFirst(note verdict.Reason) int {
	if note.RecordedOnly {
		return 0
	}
	return 1
}

// runMetrics returns every metric that can be compared. Without a success it has no latencies, and with too few
// no percentiles.
func runMetrics(s *measurement.Summary) map[string]float64 {
	metrics := map[string]float64{
		string(v1alpha1.MetricThroughput): s.ThroughputPerSecond,
		string(v1alpha1.MetricErrorShare): s.ErrorShare,
	}
	if s.Requests == s.Errors {
		return metrics
	}
	for _, v := range comparedTimes(s) {
		if v.Millis != nil {
			metrics[v.Name] = *v.Millis
		}
	}
	return metrics
}

// comparedTimes returns the latencies and the finality that can be compared, each by the name of its metric.
func comparedTimes(s *measurement.Summary) []measurement.LatencyValue {
	var all []measurement.LatencyValue
	add := func(kind string, l *measurement.Latency, except ...string) {
		for _, v := range l.Values() {
			if !slices.Contains(except, v.Name) {
				v.Name = kind + v.Name
				all = append(all, v)
			}
		}
	}
	add("Latency", &s.Latency, "Max")
	if f := s.Finality; f != nil {
		add("Finality", &f.Latency, "P90", "P999", "Max")
	}
	return all
}

func newLoadEvidence(r *document.RunResult) LoadEvidence {
	e := LoadEvidence{ScarcePercentiles: scarcePercentiles(r)}
	if r.Times.WindowSeconds > 0 {
		e.OfferedPerSecond = float64(r.Schedule.Planned) / float64(r.Times.WindowSeconds)
	}
	e.ClientsExhausted = slices.ContainsFunc(r.Verdict.Notes, func(n verdict.Reason) bool { return n.Code == verdict.ReasonClientsExhausted })
	return e
}

// scarcePercentiles returns the percentiles that runMetrics omits, because too few latencies lie above them, or nil
// without a readable histogram. Only searches use them, whose finality is that of operations, in the same histogram.
func scarcePercentiles(r *document.RunResult) map[string]float64 {
	unsupported := slices.DeleteFunc(comparedTimes(&r.Summary), func(v measurement.LatencyValue) bool { return v.Millis != nil })
	if r.Summary.Requests == r.Summary.Errors || len(unsupported) == 0 {
		return nil
	}
	h, err := r.DecodeHistogram()
	if err != nil || h.Count() == 0 {
		return nil
	}
	scarce := map[string]float64{}
	for _, v := range unsupported {
		scarce[v.Name] = h.PercentileMillis(v.Percent)
	}
	return scarce
}

// Bounds of a run in the result of an experiment. The run's own result is complete.
const (
	maxReasons = 8
	maxNotes   = 32
	// maxObjectives is the number of objectives that a workload may have.
	maxObjectives = 8
	// maxTextBytes bounds the size of a name in bytes.
	maxTextBytes = 256
)

// NewFailedRun returns a run without a result. Its start and end are its creation time.
func NewFailedRun(name, reason string, created time.Time) Run {
	return Run{Name: name, Verdict: RunFailed, Reasons: []string{limits.Truncate(reason, limits.MaxItem)}, Start: created, End: created}
}

// NewCancelledRun returns a run that a user cancelled. It counts as failed, but is not repeated.
func NewCancelledRun(name, reason string, created time.Time) Run {
	run := NewFailedRun(name, reason, created)
	run.Verdict = RunCancelled
	return run
}

// DecodeRunSummary decodes the packed result of a run and returns its summary.
func DecodeRunSummary(packed []byte) (Run, error) {
	result, err := document.DecodeRunResult(packed)
	if err != nil {
		return Run{}, err
	}
	return SummarizeRun(result), nil
}
