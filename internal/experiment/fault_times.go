package experiment

import (
	"slices"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/objectives"
	"github.com/benchnet/benchnet/internal/run/resilience"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// maxFaults is the number of faults that a workload may have.
const maxFaults = 16

// FaultTime is a time of a fault of a run. A fault that is not proved has none, and one whose throughput was not compared only the outage.
type FaultTime struct {
	Fault  string          `json:"fault"`
	Metric v1alpha1.Metric `json:"metric"`
	resilience.Time
}

// PointFaultTime is a time of a fault at a point.
type PointFaultTime struct {
	Fault  string          `json:"fault"`
	Metric v1alpha1.Metric `json:"metric"`
	// MedianEstimate is in seconds, over the valid runs with that time.
	statistics.MedianEstimate
}

// faultTimesOf returns the times of the faults of a run.
func faultTimesOf(r *document.RunResult) []FaultTime {
	var times []FaultTime
	for _, f := range r.Faults[:min(len(r.Faults), maxFaults)] {
		if f.Score == nil {
			continue
		}
		for _, metric := range v1alpha1.FaultMetrics {
			if t, known := objectives.FaultTime(f.Score, metric); known {
				times = append(times, FaultTime{limits.Truncate(f.Name, maxTextBytes), metric, t})
			}
		}
	}
	return times
}

// estimateFaultTimes returns the medians of each time of the valid runs, in the order of the faults of the first run that has them.
func estimateFaultTimes(runs []Run, confidence float64) []PointFaultTime {
	var all []PointFaultTime
	var values [][]float64
	var censored [][]bool
	for i := range runs {
		if runs[i].Verdict != RunValid {
			continue
		}
		for _, t := range runs[i].FaultTimes {
			at := slices.IndexFunc(all, func(p PointFaultTime) bool { return p.Fault == t.Fault && p.Metric == t.Metric })
			if at < 0 {
				at = len(all)
				all = append(all, PointFaultTime{Fault: t.Fault, Metric: t.Metric})
				values, censored = append(values, nil), append(censored, nil)
			}
			values[at], censored[at] = append(values[at], t.Seconds), append(censored[at], t.Censored)
		}
	}
	for i := range all {
		all[i].MedianEstimate = statistics.EstimateMedian(values[i], censored[i], confidence)
	}
	return all
}

// comparedMetric is a metric of the whole window, or of the named fault or segment.
type comparedMetric struct {
	v1alpha1.Metric
	fault, segment string
}

// formatScope returns fault/NAME or segment/NAME; empty for the whole window.
func (m comparedMetric) formatScope() string {
	switch {
	case m.fault != "":
		return objectives.FaultScope(m.fault)
	case m.segment != "":
		return objectives.SegmentScope(m.segment)
	}
	return ""
}

// formatLabel returns the metric for people.
func (m comparedMetric) formatLabel() string {
	if m.fault+m.segment == "" {
		return metricLabels[m.Metric]
	}
	return metricLabels[m.Metric] + " of " + m.fault + m.segment
}

// listFaults returns the names of the faults of which a run of the results has a time, sorted. A result may be nil.
func listFaults(results ...*Result) []string {
	var faults []string
	for _, r := range results {
		if r == nil {
			continue
		}
		for i := range r.Runs {
			for _, t := range r.Runs[i].FaultTimes {
				if !slices.Contains(faults, t.Fault) {
					faults = append(faults, t.Fault)
				}
			}
		}
	}
	slices.Sort(faults)
	return faults[:min(len(faults), maxFaults)]
}

// expandMetrics returns the metrics of a comparison: each of the window and of the scopes, but in place of each metric of faults one for
// each fault that a run of the results has.
func expandMetrics(c *v1alpha1.Comparison, results ...*Result) []comparedMetric {
	var faults []string
	if slices.ContainsFunc(c.Metrics, v1alpha1.Metric.IsOfFault) {
		faults = listFaults(results...)
	}
	var all []comparedMetric
	for _, metric := range c.Metrics {
		if metric.IsOfFault() && len(faults) > 0 {
			for _, fault := range faults {
				all = append(all, comparedMetric{Metric: metric, fault: fault})
			}
			continue
		}
		all = append(all, comparedMetric{Metric: metric})
		for _, scope := range c.Scopes {
			if !metric.IsOfFault() {
				all = append(all, comparedMetric{Metric: metric, segment: strings.TrimPrefix(scope, objectives.SegmentScope(""))})
			}
		}
	}
	return all
}

// valueOf returns the value of a metric, and whether the run has it. That of a censored time is its lower bound.
func (r *Run) valueOf(m comparedMetric) (float64, bool) {
	if !m.IsOfFault() {
		v, measured := r.metricsOf(m.segment)[string(m.Metric)]
		return v, measured
	}
	if t := r.findFaultTime(m); t != nil {
		return t.Seconds, true
	}
	return 0, false
}

func (r *Run) findFaultTime(m comparedMetric) *FaultTime {
	at := slices.IndexFunc(r.FaultTimes, func(t FaultTime) bool { return t.Fault == m.fault && t.Metric == m.Metric })
	if at < 0 {
		return nil
	}
	return &r.FaultTimes[at]
}

// countCensored returns the number of valid runs of which only a lower bound of the metric is known.
func (p pointRuns) countCensored(m comparedMetric) int {
	n := 0
	for i := range p.counted {
		if t := p.counted[i].findFaultTime(m); t != nil && t.Censored && p.counted[i].Verdict == RunValid {
			n++
		}
	}
	return n
}
