package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/resilience"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// readRecordedRun reads the result of a real run.
func readRecordedRun(t testing.TB, file string) *document.RunResult {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := document.DecodeRunResult(content)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return r
}

// readRecordedExperiment reads the result of an experiment that was measured.
func readRecordedExperiment(t testing.TB, file string) *experiment.Result {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	e, err := experiment.Decode(content)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return e
}

// newBlockSizeGrid returns an experiment of real runs: Malachite networks with several block sizes and two ways
// of sending blocks. The runs are named <network>-r<repetition>, the networks g-<size>-<variant>.
func newBlockSizeGrid(t testing.TB) (*experiment.Result, map[string]*document.RunResult) {
	t.Helper()
	e := &experiment.Result{
		APIVersion: experiment.APIVersion, Kind: experiment.Kind, SchemaVersion: experiment.SchemaVersion,
		Experiment: experiment.Identity{Namespace: "bench", Name: "block-size"}, Strategy: "Compare", Order: "Listed", Seed: 7, Confidence: 0.95,
		Axes:     []experiment.Axis{{Name: "blockSize", Field: "network.platform.malachite.blockSize", Values: []string{"16Ki", "128Ki", "512Ki"}}},
		Variants: []string{"parts", "whole"},
	}
	runs := map[string]*document.RunResult{}
	for i, size := range e.Axes[0].Values {
		for j, variant := range e.Variants {
			network := "g-" + strings.ToLower(size) + "-" + variant
			p := experiment.Point{Name: fmt.Sprintf("p%02d", 2*i+j+1), Network: network, Variant: variant, Unit: "blocks",
				Parameters: []experiment.Parameter{{Name: "blockSize", Value: size}}}
			files, _ := filepath.Glob("testdata/grid/" + network + "-r*.json.gz")
			for n, file := range files {
				r := readRecordedRun(t, file)
				run := experiment.SummarizeRun(r)
				run.Point, run.Repetition, run.Attempt = p.Name, n+1, 1
				e.Runs = append(e.Runs, run)
				runs[run.Name] = r
			}
			addPointWithEstimates(e, p)
		}
	}
	if len(e.Runs) != 24 {
		t.Fatalf("found %d recorded runs, want 24", len(e.Runs))
	}
	e.Start, e.End = e.Runs[0].Start, e.Runs[len(e.Runs)-1].End
	e.Comparisons = experiment.CompareVariants(experiment.Question{Result: e, Spec: &v1alpha1.Comparison{Baseline: "parts", Metrics: []v1alpha1.Metric{
		v1alpha1.MetricThroughput, v1alpha1.MetricLatencyP50, v1alpha1.MetricLatencyP95}}})
	return e, runs
}

// addPointWithEstimates adds a point with the counts of its runs and the estimates of its metrics.
func addPointWithEstimates(e *experiment.Result, p experiment.Point) {
	own := runsOfPoint(e, p.Name)
	for _, r := range own {
		switch r.Verdict {
		case experiment.RunValid:
			p.Valid++
		case experiment.RunInvalid:
			p.Invalid++
		default:
			p.Failed++
		}
	}
	p.Metrics = experiment.EstimateMetrics(own, 0, e.Confidence)
	e.Points = append(e.Points, p)
}

