package measurement

import (
	"math"
	"slices"
	"testing"
	"time"
)

// intervalReport returns a worker's report of a window of ten seconds in intervals of two. In interval i, perInterval
// requests take i+1 milliseconds.
func intervalReport(t *testing.T, worker, intervalSeconds, perInterval int) WorkerResult {
	t.Helper()
	recorder := NewRequestRecorder(10, intervalSeconds)
	for i := range 5 {
		for range perInterval {
			recorder.RecordLatency(time.Duration(2*i)*time.Second, time.Duration(i+1)*time.Millisecond)
		}
	}
	w := WorkerResult{Worker: worker, StartMillis: 1}
	if err := recorder.FillResult(&w); err != nil {
		t.Fatal(err)
	}
	return w
}

func mergeIntervals(t *testing.T, reports ...WorkerResult) *LatencyIntervals {
	t.Helper()
	m, err := Merge(reports)
	if err != nil {
		t.Fatal(err)
	}
	return m.LatencyIntervals()
}

func TestLatencyIntervals(t *testing.T) {
	// 10 requests of each worker make 20 in each interval: enough for p50, too few for p95.
	got := mergeIntervals(t, intervalReport(t, 0, 2, 10), intervalReport(t, 1, 2, 10), intervalReport(t, 2, 0, 0))
	if got == nil || got.IntervalSeconds != 2 || len(got.P50) != 5 {
		t.Fatalf("got %+v, want five intervals of 2 s", got)
	}
	for i, v := range got.P50 {
		if want := float64(i + 1); math.Abs(v-want) > 0.01 || !math.IsNaN(got.P95[i]) || !math.IsNaN(got.P99[i]) {
			t.Errorf("interval %d: p50 %v, p95 %v, p99 %v; want %v and no others", i, v, got.P95[i], got.P99[i], want)
		}
	}
	if enough := mergeIntervals(t, intervalReport(t, 0, 2, 1000)); slices.ContainsFunc(enough.P99, math.IsNaN) {
		t.Errorf("p99 of 1000 requests is missing: %v", enough.P99)
	}
}

// TestFailedWorkerHasIntervals checks that the failures of a worker without a success count.
func TestFailedWorkerHasIntervals(t *testing.T) {
	failing := NewRequestRecorder(10, 2)
	failing.RecordError(3*time.Second, 7, "refused", "")
	w := WorkerResult{Worker: 1, StartMillis: 1}
	if err := failing.FillResult(&w); err != nil {
		t.Fatal(err)
	}
	m, err := Merge([]WorkerResult{intervalReport(t, 0, 2, 10), w})
	if err != nil {
		t.Fatal(err)
	}
	if _, parts := m.IntervalLatencies(); len(parts) != 5 || parts[1].Failed != 7 {
		t.Errorf("got %+v", parts)
	}
}

func TestLatencyIntervalsAreUnknown(t *testing.T) {
	for name, reports := range map[string][]WorkerResult{
		"without intervals":      {intervalReport(t, 0, 0, 10)},
		"one without intervals":  {intervalReport(t, 0, 2, 10), intervalReport(t, 1, 0, 10)},
		"different intervals":    {intervalReport(t, 0, 2, 10), intervalReport(t, 1, 5, 10), intervalReport(t, 2, 2, 10)},
		"without any latency":    {intervalReport(t, 0, 2, 0)},
		"no worker has reported": nil,
	} {
		t.Run(name, func(t *testing.T) {
			if got := mergeIntervals(t, reports...); got != nil {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestLatencyIntervalsAreFew checks that the histograms of many intervals are summed to a bounded number.
func TestLatencyIntervalsAreFew(t *testing.T) {
	recorder := NewRequestRecorder(130, 1)
	for second := range 130 {
		recorder.RecordLatency(time.Duration(second)*time.Second, time.Millisecond)
	}
	w := WorkerResult{StartMillis: 1}
	if err := recorder.FillResult(&w); err != nil {
		t.Fatal(err)
	}
	if got := mergeIntervals(t, w); got.IntervalSeconds != 3 || len(got.P50) != 44 {
		t.Errorf("got %d intervals of %d s, want 44 of 3", len(got.P50), got.IntervalSeconds)
	}
}
