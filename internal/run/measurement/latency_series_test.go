package measurement

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func newRecordedWorker(t *testing.T, index int, withLatency bool) WorkerResult {
	t.Helper()
	r := NewRequestRecorder(3, 1)
	for _, at := range []time.Duration{-time.Second, 100 * time.Millisecond, 200 * time.Millisecond, 2500 * time.Millisecond, 4 * time.Second} {
		r.RecordCompleted(at, 1)
		if withLatency {
			r.RecordLatencySum(at, 3*time.Millisecond)
		}
	}
	w := WorkerResult{Worker: index, StartMillis: 1}
	if err := r.FillResult(&w); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestLatencyOverTime checks the mean latency of each second, of a slice too. It is unknown if one of the
// workers with completions does not record it.
func TestLatencyOverTime(t *testing.T) {
	a, b := newRecordedWorker(t, 0, true), newRecordedWorker(t, 1, true)
	m := mergeWorkers(t, a, b)
	if !slices.Equal(m.LatencyMicros, []int64{12000, 0, 6000}) {
		t.Errorf("sums %v", m.LatencyMicros)
	}
	text, err := m.MeanLatencyMillis().MarshalJSON()
	if err != nil || string(text) != "[3,null,3]" {
		t.Errorf("means %s, %v", text, err)
	}
	part, err := a.SliceWindow(1, 3)
	if err != nil || !slices.Equal(part.LatencyMicrosPerSecond, []int64{0, 3000}) {
		t.Errorf("slice %+v, %v", part, err)
	}
	if m := mergeWorkers(t, a, newRecordedWorker(t, 1, false)); m.LatencyMicros != nil || m.MeanLatencyMillis() != nil {
		t.Errorf("sums %v although a worker reports none", m.LatencyMicros)
	}
}

func TestLatencySumsThatAreNoMeasurement(t *testing.T) {
	for want, sums := range map[string][]int64{"2 values for 3 seconds": {1, 2}, "is not between 0": {1, -2, 3}} {
		w := newRecordedWorker(t, 0, true)
		w.LatencyMicrosPerSecond = sums
		if err := w.validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", sums, err, want)
		}
	}
}
