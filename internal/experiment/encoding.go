package experiment

import (
	"fmt"
	"maps"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/boundedjson"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// Encode returns a result as gzipped JSON. It drops details of the runs until the document fits;
// docs/experiments.md has the rule.
func Encode(r *Result) ([]byte, error) {
	shortened := *r
	shortened.Runs = slices.Clone(r.Runs)
	steps := []func(){shortened.dropReasons, shortened.shortenUnusedRuns, shortened.dropParts}
	return boundedjson.PackWithCoarsening(&shortened, "experiment result", func() bool {
		if len(steps) == 0 {
			return false
		}
		steps[0]()
		steps = steps[1:]
		return true
	})
}

// dropReasons drops the reasons why runs are invalid or failed, and their notes. The runs' own results contain
// them, and points still count the notes.
func (r *Result) dropReasons() {
	for i := range r.Runs {
		r.Runs[i].Reasons, r.Runs[i].Notes = nil, nil
	}
}

// shortenUnusedRuns drops all of an invalid or failed run but its place, start and verdict, which decide whether it counts
// as a failure, and the places of the other runs in a trend.
func (r *Result) shortenUnusedRuns() {
	for i, run := range r.Runs {
		if run.Verdict != RunValid {
			r.Runs[i] = Run{Point: run.Point, Repetition: run.Repetition, Attempt: run.Attempt, Start: run.Start, Verdict: run.Verdict, Excluded: run.Excluded}
		}
	}
}

// dropParts drops the times of faults and the metrics of segments, of which the points have medians and estimates.
func (r *Result) dropParts() {
	for i := range r.Runs {
		r.Runs[i].FaultTimes, r.Runs[i].Segments = nil, nil
	}
}

// Decode decodes the output of Encode, gzipped or as plain JSON. It rejects a document of another kind or of a
// newer schema, and one with numbers that no run can have measured.
func Decode(document []byte) (*Result, error) {
	var r Result
	if err := boundedjson.Decode(document, &r); err != nil {
		return nil, fmt.Errorf("experiment result: %w", err)
	}
	if r.APIVersion != APIVersion || r.Kind != Kind || r.SchemaVersion != SchemaVersion {
		return nil, fmt.Errorf("got %.40q %.40q schema %d, must be %s %s schema %d", r.APIVersion, r.Kind, r.SchemaVersion, APIVersion, Kind, SchemaVersion)
	}
	valid := map[string]int{}
	for i, run := range r.Runs {
		if run.Verdict == RunValid {
			valid[run.Point]++
		}
		if valid[run.Point] > maxRepetitions {
			return nil, fmt.Errorf("point %.40q has more than %d valid runs", run.Point, maxRepetitions)
		}
		if err := checkMeasurable(run.Metrics); err != nil {
			return nil, fmt.Errorf("runs[%d].%w", i, err)
		}
		if len(run.Segments) > measurement.MaxSegments {
			return nil, fmt.Errorf("runs[%d].segments has %d items, at most %d are allowed", i, len(run.Segments), measurement.MaxSegments)
		}
		for k, s := range run.Segments {
			if err := checkMeasurable(s.Metrics); err != nil {
				return nil, fmt.Errorf("runs[%d].segments[%d].%w", i, k, err)
			}
		}
		if len(run.FaultTimes) > maxFaults*len(v1alpha1.FaultMetrics) {
			return nil, fmt.Errorf("runs[%d].faultTimes has %d items, at most %d are allowed", i, len(run.FaultTimes), maxFaults*len(v1alpha1.FaultMetrics))
		}
		for k, t := range run.FaultTimes {
			if !isMeasurable(t.Seconds) {
				return nil, fmt.Errorf("runs[%d].faultTimes[%d].seconds is %v, must be 0 or from %v to %v", i, k, t.Seconds, minMetricValue, maxMetricValue)
			}
		}
	}
	return &r, nil
}

// checkMeasurable fails if no run can have measured a metric.
func checkMeasurable(metrics map[string]float64) error {
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		if v := metrics[name]; !isMeasurable(v) {
			return fmt.Errorf("metrics.%s is %v, must be 0 or from %v to %v", name, v, minMetricValue, maxMetricValue)
		}
	}
	return nil
}

// isMeasurable reports whether a run can have measured the value.
func isMeasurable(v float64) bool { return v == 0 || v >= minMetricValue && v <= maxMetricValue }

// maxRepetitions is the largest number of runs of a point that spec.repetitions allows. Resampling takes time
// in proportion.
const maxRepetitions = 100

// Bounds of what a run can have measured, whatever the metric. Statistics stay finite within them.
const (
	minMetricValue = 1e-15
	maxMetricValue = 1e15
)
