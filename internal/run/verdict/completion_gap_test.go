package verdict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/measurement/measurementtest"
)

// TestCompletionGapIsNoted checks that only the closed loop has the note: in the open loop latencies show the
// stall. The whole second 31 has no completion.
func TestCompletionGapIsNoted(t *testing.T) {
	closed, open := simulateStall()
	for model, m := range map[measurement.LatencyKind]*measurement.Measurement{measurement.ServiceTime: closed, measurement.ResponseTime: open} {
		t.Run(string(model), func(t *testing.T) {
			v := Judge(m, RunObservations{ExpectedWorkers: 1}, DefaultTolerances())
			if noted := strings.Contains(joinCodes(v.Notes), string(ReasonCompletionGap)); noted != (model == measurement.ServiceTime) {
				t.Errorf("notes %+v", v.Notes)
			}
			if model == measurement.ServiceTime && !strings.Contains(fmt.Sprint(v.Notes), "nothing completed for 1 s from second 31 of the window, longer than the p99.9") {
				t.Errorf("notes %+v", v.Notes)
			}
		})
	}
}

// TestCompletionGapOfSlowService checks that a service that takes seconds has no gaps, although most seconds have
// no completion.
func TestCompletionGapOfSlowService(t *testing.T) {
	m := measurement.NewMerger().Measurement()
	m.LatencyKind, m.Completed = measurement.ServiceTime, make([]int64, 100)
	for i := range 25 {
		m.Completed[4*i] = 1
		_ = m.Histogram.Record(4_000_000)
	}
	if v := Judge(m, RunObservations{}, DefaultTolerances()); strings.Contains(joinCodes(v.Notes), string(ReasonCompletionGap)) {
		t.Errorf("notes %+v", v.Notes)
	}
}

// simulateStall returns the runs of a closed and of an open loop on the same system, which serves a request in
// about 2 ms and stalls for 2 of 60 s.
func simulateStall() (closed, open *measurement.Measurement) {
	const window, clients, service = 60 * time.Second, 10, 2 * time.Millisecond
	stallStart, stallEnd := 30500*time.Millisecond, 32500*time.Millisecond
	random := rand.New(rand.NewPCG(1, 1))
	complete := func(start time.Duration) time.Duration {
		if end := start + time.Duration(float64(service)*(0.9+0.2*random.Float64())); end < stallStart || start >= stallEnd {
			return end
		}
		return stallEnd + service
	}
	loop := func(model measurement.LatencyKind, next func(start, end time.Duration) time.Duration) *measurement.Measurement {
		recorder := measurement.NewRequestRecorder(60, 0)
		for range clients {
			for start := time.Duration(0); start < window; {
				end := complete(start)
				recorder.RecordCompleted(end, 1)
				recorder.RecordLatency(start, end-start)
				start = next(start, end)
			}
		}
		w := measurement.WorkerResult{StartMillis: measurementtest.StartMillis}
		if recorder.FillResult(&w) != nil {
			return nil
		}
		m, err := measurement.Merge([]measurement.WorkerResult{w})
		if err != nil {
			return nil
		}
		m.LatencyKind = model
		return m
	}
	closed = loop(measurement.ServiceTime, func(_, end time.Duration) time.Duration { return end })
	open = loop(measurement.ResponseTime, func(start, _ time.Duration) time.Duration { return start + service })
	return closed, open
}

// TestCorrectedServiceTimeShowsStall compares the corrected percentiles of a closed loop with those of an open
// loop on the same system. The raw ones hide the stall.
func TestCorrectedServiceTimeShowsStall(t *testing.T) {
	closed, open := simulateStall()
	got, want := closed.Summarize(), open.Summarize()
	t.Logf("p99: closed %.1f ms, corrected %.1f ms, open %.1f ms", *got.Latency.P99, *got.Corrected.P99, *want.Latency.P99)
	if *got.Latency.P99 > 3 || *want.Latency.P99 < 1000 {
		t.Fatal("the raw p99 of the closed loop should hide the stall")
	}
	for name, pair := range map[string][2]*float64{
		"p50": {got.Corrected.P50, want.Latency.P50}, "p95": {got.Corrected.P95, want.Latency.P95},
		"p99": {got.Corrected.P99, want.Latency.P99}, "p99.9": {got.Corrected.P999, want.Latency.P999},
	} {
		if math.Abs(*pair[0]-*pair[1]) > 0.1**pair[1] {
			t.Errorf("the corrected %s is %v ms, the open loop's %v ms", name, *pair[0], *pair[1])
		}
	}
	if want.Corrected != nil {
		t.Error("the open loop is corrected too")
	}
}
