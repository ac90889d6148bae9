package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/loadgen"
)

var (
	runInfo = newGauge("benchnet_run_info", "A run, its network and workload, and the point and variant that it measures for an experiment; always 1.",
		"namespace", "run", "network", "workload", "experiment", "point", "variant")
	runPhase = newGauge("benchnet_run_phase", "The phase of the run; always 1.", "namespace", "run", "phase")
	// If the steady state ends the window, its end is the latest possible one until the run is complete.
	runWindowStart = newGauge("benchnet_run_window_start_timestamp_seconds",
		"Start of the measured window, in seconds since 1970: planned, and actual once the run is complete.", "namespace", "run")
	runWindowEnd = newGauge("benchnet_run_window_end_timestamp_seconds",
		"End of the measured window, in seconds since 1970: planned, and actual once the run is complete.", "namespace", "run")
	runSegmentStart = newGauge("benchnet_run_segment_start_timestamp_seconds",
		"Start of a segment of the load's profile, in seconds since 1970; exported while the run is active.", "namespace", "run", "segment")
	runFaultStart = newGauge("benchnet_run_fault_start_timestamp_seconds",
		"Planned start of a declared fault, in seconds since 1970; exported while the run is active.", "namespace", "run", "fault", "type")
	runDrainEnd = newGauge("benchnet_run_drain_end_timestamp_seconds",
		"End of the wait for operations of the window, in seconds since 1970; exported while the run is active.", "namespace", "run")
	runCompletion = newGauge("benchnet_run_completion_timestamp_seconds", "When the run was complete, failed or was cancelled, in seconds since 1970.",
		"namespace", "run")
	runOffered    = newGauge("benchnet_run_offered_per_second", "Target rate of operations per second of an open load without a profile.", "namespace", "run")
	runThroughput = newGauge("benchnet_run_throughput_per_second",
		"Operations completed per second of the window, or so far while the run is active.", "namespace", "run")
	runLatency = newMetric(Summary, "benchnet_run_latency_seconds",
		"Latency of the operations of the window, merged from the histograms of all workers; the service time in a closed loop.", "namespace", "run")
	runErrors  = newGauge("benchnet_run_errors", "Operations of the window that failed, unfinished ones included.", "namespace", "run")
	runValid   = newGauge("benchnet_run_valid", "Whether the run is valid; exported once it has a verdict.", "namespace", "run")
	runFinding = newGauge("benchnet_run_finding",
		"A finding about the run by severity: Invalid, Recorded (not Invalid, since measure.environmentPolicy is Record) or Note; always 1.",
		"namespace", "run", "reason", "severity")

	runMetrics = []*Metric{runInfo, runPhase, runWindowStart, runWindowEnd, runSegmentStart, runFaultStart, runDrainEnd, runCompletion, runOffered,
		runThroughput, runLatency, runErrors, runValid, runFinding}
)

func (s sampleWriter) writeRun(r *v1alpha1.BenchmarkRun) {
	s.writeSample(runInfo, 1, r.Namespace, r.Name, r.Spec.NetworkName, r.Spec.Workload.Name,
		r.Labels[v1alpha1.LabelExperiment], r.Labels[v1alpha1.LabelPoint], r.Labels[v1alpha1.LabelVariant])
	if r.Status.Phase != "" {
		s.writeSample(runPhase, 1, r.Namespace, r.Name, string(r.Status.Phase))
	}
	s.writeRunTimes(r)
	if rate := r.Spec.Workload.Load.Rate(); rate > 0 {
		s.writeSample(runOffered, rate, r.Namespace, r.Name)
	}
	if throughput := r.Status.ThroughputMilliPerSecond; throughput != nil {
		s.writeSample(runThroughput, float64(*throughput)/1000, r.Namespace, r.Name)
	}
	s.writeRunOutcome(r)
}

func (s sampleWriter) writeRunTimes(r *v1alpha1.BenchmarkRun) {
	if w := r.Status.Window; w != nil {
		s.writeSample(runWindowStart, unixSeconds(w.Start.Time), r.Namespace, r.Name)
		s.writeSample(runWindowEnd, unixSeconds(w.End.Time), r.Namespace, r.Name)
		if r.Status.CompletionTime == nil {
			for _, segment := range loadgen.SegmentsOf(&r.Spec.Workload) {
				s.writeSample(runSegmentStart, unixSeconds(w.Start.Time)+float64(segment.FromSeconds), r.Namespace, r.Name, segment.Name)
			}
			for i := range r.Spec.Workload.Faults {
				f := &r.Spec.Workload.Faults[i]
				s.writeSample(runFaultStart, unixSeconds(w.Start.Add(f.At.Duration)), r.Namespace, r.Name, f.Name, string(f.Type))
			}
			s.writeSample(runDrainEnd, unixSeconds(w.End.Add(r.Spec.Workload.Measure.Drain.Duration)), r.Namespace, r.Name)
		}
	}
	if ended := r.Status.CompletionTime; ended != nil {
		s.writeSample(runCompletion, unixSeconds(ended.Time), r.Namespace, r.Name)
	}
}

// writeRunOutcome writes the metrics that are known when the run has its verdict.
func (s sampleWriter) writeRunOutcome(r *v1alpha1.BenchmarkRun) {
	if r.Status.Operations != nil {
		s.writeSample(runErrors, float64(r.Status.Operations.Failed), r.Namespace, r.Name)
	}
	if r.Status.Operations != nil && r.Status.LatencyMicroseconds != nil {
		s.writeRunLatency(r, r.Status.LatencyMicroseconds, r.Status.Operations.Completed)
	}
	if r.Status.Verdict != "" {
		s.writeSample(runValid, boolValue(r.Status.Verdict == v1alpha1.VerdictValid), r.Namespace, r.Name)
	}
	written := map[v1alpha1.VerdictReason]bool{}
	for _, finding := range r.Status.Reasons {
		finding.Message = ""
		if !written[finding] {
			s.writeSample(runFinding, 1, r.Namespace, r.Name, finding.Reason, string(finding.Severity))
		}
		written[finding] = true
	}
}

// writeRunLatency writes the latencies of the status as a summary in seconds, without quantiles that are unknown.
func (s sampleWriter) writeRunLatency(r *v1alpha1.BenchmarkRun, l *v1alpha1.LatencySummary, operations int64) {
	const perSecond = 1e6
	quantiles := map[float64]float64{}
	for rank, microseconds := range map[float64]*int64{0.5: l.P50, 0.9: l.P90, 0.95: l.P95, 0.99: l.P99, 0.999: l.P999, 1: &l.Max} {
		if microseconds != nil {
			quantiles[rank] = float64(*microseconds) / perSecond
		}
	}
	sum := float64(l.Mean) / perSecond * float64(operations)
	s <- prometheus.MustNewConstSummary(runLatency.description, uint64(max(0, operations)), sum, quantiles, r.Namespace, r.Name)
}

func unixSeconds(t time.Time) float64 {
	return float64(t.UnixMicro()) / float64(time.Second/time.Microsecond)
}
