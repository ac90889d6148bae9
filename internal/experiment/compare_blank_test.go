package experiment

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// TestComparisonOfBlankPercentileIsUndecided compares a metric that some valid runs lack. The runs that have it
// would be a selection, and would pass the gate.
func TestComparisonOfBlankPercentileIsUndecided(t *testing.T) {
	spec := &v1alpha1.Comparison{Baseline: "a", Metrics: []v1alpha1.Metric{v1alpha1.MetricThroughput, v1alpha1.MetricLatencyP99},
		Gates: []v1alpha1.Gate{{Metric: v1alpha1.MetricThroughput, MaxRegressionPercent: resource.MustParse("5")},
			{Metric: v1alpha1.MetricLatencyP99, MaxRegressionPercent: resource.MustParse("5")}}}
	points := []Point{{Name: "p01", Variant: "a"}, {Name: "p02", Variant: "b"}}
	for _, lacking := range []string{"p01", "p02"} {
		t.Run(lacking, func(t *testing.T) {
			var runs []Run
			for i := range 12 {
				run := Run{Point: points[i%2].Name, Repetition: 1 + i/2, Verdict: RunValid, Metrics: map[string]float64{"Throughput": float64(100 + i), "LatencyP99": float64(100 + i)}}
				if run.Point == lacking && i < 4 {
					delete(run.Metrics, "LatencyP99")
				}
				runs = append(runs, run)
			}
			outcomes := compareUnpaired(spec, points, runs, nil)
			if outcomes[0].Gate != v1alpha1.GatePassed {
				t.Errorf("throughput is known in all runs: %+v", outcomes[0])
			}
			if p99 := outcomes[1]; p99.Gate != v1alpha1.GateUndecided || !strings.Contains(p99.Message, "p99 latency is blank in 2 of 6 valid runs") {
				t.Errorf("gate %s, %q", p99.Gate, p99.Message)
			}
		})
	}
}

// TestTrialWithoutPercentile judges 60 latencies, whose p95 is blank, by a limit of 50 ms: three of them may lie
// above it, as 5 % of many may. The largest of few skewed latencies would miss almost any level. Without a histogram
// the run is no evidence, since a blank percentile is no latency of 0.
func TestTrialWithoutPercentile(t *testing.T) {
	spec := newSearchSpec(1, 100, 50*time.Millisecond)
	for name, c := range map[string]struct {
		beyond int
		want   loadVerdict
	}{"all within": {0, loadMeetsLevel}, "three beyond": {3, loadMeetsLevel}, "four beyond": {4, loadMissesLevel}, "no histogram": {-1, loadUndecided}} {
		t.Run(name, func(t *testing.T) {
			r := &document.RunResult{Summary: measurement.Summary{Requests: 60, ThroughputPerSecond: 1, Latency: measurement.Latency{Mean: 10, Max: 200}}}
			if c.beyond >= 0 {
				r.Histogram = encodeLatencies(t, 60-c.beyond, c.beyond)
			}
			l := loadCriterion{spec: spec, model: v1alpha1.LoadClosed}
			trial := newTrial(1, SummarizeRun(r), spec, v1alpha1.Workload{Load: &v1alpha1.Load{Model: v1alpha1.LoadClosed}})
			if got := l.judgeTrials([]Trial{trial})[0].verdict; got != c.want {
				t.Errorf("verdict %v, want %v", got, c.want)
			}
		})
	}
}

// encodeLatencies returns a histogram of so many latencies of 10 ms and of 200 ms.
func encodeLatencies(t *testing.T, short, long int) string {
	t.Helper()
	h := measurement.NewHistogram()
	for i := range short + long {
		micros := int64(10_000)
		if i >= short {
			micros = 200_000
		}
		if err := h.Record(micros); err != nil {
			t.Fatal(err)
		}
	}
	text, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}
