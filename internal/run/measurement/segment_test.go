package measurement

import (
	"strings"
	"testing"
	"time"
)

// newIntervalWorker returns a worker that completes the given number of requests in each second, each within its latency.
func newIntervalWorker(t *testing.T, index, intervalSeconds int, perSecond func(second int) (n int, latency time.Duration)) *WorkerResult {
	t.Helper()
	const seconds = 20
	recorder := NewRequestRecorder(seconds, intervalSeconds)
	for second := range seconds {
		n, latency := perSecond(second)
		for range n {
			at := time.Duration(second) * time.Second
			recorder.RecordPlanned(at, 1, 0)
			recorder.RecordCompleted(at, 1)
			recorder.RecordLatency(at, latency)
		}
	}
	w := &WorkerResult{Worker: index, StartMillis: 1_790_000_000_000, Unit: "flows"}
	if err := recorder.FillResult(w); err != nil {
		t.Fatal(err)
	}
	w.Members = []MemberUsage{{Member: "member-0", CPUSeconds: make(Series, seconds), MemoryBytes: make(Series, seconds)}}
	return w
}

// TestMergerMeasuresSegments checks that each segment has the counts and latencies of its seconds, of all workers, and that the whole is as
// without segments.
func TestMergerMeasuresSegments(t *testing.T) {
	segments := []Segment{{Name: "low", Seconds: 5, OfferedPerSecond: 3}, {Name: "high", FromSeconds: 5, Seconds: 15, OfferedPerSecond: 30}}
	rate := func(second int) (int, time.Duration) {
		if second < 5 {
			return 3, 10 * time.Millisecond
		}
		return 30, 50 * time.Millisecond
	}
	merger, whole := NewMerger(segments...), NewMerger()
	for i := range 2 {
		w := newIntervalWorker(t, i, 5, rate)
		for _, m := range []*Merger{merger, whole} {
			if err := m.AddWorker(w); err != nil {
				t.Fatal(err)
			}
		}
	}
	m := merger.Measurement()
	if got, want := m.Summarize(), whole.Measurement().Summarize(); got.Completed != want.Completed || got.Completed != 930 || len(m.Members) != 1 {
		t.Errorf("the whole window has %d completions and %d members, without segments %d", got.Completed, len(m.Members), want.Completed)
	}
	for i, want := range []struct {
		completed int64
		millis    float64
	}{{30, 10}, {900, 50}} {
		s := m.Segments[i]
		got := s.Summarize()
		if got.Completed != want.completed || s.Schedule.Planned != want.completed || got.ThroughputPerSecond*float64(s.Seconds) != float64(want.completed) {
			t.Errorf("segment %s: %+v, planned %d; want %d", s.Name, got, s.Schedule.Planned, want.completed)
		}
		if got.Latency.P50 == nil || *got.Latency.P50 < want.millis*0.99 || *got.Latency.P50 > want.millis*1.01 {
			t.Errorf("segment %s: latency %+v, want %g ms", s.Name, got.Latency, want.millis)
		}
		if s.Name != segments[i].Name || s.WindowSeconds != s.Seconds || len(s.Members) != 0 || len(s.Workers) != 2 {
			t.Errorf("segment %+v lasts %d s, has %d members and %d workers", s.Segment, s.WindowSeconds, len(s.Members), len(s.Workers))
		}
	}
}

// TestMergerRejectsUndividedWorker checks that a worker whose intervals do not divide the segments adds nothing.
func TestMergerRejectsUndividedWorker(t *testing.T) {
	for name, interval := range map[string]int{"without intervals": 0, "with other intervals": 10} {
		t.Run(name, func(t *testing.T) {
			merger := NewMerger(Segment{Name: "low", Seconds: 5}, Segment{Name: "high", FromSeconds: 5, Seconds: 15})
			err := merger.AddWorker(newIntervalWorker(t, 3, interval, func(int) (int, time.Duration) { return 1, time.Millisecond }))
			if err == nil || !strings.HasPrefix(err.Error(), "result of worker 3: segment low: cut seconds 0 to 5 out of 20") {
				t.Errorf("got %v", err)
			}
			if m := merger.Measurement(); len(m.Workers) != 0 || len(m.Segments[0].Workers) != 0 {
				t.Errorf("%d workers, %d in the segment", len(m.Workers), len(m.Segments[0].Workers))
			}
		})
	}
}
