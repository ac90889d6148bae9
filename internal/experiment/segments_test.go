package experiment

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// newSegmentRun returns a valid run with a throughput of 100, and one of the segment peak unless that is 0.
func newSegmentRun(point string, repetition int, peak float64) Run {
	run := Run{Name: fmt.Sprint(point, repetition), Point: point, Repetition: repetition, Verdict: RunValid, Metrics: map[string]float64{"Throughput": 100}}
	if peak > 0 {
		run.Segments = []RunSegment{{"peak", map[string]float64{"Throughput": peak}}}
	}
	return run
}

// TestCompareBySegment compares the throughput of the window, which is equal, and of a segment, each with a gate of its own.
func TestCompareBySegment(t *testing.T) {
	spec := newComparisonSpec(v1alpha1.MetricThroughput, "5")
	spec.Scopes = []string{"segment/peak"}
	spec.Gates = append(spec.Gates, v1alpha1.Gate{Metric: v1alpha1.MetricThroughput, Scope: "segment/peak", MaxRegressionPercent: resource.MustParse("20")})
	for name, c := range map[string]struct {
		peak    float64
		gate    v1alpha1.GateOutcome
		message string
	}{
		"equal":     {50, "Passed", "throughput of peak +0.0 %"},
		"a tenth":   {45, "Passed", "throughput of peak -10.0 %"},
		"a half":    {25, "Failed", "regression > 20 % at 95 %: throughput of peak -50.0 %"},
		"not there": {0, "Undecided", "throughput of peak is blank in 6 of 6 valid runs of the candidate, which have too few latencies in the segment, or lack it"},
	} {
		t.Run(name, func(t *testing.T) {
			points := []Point{{Name: "p01", Variant: "base"}, {Name: "p02", Variant: "other"}}
			var runs []Run
			for i := range 6 {
				noise := 1 + 0.001*float64(i)
				runs = append(runs, newSegmentRun("p01", 1+i, 50*noise), newSegmentRun("p02", 1+i, c.peak*noise))
			}
			outcomes := compareUnpaired(spec, points, runs, nil)
			if len(outcomes) != 2 || outcomes[0].Scope != "" || outcomes[0].Gate != "Passed" {
				t.Fatalf("%+v", outcomes)
			}
			if o := outcomes[1]; o.MetricName() != "Throughput of segment/peak" || o.Gate != c.gate || !strings.Contains(o.Message, c.message) {
				t.Errorf("%s: gate %s, %q", o.MetricName(), o.Gate, o.Message)
			}
		})
	}
}

// TestSegmentsOfRuns checks which metrics the segments of a run have, and the estimates at a point without its invalid run.
func TestSegmentsOfRuns(t *testing.T) {
	run := SummarizeRun(&document.RunResult{Segments: []document.SegmentResult{{Segment: measurement.Segment{Name: "peak"},
		Summary: measurement.Summary{ThroughputPerSecond: 40, Requests: 200, Latency: measurement.Latency{Mean: 20, P90: new(30.0), P95: new(40.0)}}}}})
	if want := map[string]float64{"Throughput": 40, "ErrorShare": 0, "LatencyMean": 20, "LatencyP90": 30, "LatencyP95": 40}; !reflect.DeepEqual(run.metricsOf("peak"), want) {
		t.Errorf("metrics %v, want %v", run.metricsOf("peak"), want)
	}
	run.Verdict = RunValid
	invalid := newSegmentRun("p01", 3, 7)
	invalid.Verdict = RunInvalid
	got := estimateSegments([]Run{invalid, run, newSegmentRun("p01", 2, 60), newSegmentRun("p01", 4, 0)}, 0, 0.95)
	if len(got) != 1 || got[0].Segment != "peak" || len(got[0].Metrics) != 3 || got[0].Metrics["Throughput"].Mean != 50 || got[0].Metrics["LatencyP95"].N != 1 {
		t.Errorf("%+v", got)
	}
}

// TestHostileSegments decodes documents with segments that no run can have.
func TestHostileSegments(t *testing.T) {
	for name, c := range map[string]struct{ segments, want string }{
		"zero":     {`{"metrics": {"Throughput": 0}}`, ""},
		"negative": {`{"segment": "peak", "metrics": {"Throughput": -1}}`, "runs[0].segments[0].metrics.Throughput is -1"},
		"too many": {strings.Repeat("{},", measurement.MaxSegments) + "{}", "runs[0].segments has 33 items"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Decode([]byte(`{"apiVersion": "benchnet.dev/v1alpha1", "kind": "ExperimentResult", "schemaVersion": 2, "runs": [{"segments": [` + c.segments + `]}]}`))
			if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
