package experiment

import (
	"maps"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// RunSegment has the metrics of a segment of a run, as in Run.
type RunSegment struct {
	Segment string             `json:"segment"`
	Metrics map[string]float64 `json:"metrics"`
}

// PointSegment has the SegmentMetrics of a segment at a point, as in Point.
type PointSegment struct {
	Segment string                         `json:"segment"`
	Metrics map[string]statistics.Estimate `json:"metrics"`
}

// SegmentMetrics are the metrics of segments that points have, in the order in which they are shown.
var SegmentMetrics = []v1alpha1.Metric{v1alpha1.MetricThroughput, v1alpha1.MetricLatencyP50, v1alpha1.MetricLatencyP95, v1alpha1.MetricLatencyP99,
	v1alpha1.MetricErrorShare}

// segmentsOf returns the metrics of the segments of a run.
func segmentsOf(r *document.RunResult) []RunSegment {
	var all []RunSegment
	for i := range r.Segments {
		s := &r.Segments[i]
		all = append(all, RunSegment{limits.Truncate(s.Name, maxTextBytes), runMetrics(&s.Summary)})
	}
	return all
}

// metricsOf returns the metrics of a segment, or of the whole window without a name; nil if the run lacks the segment.
func (r *Run) metricsOf(segment string) map[string]float64 {
	if segment == "" {
		return r.Metrics
	}
	for _, s := range r.Segments {
		if s.Segment == segment {
			return s.Metrics
		}
	}
	return nil
}

// estimateSegments returns the estimates of each segment over the valid runs, in the order of the first run that has them.
func estimateSegments(runs []Run, runsPerDeployment int, confidence float64) []PointSegment {
	var names []string
	for _, run := range runs {
		for _, s := range run.Segments {
			if run.Verdict == RunValid && !slices.Contains(names, s.Segment) {
				names = append(names, s.Segment)
			}
		}
	}
	var all []PointSegment
	for _, name := range names {
		parts := slices.Clone(runs)
		for i := range parts {
			parts[i].Metrics = parts[i].metricsOf(name)
		}
		estimates := EstimateMetrics(parts, runsPerDeployment, confidence)
		maps.DeleteFunc(estimates, func(metric string, _ statistics.Estimate) bool {
			return !slices.Contains(SegmentMetrics, v1alpha1.Metric(metric))
		})
		all = append(all, PointSegment{name, estimates})
	}
	return all
}
