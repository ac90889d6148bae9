package work

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// loadAt is the start of the load in these tests.
var loadAt = time.Unix(1000, 0)

// newLoadedWorker returns a worker of two with an open loop of 100 operations/s for 10 s, and the given progress.
func newLoadedWorker(t *testing.T, progress string) *Worker {
	t.Helper()
	w := &Worker{Dir: t.TempDir(), Workers: 2, Workload: &protocol.WorkloadFile[any]{
		Load: &protocol.OfferedLoad{RatePerSecond: 100}, Measure: protocol.MeasureTimes{WarmUpSeconds: 4, WindowSeconds: 6}}}
	w.window.Store(w.Workload.Measure.NewWindow(loadAt))
	if err := os.WriteFile(filepath.Join(w.Dir, protocol.ProgressFile), []byte(progress), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

func writtenMetrics(t *testing.T, w *Worker, now time.Time) string {
	t.Helper()
	var text strings.Builder
	if err := w.WriteLoadMetrics(&text, now); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

const goodTotals = `{"totals": {"latencyCounts": [1,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,4], "latencySumMicros": 2500000,
	"errors": {"a \"b\"\n\\": 3}}}`

func TestLoadMetrics(t *testing.T) {
	got := writtenMetrics(t, newLoadedWorker(t, goodTotals), loadAt.Add(3*time.Second))
	for _, want := range []string{
		"# TYPE benchnet_worker_latency_seconds histogram",
		`benchnet_worker_latency_seconds_bucket{le="0.001"} 1`,
		`benchnet_worker_latency_seconds_bucket{le="0.0018"} 3`,
		`benchnet_worker_latency_seconds_bucket{le="60"} 3`,
		`benchnet_worker_latency_seconds_bucket{le="+Inf"} 7`,
		"benchnet_worker_latency_seconds_sum 2.5",
		"benchnet_worker_latency_seconds_count 7",
		`benchnet_worker_errors_total{kind="Unfinished"} 0`,
		`benchnet_worker_errors_total{kind="a \"b\"\n\\"} 3`,
		"benchnet_worker_operations_due_total 150",
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// TestSegmentMetric checks that the metric names the segment of the window that the load is in, and is absent outside of the window.
func TestSegmentMetric(t *testing.T) {
	w := newLoadedWorker(t, "{}")
	w.Workload.Segments = []measurement.Segment{{Name: "low", Seconds: 2}, {Name: "high", FromSeconds: 2, Seconds: 4}}
	for at, want := range map[time.Duration]string{3999 * time.Millisecond: "", 4 * time.Second: "low", 6 * time.Second: "high",
		9999 * time.Millisecond: "high", 10 * time.Second: ""} {
		t.Run(at.String(), func(t *testing.T) {
			_, after, found := strings.Cut(writtenMetrics(t, w, loadAt.Add(at)), SegmentMetric.Name+"{")
			if found != (want != "") || found && !strings.HasPrefix(after, `segment="`+want+"\"} 1\n") {
				t.Errorf("got %q, want segment %q", after, want)
			}
		})
	}
}

func TestLoadMetricsOfBadProgress(t *testing.T) {
	for name, progress := range map[string]string{"no JSON": "{", "no totals": "{}", "too few buckets": `{"totals": {"latencyCounts": [1]}}`} {
		t.Run(name, func(t *testing.T) {
			got := writtenMetrics(t, newLoadedWorker(t, progress), loadAt)
			if strings.Contains(got, LatencyMetric.Name) || strings.Contains(got, ErrorsMetric.Name) || !strings.Contains(got, DueMetric.Name+" 0\n") {
				t.Errorf("got\n%s\nwant only what is due", got)
			}
		})
	}
}

// TestInvalidTotalsLeaveProgress checks that progress without its invalid totals is reported, and that the log names
// them once.
func TestInvalidTotalsLeaveProgress(t *testing.T) {
	w := newLoadedWorker(t, `{"phase": "Window", "completed": 7, "totals": {"latencyCounts": [1]}}`)
	var logged bytes.Buffer
	former := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	defer slog.SetDefault(former)
	for range 2 {
		p, err := w.readProgress()
		if err != nil || p.Phase != protocol.PhaseWindow || p.Completed != 7 || p.Totals != nil {
			t.Errorf("progress %+v, %v; want 7 completions without totals", p, err)
		}
	}
	if got := logged.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "latencyCounts: has 1 counts, want 21") {
		t.Errorf("log %q, want one line", got)
	}
}

// TestReportedSeconds checks that only a run that may stop early reports each second to the operator.
func TestReportedSeconds(t *testing.T) {
	for _, stopsEarly := range []bool{false, true} {
		t.Run(fmt.Sprint(stopsEarly), func(t *testing.T) {
			w := newLoadedWorker(t, `{"phase": "Window", "completed": 7, "completedPerSecond": [3, 4], "latencyMicrosPerSecond": [5, 6]}`)
			w.Reporter, w.Workload.Measure.StopsEarly = folderReporter(w.Dir), stopsEarly
			text := w.reportProgress(t.Context(), "")
			if !strings.Contains(text, `"completed":7`) || strings.Contains(text, `PerSecond":[3,4]`) != stopsEarly || strings.Contains(text, `PerSecond":[5,6]`) != stopsEarly {
				t.Errorf("reported %s", text)
			}
		})
	}
}

func TestDueOperations(t *testing.T) {
	for name, c := range map[string]struct {
		now  time.Time
		load *protocol.OfferedLoad
		due  int64
		open bool
	}{
		"before the start": {loadAt.Add(-time.Second), &protocol.OfferedLoad{RatePerSecond: 100}, 0, false},
		"after the window": {loadAt.Add(time.Minute), &protocol.OfferedLoad{RatePerSecond: 100}, 500, true},
		"closed loop":      {loadAt.Add(time.Second), &protocol.OfferedLoad{Clients: 3}, 0, false},
		"own load":         {loadAt.Add(time.Second), nil, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newLoadedWorker(t, "{}")
			w.Workload.Load = c.load
			if due, open := w.dueOperations(c.now); due != c.due || open != c.open {
				t.Errorf("%d due, %t; want %d, %t", due, open, c.due, c.open)
			}
		})
	}
}
