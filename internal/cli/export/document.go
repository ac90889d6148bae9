package export

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/objectives"
)

const millis = "ms"

// unitOf returns the unit of a metric of runs that count operations.
func unitOf(m v1alpha1.Metric, operations string) string {
	switch {
	case m == v1alpha1.MetricThroughput:
		return operations + "/s"
	case m.IsShare():
		return "1"
	case m.IsCount():
		return operations
	}
	return millis
}

// emitDocument emits everything that the document of a run holds as numbers over its window.
func emitDocument(row Row, r *document.RunResult, emit Emit) error {
	row.Network, row.Workload = r.Run.Network, r.Run.Workload
	if start := r.Times.WindowStart; !start.IsZero() {
		row.WindowStart = new(start.UTC())
	}
	w := writer{row: row, emit: emit}
	w.addSummary(&r.Summary)
	if err := w.addQuantiles(r); err != nil {
		return err
	}
	w.addPhases(r.Phases)
	w.addSeries("", "Completed", r.Summary.Unit, measurement.SeriesFromCounts(r.Series.CompletedPerSecond))
	w.addSeries("", "Failed", r.Summary.Unit, measurement.SeriesFromCounts(r.Series.FailedPerSecond))
	w.addSeries("", string(v1alpha1.MetricLatencyMean), millis, r.Series.MeanLatencyMillis)
	for _, m := range r.Members {
		w.addSeries(m.Member, "CPU", "cores", r.ExpandToSeconds(m.CPUSeconds))
		w.addSeries(m.Member, "Memory", "bytes", r.ExpandToSeconds(m.MemoryBytes))
	}
	for _, pod := range r.Environment.Calibration {
		for _, f := range pod.Figures() {
			w.addValue(Row{Subject: pod.Subject, Metric: f.Name, Unit: f.Unit}, f.Value)
		}
	}
	for _, s := range r.Recorded {
		w.addSeries(s.Subject, s.Name, s.Unit, r.ExpandToSeconds(s.Values))
	}
	w.addSegments(r.Segments)
	w.addOperations(r.Operations, r.Summary.Unit, "", "Operation")
	w.addFaults(r.Faults)
	for _, m := range v1alpha1.FaultyRunMetrics {
		if value, problem := objectives.FaultyRunValue(r, m); problem == "" {
			w.addTotal(string(m), value, unitOf(m, r.Summary.Unit))
		}
	}
	return w.err
}

// addFaults emits what the faults did to the throughput, each as a subject.
func (w *writer) addFaults(all []document.FaultResult) {
	for i := range all {
		s := all[i].Score
		if s == nil {
			continue
		}
		v := s.Values()
		for _, m := range []struct {
			name    string
			seconds float64
		}{{"FaultOutage", v.Outage}, {"FaultImpact", v.Impact}, {"FaultRecovery", v.Recovery}, {"FaultCensored", v.Censored}, {"FaultDegradation", v.Degradation}} {
			w.addValue(Row{Subject: all[i].Name, Metric: m.name, Unit: "s"}, m.seconds)
		}
	}
}

// newPartWriter returns a writer of the numbers of a part of the run, with the part as subject and a prefix of the metrics.
func (w *writer) newPartWriter(subject, prefix string) writer {
	return writer{row: w.row, emit: func(row Row) error {
		row.Subject, row.Metric = subject, prefix+row.Metric
		w.write(row)
		return w.err
	}}
}

// addSegments emits the numbers of the segments of the window, each as a subject.
func (w *writer) addSegments(all []document.SegmentResult) {
	for i := range all {
		s := &all[i]
		part := w.newPartWriter(s.Name, "Segment")
		part.addTotal("Start", float64(s.FromSeconds), "s")
		part.addTotal("Duration", float64(s.Seconds), "s")
		part.addTotal("Offered", s.OfferedPerSecond, unitOf(v1alpha1.MetricThroughput, s.Summary.Unit))
		if s.Clients > 0 {
			part.addTotal("Clients", s.Clients, "clients")
		}
		part.addTotal("Planned", float64(s.Planned), s.Summary.Unit)
		part.addSummary(&s.Summary)
		w.addOperations(s.Operations, s.Summary.Unit, s.Name+"/", "SegmentOperation")
	}
}

