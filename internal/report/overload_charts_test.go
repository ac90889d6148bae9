package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// newRateSweep returns a sweep of the offered rate. The network keeps up to 10 per second. At 20 its runs are
// invalid, except for one.
func newRateSweep(t testing.TB) *experiment.Result {
	t.Helper()
	e := &experiment.Result{Experiment: experiment.Identity{Namespace: "bench", Name: "rates"}, Strategy: "Grid", Confidence: 0.95,
		Axes: []experiment.Axis{{Name: "users", Field: rateField, Values: []string{"1", "5", "10", "20", "40"}}}}
	for i, rate := range []float64{1, 5, 10, 20, 40} {
		p := experiment.Point{Name: fmt.Sprintf("p%02d", i+1), Unit: "flows", LatencyKind: measurement.ResponseTime,
			Parameters: []experiment.Parameter{{Name: "users", Value: fmt.Sprint(rate)}}}
		for n := range 3 {
			run := experiment.Run{Name: fmt.Sprintf("rates-%s-r%d", p.Name, n+1), Point: p.Name, Verdict: experiment.RunValid, Unit: "flows",
				Metrics: map[string]float64{"Throughput": min(rate, 11), "LatencyP50": 50 + float64(n), "LatencyP95": 100, "LatencyP99": 200}}
			if rate > 11 && (rate > 20 || n > 0) {
				run.Verdict, run.Codes, run.Reasons = experiment.RunInvalid, []verdict.ReasonCode{verdict.ReasonOfferedNotAchieved}, []string{"overloaded"}
				p.Overloaded++
			}
			e.Runs = append(e.Runs, run)
		}
		addPointWithEstimates(e, p)
	}
	return e
}

// TestOverloadIsNotBest checks that the headline of a sweep is the highest rate that the network kept up with,
// although a run beyond it has a higher throughput.
func TestOverloadIsNotBest(t *testing.T) {
	e := newRateSweep(t)
	if best := findBestPoint(e); best == nil || best.Name != "p03" {
		t.Errorf("the best point is %+v", best)
	}
	text := strings.Join(summarizeExperiment(e), " ")
	for _, want := range []string{"Highest throughput: 10 flows per second", "did not keep up with the offered rate at users 20, users 40."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
}

func TestSweepChartsShowOverload(t *testing.T) {
	charts := sweepCharts(newRateSweep(t), findSweeps(newRateSweep(t))[0])
	for i, want := range []string{"overload, offered = achieved", "overload, p50, p95, p99"} {
		t.Run(charts[i].Name, func(t *testing.T) {
			var names []string
			for _, m := range charts[i].Marks {
				if m.Legend != "" {
					names = append(names, m.Legend)
				}
			}
			if got := strings.Join(names, ", "); got != want {
				t.Errorf("the legend is %q, want %q", got, want)
			}
			if charts[i].Y.Log != (i == 1) {
				t.Errorf("logarithmic axis: %t", charts[i].Y.Log)
			}
		})
	}
}

// TestChartsOfAbsentPercentiles checks that a percentile that no run has gets no chart.
func TestChartsOfAbsentPercentiles(t *testing.T) {
	e := newRateSweep(t)
	for i := range e.Runs {
		delete(e.Runs[i].Metrics, "LatencyP99")
	}
	for i := range e.Points {
		delete(e.Points[i].Metrics, "LatencyP99")
	}
	var names []string
	for _, c := range barCharts(e, findSweeps(e)[0]) {
		names = append(names, c.Name)
	}
	if want := "[throughput-by-users latencyp50-by-users latencyp95-by-users]"; !strings.EqualFold(fmt.Sprint(names), want) {
		t.Errorf("the charts are %v, want %s", names, want)
	}
}
