// Package measurementtest makes results of workers for tests.
package measurementtest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// StartMillis is the start of the window of NewWorkerResult.
const StartMillis = 1_790_000_000_000

// NewWorkerResult returns a result with one latency (in milliseconds) and one completed request in each second
// of its window.
func NewWorkerResult(t testing.TB, index int, latencies ...int64) measurement.WorkerResult {
	t.Helper()
	h := measurement.NewHistogram()
	w := measurement.WorkerResult{Worker: index, StartMillis: StartMillis, WindowSeconds: len(latencies), Ledger: &measurement.Ledger{Checked: true}}
	for _, l := range latencies {
		if err := h.Record(l * 1000); err != nil {
			t.Fatal(err)
		}
		w.CompletedPerSecond = append(w.CompletedPerSecond, 1)
		w.FailedPerSecond = append(w.FailedPerSecond, 0)
		w.Ledger.Expected++
		w.Ledger.Recorded++
	}
	var err error
	if w.Histogram, err = h.Encode(); err != nil {
		t.Fatal(err)
	}
	return w
}

// MergeWorkers merges valid results of workers.
func MergeWorkers(t testing.TB, workers ...measurement.WorkerResult) *measurement.Measurement {
	t.Helper()
	m, err := measurement.Merge(workers)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// NewObservingWorker returns a result with the given number of members and series that compress badly.
func NewObservingWorker(t testing.TB, members, seconds int) *measurement.WorkerResult {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 1))
	w := NewWorkerResult(t, 0, make([]int64, seconds)...)
	for i := range members {
		m := measurement.MemberUsage{Member: fmt.Sprintf("member-%d", i)}
		for _, name := range []string{measurement.SeriesNetworkReceive, measurement.SeriesNetworkTransmit} {
			s := measurement.NamedSeries{Subject: m.Member, Name: name, Unit: "B/s"}
			for range seconds {
				s.Values = append(s.Values, float64(random.IntN(10_000_000)))
			}
			w.Series = append(w.Series, s)
		}
		for range seconds {
			m.CPUSeconds = append(m.CPUSeconds, float64(random.IntN(20000))/10000)
			m.MemoryBytes = append(m.MemoryBytes, float64(1<<30+4096*random.IntN(100000)))
		}
		w.Members = append(w.Members, m)
	}
	return &w
}
