package progress

import (
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

func TestDrawSparkline(t *testing.T) {
	for want, values := range map[string][]float64{
		"":         nil,
		"▁▁":       {0, 0},
		"▁▂▃▄▅▆▇█": {0, 1, 2, 3, 4, 5, 6, 7},
		"█ ▅":      {100, -1, 50},
	} {
		t.Run(want, func(t *testing.T) {
			if got := drawSparkline(values); got != want {
				t.Errorf("%v is drawn as %q, want %q", values, got, want)
			}
		})
	}
}

func TestMeasuringRunLineHasSparklines(t *testing.T) {
	high, low := int64(80_000), int64(40_000)
	for name, c := range map[string]struct {
		recent []v1alpha1.RecentLoad
		want   string
	}{
		"both": {[]v1alpha1.RecentLoad{{Seconds: 5, Completed: 400, P95Microseconds: &high}, {Seconds: 10, Completed: 200, P95Microseconds: &low}},
			"Measuring · 50 % · 41.2 flows/s █▅ · p95 40.0 ms █▅"},
		"no latency": {[]v1alpha1.RecentLoad{{Seconds: 5, Completed: 400}, {Seconds: 15, Completed: 400}}, "Measuring · 50 % · 41.2 flows/s █▅"},
		"none":       {nil, "Measuring · 50 % · 41.2 flows/s"},
	} {
		t.Run(name, func(t *testing.T) {
			run := newMeasuringRun()
			run.Status.Recent = c.recent
			if l := runLine(&run, startTime.Add(60*time.Second)); l.Text != c.want || l.LogText != "Measuring" {
				t.Errorf("the line is %q, logged as %q; want %q", l.Text, l.LogText, c.want)
			}
		})
	}
}

func TestSparklinesAreShort(t *testing.T) {
	p95 := int64(1)
	steps := make([]v1alpha1.RecentLoad, 60)
	for i := range steps {
		steps[i] = v1alpha1.RecentLoad{Seconds: int32(5 * i), Completed: 1, P95Microseconds: &p95}
	}
	throughput, latency := recentCharts(steps)
	if n, m := strings.Count(throughput, "█"), strings.Count(latency, "█"); n != maxSparkSteps || m != maxSparkSteps {
		t.Errorf("%d and %d characters, want the last %d steps", n, m, maxSparkSteps)
	}
}