// newSimulatedSearch returns a saturation search of a simulated system with one server: throughput is at most
// 50 per second, and the latency is the number of clients divided by the throughput.
func newSimulatedSearch() *experiment.Result {
	e := &experiment.Result{
		Experiment: experiment.Identity{Namespace: "bench", Name: "search"}, Strategy: "Saturation", Order: "Listed", Seed: 1, Confidence: 0.95,
		ServiceLevel: &experiment.ServiceLevel{Metric: "LatencyP95", LatencyMillis: 500, MaxErrorShare: 0.001},
		Start:        time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	random := rand.New(rand.NewPCG(1, 2))
	found := experiment.Saturation{Name: "template", Load: 16, Unmet: 18, Knee: 5, Message: "3 runs at 16 met the level, 3 at 18 did not"}
	for _, load := range []int64{1, 2, 4, 8, 14, 16, 18, 32} {
		p := experiment.Point{Name: fmt.Sprintf("p01-l%d", load), Network: "search-n1", Unit: "flows", Bottleneck: "member-0 CPU",
			Parameters: []experiment.Parameter{{Name: "load", Value: fmt.Sprint(load)}}}
		for i := range 3 {
			throughput := math.Min(10*float64(load), 50) * (1 + 0.03*random.NormFloat64())
			mean := 1000 * float64(load) / throughput
			e.Runs = append(e.Runs, experiment.Run{
				Name: fmt.Sprintf("search-%s-r%d", p.Name, i+1), Point: p.Name, Repetition: i + 1, Attempt: 1, Verdict: experiment.RunValid, Unit: "flows",
				Start: e.Start.Add(time.Duration(len(e.Runs)) * time.Minute), Metrics: map[string]float64{
					"Throughput": throughput, "LatencyMean": mean, "LatencyP50": 0.9 * mean, "LatencyP95": 1.5 * mean, "LatencyP99": 2 * mean, "ErrorShare": 0,
				},
			})
		}
		if load == 8 {
			e.Runs[len(e.Runs)-1].Verdict, e.Runs[len(e.Runs)-1].Reasons = experiment.RunInvalid, []string{"member-0 was restarted"}
		}
		addPointWithEstimates(e, p)
		found.Points = append(found.Points, p.Name)
	}
	e.Saturation = []experiment.Saturation{found}
	e.End = e.Start.Add(30 * time.Minute)
	return e
}

// newVariantComparison returns the part of newBlockSizeGrid with the smallest blocks, as an experiment with
// only variants. Each has an additional run, one invalid and one failed, and a gate fails.
func newVariantComparison(t testing.TB) (*experiment.Result, map[string]*document.RunResult) {
	t.Helper()
	e, runs := newBlockSizeGrid(t)
	e.Experiment.Name, e.Axes, e.Points, e.Runs = "ways", nil, e.Points[:2], e.Runs[:8]
	restarted := e.Runs[0]
	restarted.Name, restarted.Repetition, restarted.Verdict, restarted.Reasons = "g-16ki-parts-r5", 5, experiment.RunInvalid, []string{"member-0 was restarted"}
	failed := experiment.NewFailedRun("g-16ki-whole-r5", "no worker was ready in time", e.Runs[7].End)
	failed.Point, failed.Repetition = e.Runs[7].Point, 5
	e.Runs = append(slices.Clone(e.Runs), restarted, failed)
	points := e.Points
	e.Points = nil
	for _, p := range points {
		p.Parameters, p.Valid = nil, 0
		addPointWithEstimates(e, p)
	}
	e.Comparisons = experiment.CompareVariants(experiment.Question{Result: e, Spec: &v1alpha1.Comparison{
		Baseline: "whole", ConfidencePercent: 80, Metrics: []v1alpha1.Metric{v1alpha1.MetricThroughput},
		Gates: []v1alpha1.Gate{{Metric: v1alpha1.MetricThroughput, MaxRegressionPercent: resource.MustParse("5")}},
	}})
	return e, runs
}

// newCrowdedRun returns a real run repeated three times: 180 s, 12 members, and failed requests.
func newCrowdedRun(t testing.TB) *document.RunResult {
	t.Helper()
	r := readRecordedRun(t, "testdata/malachite.json.gz")
	r.Run.Name, r.Times.WindowSeconds = "crowd", 180
	r.Series.CompletedPerSecond = slices.Repeat(r.Series.CompletedPerSecond, 3)
	r.Series.FailedPerSecond = make([]int64, 180)
	r.Series.FailedPerSecond[100] = 7
	for i, m := range r.Members {
		m.CPUSeconds, m.MemoryBytes = slices.Repeat(m.CPUSeconds, 3), slices.Repeat(m.MemoryBytes, 3)
		m.CPUSeconds[50], m.CPUSeconds[52] = measurement.Missing, measurement.Missing
		r.Members[i] = m
	}
	r.Members = slices.Repeat(r.Members, 3)
	return r
}

// newProfiledRun returns a real run with the segments and the workload of a profile.
func newProfiledRun(t testing.TB) *document.RunResult {
	t.Helper()
	r := readRecordedRun(t, "testdata/malachite.json.gz")
	r.Workload = []byte(`{"load": {"model": "Open", "rates": [{"seconds": 30, "fromPerSecond": 10, "toPerSecond": 10},
		{"seconds": 20, "fromPerSecond": 10, "toPerSecond": 10}, {"seconds": 40, "fromPerSecond": 10, "toPerSecond": 50}]},
		"measure": {"warmUpSeconds": 30, "windowSeconds": 60}}`)
	r.Segments = []document.SegmentResult{
		{Segment: measurement.Segment{Name: "base", Seconds: 20, OfferedPerSecond: 10, Constant: true}, Planned: 200,
			Summary: measurement.Summary{ThroughputPerSecond: 9.9, Completed: 198, Requests: 200, Errors: 2, ErrorShare: 0.01,
				Latency: measurement.Latency{Mean: 21, P50: new(20.0), P95: new(30.0), Max: 40}}},
		{Segment: measurement.Segment{Name: "climb", FromSeconds: 20, Seconds: 40, OfferedPerSecond: 30}, Planned: 1200},
	}
	return r
}

// newFaultyRun returns a profiled run with a fault that is proved and one that is not.
func newFaultyRun(t testing.TB) *document.RunResult {
	t.Helper()
	r := newProfiledRun(t)
	r.Availability = &resilience.Availability{FromSeconds: 30, Problem: "only in an open loop"}
	r.Faults = []document.FaultResult{
		{Name: "kill-notary", Type: measurement.FaultKill, AtSeconds: 30, DurationSeconds: 5,
			Targets: []document.FaultTarget{{Member: "notary", FaultEffect: measurement.FaultEffect{
				Injected: &measurement.Bracket{FromSeconds: 30.002, ToSeconds: 30.014}, Healed: &measurement.Bracket{FromSeconds: 35.003, ToSeconds: 35.02},
				Before: "pid 7, started at tick 90", During: "ended by signal 9; no process left", After: "pid 93, started at tick 4711"}}},
			Score: &resilience.Score{BaselinePerSecond: 9.9, BaselineGapSeconds: 1, OutageSeconds: 6, BinSeconds: 2,
				Effect: resilience.Effect{ImpactSeconds: new(0.998), CensoredSeconds: 29.998}, DegradationSeconds: 20.5}},
		{Name: "pause", Type: measurement.FaultPause, AtSeconds: 45, DurationSeconds: 4, Targets: []document.FaultTarget{
			{Member: "db-0", Kind: measurement.KindDatabase, FaultEffect: measurement.FaultEffect{
				Injected: &measurement.Bracket{FromSeconds: 45, ToSeconds: 45.5}, Problem: "process 9 was not stopped"}},
		}},
	}
	return r
}

// hostileName is a name with HTML injection.
const hostileName = `</script><script>alert(1)</script>"'><img src=x onerror=alert(1)>&{{.}}`

// newHostileRun returns a real run whose names contain HTML injection.
func newHostileRun(t testing.TB) *document.RunResult {
	t.Helper()
	r := readRecordedRun(t, "testdata/malachite.json.gz")
	r.Run.Name, r.Run.Network, r.Run.Workload, r.Summary.Unit = hostileName, hostileName, hostileName, hostileName
	for i := range r.Members {
		r.Members[i].Member = hostileName
	}
	for i := range r.Recorded {
		r.Recorded[i].Name, r.Recorded[i].Subject, r.Recorded[i].Unit = hostileName, hostileName, hostileName
	}
	r.Phases = &measurement.OperationPhases{Operations: 1, MeanMillis: 2, Phases: []measurement.Phase{{Name: hostileName, Operations: 1, Share: 1}}}
	r.Segments = []document.SegmentResult{{Segment: measurement.Segment{Name: hostileName}}}
	r.Faults = []document.FaultResult{
		{Name: hostileName, Type: hostileName, Targets: []document.FaultTarget{{Member: hostileName, FaultEffect: measurement.FaultEffect{Problem: hostileName}}}},
		{Name: hostileName, Targets: []document.FaultTarget{{FaultEffect: measurement.FaultEffect{Injected: &measurement.Bracket{}, Healed: &measurement.Bracket{}}}},
			Score: &resilience.Score{Problem: hostileName}},
	}
	r.Operations = []measurement.OperationSummary{{Name: hostileName}}
	r.Labels = []measurement.LabelCount{{Label: hostileName, Requests: 2, Errors: 1}}
	r.Errors = []measurement.ErrorCount{{Kind: hostileName, Count: 1, Example: hostileName + "\x00\u2028\u202e"}}
	r.Verdict.Reasons = []verdict.Reason{{Code: hostileName, Subject: hostileName, Message: hostileName}}
	r.Environment.Settings = map[string]string{hostileName: hostileName}
	r.Workload = []byte(`{"name": "</script><script>alert(1)</script>"}`)
	return r
}