// addOperations emits the numbers of the kinds of operations of a mix, each as a subject that begins with the segment if it is of one.
func (w *writer) addOperations(all []measurement.OperationSummary, unit, segment, prefix string) {
	for i := range all {
		o := &all[i]
		part := w.newPartWriter(segment+o.Name, prefix)
		part.addTotal("Share", o.Share, "1")
		part.addTotal("Completed", float64(o.Completed), unit)
		part.addTotal("Failed", float64(o.Failed), unit)
		part.addTotal(string(v1alpha1.MetricErrorShare), o.ErrorShare, "1")
		part.addTotal(string(v1alpha1.MetricThroughput), o.ThroughputPerSecond, unitOf(v1alpha1.MetricThroughput, unit))
		if o.Latency.Max > 0 {
			part.addLatency("Latency", &o.Latency)
		}
	}
}

// addSummary emits the numbers of the whole window, or of a segment. Latencies exist only if an operation succeeded.
func (w *writer) addSummary(s *measurement.Summary) {
	w.addTotal(string(v1alpha1.MetricThroughput), s.ThroughputPerSecond, unitOf(v1alpha1.MetricThroughput, s.Unit))
	w.addTotal("Completed", float64(s.Completed), s.Unit)
	w.addTotal("Requests", float64(s.Requests), s.Unit)
	w.addTotal("Errors", float64(s.Errors), s.Unit)
	w.addTotal(string(v1alpha1.MetricErrorShare), s.ErrorShare, "1")
	if s.Requests > s.Errors {
		w.addLatency("Latency", &s.Latency)
	}
	if s.Corrected != nil {
		w.addLatency("CorrectedLatency", &s.Corrected.Latency)
	}
	if s.Finality != nil {
		w.addLatency("Finality", &s.Finality.Latency)
	}
	for _, m := range s.Measures {
		w.addTotal(m.Name, m.Value, m.Unit)
	}
}

// addPhases emits the phases of sampled operations, each as a subject.
func (w *writer) addPhases(p *measurement.OperationPhases) {
	if p == nil {
		return
	}
	for i := range p.Phases {
		phase := &p.Phases[i]
		for _, m := range []struct {
			name  string
			value *float64
		}{{"PhaseMean", &phase.Mean}, {"PhaseP50", phase.P50}, {"PhaseP95", phase.P95}, {"PhaseP99", phase.P99}} {
			w.addValue(Row{Subject: phase.Name, Metric: m.name, Unit: millis}, measurement.ValueOrMissing(m.value))
		}
		w.addValue(Row{Subject: phase.Name, Metric: "PhaseShare", Unit: "1"}, phase.Share)
	}
}

func (w *writer) addLatency(prefix string, l *measurement.Latency) {
	for _, v := range l.Values() {
		w.addTotal(prefix+v.Name, measurement.ValueOrMissing(v.Millis), millis)
	}
}

// addQuantiles emits the latency distribution: the quantiles that enough latencies support.
func (w *writer) addQuantiles(r *document.RunResult) error {
	if r.Histogram == "" {
		return nil
	}
	h, err := r.DecodeHistogram()
	if err != nil {
		return fmt.Errorf("read histogram of run %s: %w", r.Run.Name, err)
	}
	if h.Count() == 0 {
		return nil
	}
	for _, bracket := range h.Counts().CumulativeDistribution() {
		if h.Count() >= measurement.SamplesForPercentile(bracket.Quantile) && bracket.Quantile < 100 {
			of := Row{Metric: "LatencyQuantile", Unit: millis, Quantile: new(bracket.Quantile / 100)}
			w.addValue(of, float64(bracket.ValueAt)/1000)
		}
	}
	return nil
}
