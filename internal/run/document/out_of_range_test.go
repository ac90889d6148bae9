package document

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/measurement/measurementtest"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// TestLatenciesOutOfRangeInvalidate records latencies that the histogram clamps in two intervals, and follows
// their count through a slice of the window and the merge to the verdict and the result.
func TestLatenciesOutOfRangeInvalidate(t *testing.T) {
	recorder := measurement.NewRequestRecorder(20, 10)
	for _, latency := range []time.Duration{-time.Microsecond, 0, time.Hour} {
		recorder.RecordLatency(time.Second, latency)
	}
	recorder.RecordLatency(11*time.Second, time.Hour+time.Microsecond)
	recorder.RecordLatency(11*time.Second, -time.Hour)
	recorder.RecordLatency(21*time.Second, -time.Hour) // after the window
	recorder.RecordCompleted(time.Second, 5)
	w := &measurement.WorkerResult{StartMillis: measurementtest.StartMillis}
	if err := recorder.FillResult(w); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		from, to int
		want     measurement.OutOfRange
	}{
		"whole":  {0, 20, measurement.OutOfRange{Negative: 2, TooLong: 1}},
		"first":  {0, 10, measurement.OutOfRange{Negative: 1}},
		"second": {10, 20, measurement.OutOfRange{Negative: 1, TooLong: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			cut, err := w.SliceWindow(c.from, c.to)
			if err != nil {
				t.Fatal(err)
			}
			packed, err := measurement.EncodeWorkerResult(cut)
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := measurement.DecodeWorkerResult(packed)
			if err != nil {
				t.Fatal(err)
			}
			m := measurementtest.MergeWorkers(t, *decoded)
			v := verdict.Judge(m, verdict.RunObservations{ExpectedWorkers: 1}, verdict.DefaultTolerances())
			r, err := NewRunResult(m, verdict.Interpretation{}, v)
			if err != nil || r.OutOfRange != c.want {
				t.Errorf("the result has %+v, want %+v; %v", r.OutOfRange, c.want, err)
			}
			if !strings.Contains(fmt.Sprint(v.Reasons), string(verdict.ReasonLatencyOutOfRange)) {
				t.Errorf("the verdict has the reasons %q", fmt.Sprint(v.Reasons))
			}
		})
	}
}
