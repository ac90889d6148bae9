package results

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

const startMillis = 1_790_000_000_000

// worker has one latency in milliseconds per second of its window, and completes one request in each.
func worker(t testing.TB, index int, latencies ...int64) Worker {
	t.Helper()
	h := NewHistogram()
	w := Worker{Worker: index, StartMillis: startMillis, WindowSeconds: len(latencies), Ledger: &Ledger{Checked: true}}
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

func merge(t *testing.T, workers ...Worker) *Measurement {
	t.Helper()
	m, err := Merge(workers)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMergeAddsEverything(t *testing.T) {
	a, b := worker(t, 0, 10, 20), worker(t, 1, 30, 40)
	a.CompletedPerSecond, b.CompletedPerSecond = []int64{3, 5}, []int64{10, 1}
	b.FailedPerSecond = []int64{0, 3}
	a.Errors = []ErrorCount{{Kind: "A", Count: 1}, {Kind: "B", Count: 1, Example: "first"}}
	b.Errors = []ErrorCount{{Kind: "B", Count: 2, Example: "second"}, {Kind: "C", Count: 1}}
	a.Schedule, b.Schedule = Schedule{Planned: 10, Late: 1, MaxLagMicros: 7}, Schedule{Planned: 11, Late: 2, MaxLagMicros: 5}
	a.Ledger, b.Ledger = &Ledger{Checked: true, Expected: 8, Recorded: 8}, &Ledger{Checked: true, Expected: 11, Recorded: 10}
	b.Load = &Load{CPUSeconds: 1.5}

	m := merge(t, b, a)
	for name, pair := range map[string][2]any{
		"start":     {m.Start, time.UnixMilli(startMillis).UTC()},
		"count":     {m.Histogram.Count(), int64(4)},
		"completed": {m.Completed, []int64{13, 6}},
		"failed":    {m.Failed, []int64{0, 3}},
		"errors":    {m.Errors, []ErrorCount{{"B", 3, "first"}, {"A", 1, ""}, {"C", 1, ""}}},
		"schedule":  {m.Schedule, Schedule{21, 3, 7}},
		"ledger":    {m.Ledger, &Ledger{Checked: true, Expected: 19, Recorded: 18}},
		"workers":   {m.Workers, []WorkerSummary{{Worker: 0, Completed: 8, MaxLagMicros: 7}, {Worker: 1, Completed: 11, Failed: 3, MaxLagMicros: 5, Load: b.Load}}},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %+v, want %+v", name, pair[0], pair[1])
		}
	}
}

func TestMergeUnchecksTheLedgerOfAnUncheckedWorker(t *testing.T) {
	a, b := worker(t, 0, 1), worker(t, 1, 1)
	b.Ledger = &Ledger{Reason: "a flow by class name"}
	if got := merge(t, a, b).Ledger; got.Checked || got.Reason != "a flow by class name" {
		t.Errorf("got %+v", got)
	}
}

func TestMergeKeepsTheBetterObservation(t *testing.T) {
	a, b := worker(t, 0, 1), worker(t, 1, 1)
	a.Members = []Member{{Member: "y", CPUSeconds: Series{1}, MemoryBytes: Series{1}, MissedScrapes: 2}}
	b.Members = []Member{
		{Member: "y", CPUSeconds: Series{2}, MemoryBytes: Series{2}, MissedScrapes: 1},
		{Member: "x", CPUSeconds: Series{3}, MemoryBytes: Series{3}},
	}
	got := merge(t, a, b).Members
	if len(got) != 2 || got[0].Member != "x" || got[1].CPUSeconds[0] != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestMergeRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*Worker){
		"two results of worker 0":               func(w *Worker) { w.Worker = 0 },
		"not the same window":                   func(w *Worker) { w.StartMillis++ },
		"windowSeconds: 0 is not positive":      func(w *Worker) { w.WindowSeconds = 0 },
		"startMillis: 0 is not an instant":      func(w *Worker) { w.StartMillis = 0 },
		"worker: -1 is negative":                func(w *Worker) { w.Worker = -1 },
		"completedPerSecond: 1 values for 2":    func(w *Worker) { w.CompletedPerSecond = []int64{1} },
		"failedPerSecond: 0 values for 2":       func(w *Worker) { w.FailedPerSecond = nil },
		"members[0]: 1 CPU and 0 memory values": func(w *Worker) { w.Members = []Member{{CPUSeconds: Series{1}}} },
		"decode histogram":                      func(w *Worker) { w.Histogram = w.Histogram[:20] },
	} {
		w := worker(t, 1, 1, 2)
		spoil(&w)
		if _, err := Merge([]Worker{worker(t, 0, 1, 2), w}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestSummary(t *testing.T) {
	w := worker(t, 0, 10, 20, 30, 40)
	w.CompletedPerSecond = []int64{0, 2, 4, 4}
	w.Errors = []ErrorCount{{Kind: "X", Count: 3}, {Kind: Unfinished, Count: 1}}
	got := merge(t, w).Summarize()
	if got.ThroughputPerSecond != 2.5 || got.Completed != 10 || got.Requests != 8 || got.Errors != 4 || got.ErrorShare != 0.5 {
		t.Errorf("got %+v", got)
	}
	for name, pair := range map[string][2]float64{"mean": {got.Latency.Mean, 25}, "p50": {got.Latency.P50, 20}, "p90": {got.Latency.P90, 40}, "max": {got.Latency.Max, 40}} {
		if difference := pair[0] - pair[1]; difference < -pair[1]/1000 || difference > pair[1]/1000 {
			t.Errorf("%s is %v ms, want %v", name, pair[0], pair[1])
		}
	}
}

func TestNothingReported(t *testing.T) {
	m := merge(t)
	if got := m.Summarize(); !reflect.DeepEqual(got, Summary{}) {
		t.Errorf("got %+v", got)
	}
}
