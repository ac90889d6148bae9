package measurement

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const startMillis = 1_790_000_000_000

// newWorkerResult returns a result with one latency (in milliseconds) and one completed request in each second
// of its window.
func newWorkerResult(t testing.TB, index int, latencies ...int64) WorkerResult {
	t.Helper()
	h := NewHistogram()
	w := WorkerResult{Worker: index, StartMillis: startMillis, WindowSeconds: len(latencies), Ledger: &Ledger{Checked: true}}
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

func mergeWorkers(t *testing.T, workers ...WorkerResult) *Measurement {
	t.Helper()
	m, err := Merge(workers)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMergeAddsEverything(t *testing.T) {
	a, b := newWorkerResult(t, 0, 10, 20), newWorkerResult(t, 1, 30, 40)
	a.CompletedPerSecond, b.CompletedPerSecond = []int64{3, 5}, []int64{10, 1}
	b.FailedPerSecond = []int64{0, 3}
	a.Errors = []ErrorCount{{Kind: "A", Count: 1}, {Kind: "B", Count: 1, Example: "first"}}
	b.Errors = []ErrorCount{{Kind: "B", Count: 2, Example: "second"}, {Kind: "C", Count: 1}}
	a.Schedule, b.Schedule = Schedule{Planned: 10, ClientsBusy: 3, MaxWaitMicros: 9, Late: 1, MaxLagMicros: 7}, Schedule{Planned: 11, ClientsBusy: 4, MaxWaitMicros: 8, Late: 2, MaxLagMicros: 5}
	a.Ledger, b.Ledger = &Ledger{Checked: true, Expected: 8, Recorded: 8}, &Ledger{Checked: true, Expected: 11, Recorded: 10}
	b.Load = &WorkerUsage{CPUSeconds: 1.5}

	m := mergeWorkers(t, b, a)
	for name, pair := range map[string][2]any{
		"start":     {m.Start, time.UnixMilli(startMillis).UTC()},
		"count":     {m.Histogram.Count(), int64(4)},
		"completed": {m.Completed, []int64{13, 6}},
		"failed":    {m.Failed, []int64{0, 3}},
		"errors":    {m.Errors, []ErrorCount{{"B", 3, "first"}, {"A", 1, ""}, {"C", 1, ""}}},
		"schedule":  {m.Schedule, Schedule{21, 7, 9, 3, 7}},
		"ledger":    {m.Ledger, &Ledger{Checked: true, Expected: 19, Recorded: 18}},
		"workers":   {m.Workers, []WorkerSummary{{Worker: 0, Completed: 8, MaxLagMicros: 7}, {Worker: 1, Completed: 11, Failed: 3, MaxLagMicros: 5, Load: b.Load}}},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %+v, want %+v", name, pair[0], pair[1])
		}
	}
}

func TestMergedLedgerIsUncheckedIfOneWorkerIs(t *testing.T) {
	a, b := newWorkerResult(t, 0, 1), newWorkerResult(t, 1, 1)
	b.Ledger = &Ledger{Reason: "a flow by class name"}
	if got := mergeWorkers(t, a, b).Ledger; got.Checked || got.Reason != "a flow by class name" {
		t.Errorf("got %+v", got)
	}
}

// TestMergeAddsIdentifiedOperations checks that lost operations are unknown unless every worker identifies its own.
func TestMergeAddsIdentifiedOperations(t *testing.T) {
	for name, c := range map[string]struct {
		second *int64
		want   string
	}{
		"both":     {new(int64(3)), "5"},
		"one":      {nil, "unknown"},
		"negative": {new(int64(-1)), "unknown"},
		"hostile":  {new(int64(math.MaxInt64)), "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newWorkerResult(t, 0, 1), newWorkerResult(t, 1, 1)
			a.Ledger.Lost, b.Ledger.Lost = new(int64(2)), c.second
			got := "unknown"
			if lost := mergeWorkers(t, a, b).Ledger.Lost; lost != nil {
				got = strconv.FormatInt(*lost, 10)
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestMergeKeepsObservationWithFewestMissedScrapes(t *testing.T) {
	a, b := newWorkerResult(t, 0, 1), newWorkerResult(t, 1, 1)
	a.Members = []MemberUsage{{Member: "y", CPUSeconds: Series{1}, MemoryBytes: Series{1}, MissedScrapes: 2}}
	b.Members = []MemberUsage{
		{Member: "y", CPUSeconds: Series{2}, MemoryBytes: Series{2}, MissedScrapes: 1},
		{Member: "x", CPUSeconds: Series{3}, MemoryBytes: Series{3}},
	}
	got := mergeWorkers(t, a, b).Members
	if len(got) != 2 || got[0].Member != "x" || got[1].CPUSeconds[0] != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestMergeRejectsInvalidResults(t *testing.T) {
	for want, spoil := range map[string]func(*WorkerResult){
		"two results of worker 0":               func(w *WorkerResult) { w.Worker = 0 },
		"the ConfigMap changed":                 func(w *WorkerResult) { w.Data = DataFile{SHA256: strings.Repeat("a", 64), Rows: 3} },
		`data.sha256: "none" is not`:            func(w *WorkerResult) { w.Data.SHA256 = "none" },
		"their operations cannot be added":      func(w *WorkerResult) { w.Unit = "transactions" },
		"not the same window":                   func(w *WorkerResult) { w.StartMillis++ },
		"windowSeconds: 0 is not positive":      func(w *WorkerResult) { w.WindowSeconds = 0 },
		"startMillis: 0 is not an instant":      func(w *WorkerResult) { w.StartMillis = 0 },
		"worker: -1 is negative":                func(w *WorkerResult) { w.Worker = -1 },
		"completedPerSecond: 1 values for 2":    func(w *WorkerResult) { w.CompletedPerSecond = []int64{1} },
		"failedPerSecond: 0 values for 2":       func(w *WorkerResult) { w.FailedPerSecond = nil },
		"members[0]: 1 CPU and 0 memory values": func(w *WorkerResult) { w.Members = []MemberUsage{{CPUSeconds: Series{1}}} },
		"decode histogram":                      func(w *WorkerResult) { w.Histogram = w.Histogram[:20] },
	} {
		w := newWorkerResult(t, 1, 1, 2)
		spoil(&w)
		if _, err := Merge([]WorkerResult{newWorkerResult(t, 0, 1, 2), w}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestSummarize(t *testing.T) {
	w := newWorkerResult(t, 0, 10, 20, 30, 40)
	w.CompletedPerSecond = []int64{0, 2, 4, 4}
	w.Errors = []ErrorCount{{Kind: "X", Count: 3}, {Kind: Unfinished, Count: 1}}
	got := mergeWorkers(t, w).Summarize()
	if got.ThroughputPerSecond != 2.5 || got.Completed != 10 || got.Requests != 8 || got.Errors != 4 || got.ErrorShare != 0.5 {
		t.Errorf("got %+v", got)
	}
	for name, pair := range map[string][2]float64{"mean": {got.Latency.Mean, 25}, "max": {got.Latency.Max, 40}} {
		if difference := pair[0] - pair[1]; difference < -pair[1]/1000 || difference > pair[1]/1000 {
			t.Errorf("%s is %v ms, want %v", name, pair[0], pair[1])
		}
	}
}

// TestSummarizeOmitsPercentilesOfFewSamples checks that a percentile is in the document if and only if ten
// latencies lie above it.
func TestSummarizeOmitsPercentilesOfFewSamples(t *testing.T) {
	for n, want := range map[int]string{
		1: "", 19: "", 20: "p50", 99: "p50", 100: "p50 p90", 199: "p50 p90", 200: "p50 p90 p95", 999: "p50 p90 p95", 1000: "p50 p90 p95 p99",
		9999: "p50 p90 p95 p99", 10_000: "p50 p90 p95 p999 p99",
	} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			m := NewMerger().Measurement()
			for range n {
				_ = m.Histogram.Record(1000)
			}
			text, err := json.Marshal(m.Summarize().Latency)
			if err != nil {
				t.Fatal(err)
			}
			var found map[string]float64
			if err := json.Unmarshal(text, &found); err != nil {
				t.Fatal(err)
			}
			var known []string
			for _, name := range slices.Sorted(maps.Keys(found)) { // p999Millis is before p99Millis
				if percentile, is := strings.CutSuffix(name, "Millis"); is && percentile[0] == 'p' {
					known = append(known, percentile)
				}
			}
			if got := strings.Join(known, " "); got != want {
				t.Errorf("the document has %q, want %q: %s", got, want, text)
			}
		})
	}
}

func TestMergeWithoutWorkers(t *testing.T) {
	m := mergeWorkers(t)
	if got := m.Summarize(); !reflect.DeepEqual(got, Summary{}) {
		t.Errorf("got %+v", got)
	}
}

func TestHistogramOfOtherRangeIsRejectedBeforeAllocation(t *testing.T) {
	encoded := encodeFullRangeHistogram()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := DecodeHistogram(encoded)
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; err == nil || allocated > 4<<20 {
		t.Errorf("%d MiB allocated, error %v", allocated>>20, err)
	}
	content, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if cookie := binary.BigEndian.Uint32(content); cookie&^0xf0 != uint32(hdrhistogram.V2CompressedEncodingCookieBase) {
		t.Errorf("the case shows nothing: cookie %x", cookie)
	}
}

// TestMergingIsBounded merges 50 reports with the largest allowed numbers of members, series, blocks and error
// kinds.
func TestMergingIsBounded(t *testing.T) {
	merger := NewMerger()
	base := newWorkerResult(t, 0, 1, 2)
	for i := range 50 {
		w := base
		w.Worker = i
		for k := range 2000 {
			name := fmt.Sprintf("%d-%d", i, k)
			w.Members = append(w.Members, MemberUsage{Member: name, CPUSeconds: Series{1, 1}, MemoryBytes: Series{1, 1}})
			w.Series = append(w.Series, NamedSeries{Subject: name, Name: name, Values: Series{1, 1}})
			w.Errors = append(w.Errors, ErrorCount{Kind: name, Count: 1, Example: strings.Repeat("x", 1000)})
			w.Blocks = append(w.Blocks, Block{Height: int64(50*k + i), Micros: int64(k)})
		}
		if err := w.validate(); err != nil {
			t.Fatal(err)
		}
		if err := merger.AddWorker(&w); err != nil {
			t.Fatal(err)
		}
	}
	m := merger.Measurement()
	if len(m.Members) > maxMembers || len(m.Series) > maxSeries || len(m.Blocks) != MaxBlocks || m.BlocksOmitted != 100_000-MaxBlocks {
		t.Errorf("%d members, %d series, %d blocks and %d omitted", len(m.Members), len(m.Series), len(m.Blocks), m.BlocksOmitted)
	}
	if len(m.Errors) > maxErrorKinds+1 || m.errorCount() != 100_000 || len([]rune(m.Errors[0].Example)) > maxExampleChars {
		t.Errorf("%d kinds of %d errors", len(m.Errors), m.errorCount())
	}
}
