package results

import (
	"strings"
	"testing"
	"time"
)

// TestLatenciesOutOfRangeInvalidate records latencies that the histogram clamps in two intervals, and follows
// their count through a slice of the window and the merge to the verdict and the result.
func TestLatenciesOutOfRangeInvalidate(t *testing.T) {
	recorder := NewRequestRecorder(20, 10)
	for _, latency := range []time.Duration{-time.Microsecond, 0, time.Hour} {
		recorder.RecordLatency(time.Second, latency)
	}
	recorder.RecordLatency(11*time.Second, time.Hour+time.Microsecond)
	recorder.RecordLatency(11*time.Second, -time.Hour)
	recorder.RecordLatency(21*time.Second, -time.Hour) // after the window
	recorder.RecordCompleted(time.Second, 5)
	w := &WorkerResult{StartMillis: startMillis}
	if err := recorder.FillResult(w); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		from, to int
		want     OutOfRange
	}{
		"whole":  {0, 20, OutOfRange{Negative: 2, TooLong: 1}},
		"first":  {0, 10, OutOfRange{Negative: 1}},
		"second": {10, 20, OutOfRange{Negative: 1, TooLong: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			cut, err := w.SliceWindow(c.from, c.to)
			if err != nil {
				t.Fatal(err)
			}
			packed, err := EncodeWorkerResult(cut)
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := DecodeWorkerResult(packed)
			if err != nil {
				t.Fatal(err)
			}
			m := mergeWorkers(t, *decoded)
			v := m.Judge(RunObservations{ExpectedWorkers: 1}, DefaultTolerances())
			r, err := NewRunResult(m, Interpretation{}, v)
			if err != nil || r.OutOfRange != c.want {
				t.Errorf("the result has %+v, want %+v; %v", r.OutOfRange, c.want, err)
			}
			if !strings.Contains(joinCodes(v.Reasons), string(LatencyOutOfRange)) {
				t.Errorf("the verdict has the reasons %q", joinCodes(v.Reasons))
			}
		})
	}
}

func TestOutOfRangeCountsAreChecked(t *testing.T) {
	recorder := NewRequestRecorder(20, 10)
	recorder.RecordLatency(time.Second, -1)
	for name, spoil := range map[string]func(*WorkerResult){
		"negative count":                func(w *WorkerResult) { w.OutOfRange.TooLong = -1 },
		"negative count of an interval": func(w *WorkerResult) { w.Intervals[1].OutOfRange.TooLong = -1 },
		"missing in the total":          func(w *WorkerResult) { w.OutOfRange = OutOfRange{} },
	} {
		t.Run(name, func(t *testing.T) {
			w := WorkerResult{StartMillis: startMillis}
			if err := recorder.FillResult(&w); err != nil {
				t.Fatal(err)
			}
			spoil(&w)
			if err := w.validate(); err == nil {
				t.Error("accepted")
			}
		})
	}
}
