package openloop

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/batches"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// The warm-up lasts from 0 s to 2 s, the window to 5 s, and the drain to 9 s.
var (
	runStart   = time.Unix(1_700_000_000, 0)
	testWindow = protocol.MeasureTimes{WarmUpSeconds: 2, WindowSeconds: 3, DrainSeconds: 4}.NewWindow(runStart)
)

func timeAt(seconds float64) time.Time {
	return runStart.Add(time.Duration(seconds * float64(time.Second)))
}

func TestOperationsCountByDueTime(t *testing.T) {
	r := NewRecorder(testWindow, "transactions")
	r.RecordCompleted(timeAt(1.9), timeAt(2.1)) // due in the warm-up, seen in the window
	r.RecordCompleted(timeAt(2.0), timeAt(3.5)) // both in the window
	r.RecordCompleted(timeAt(4.9), timeAt(6.0)) // seen in the drain
	r.RecordCompleted(timeAt(5.0), timeAt(6.0)) // due after the window
	r.RecordFailed(timeAt(1.9), timeAt(2.5), "early", "")
	r.RecordFailed(timeAt(2.5), timeAt(2.6), "full", "pool of 5")
	r.RecordFailures(timeAt(4.5), 3, timeAt(8), measurement.Unfinished, strings.Repeat("x", 300))
	r.RecordPlanned(timeAt(1.9), 10, 0)
	r.RecordPlanned(timeAt(2.0), 20, 100*time.Millisecond)
	r.RecordPlanned(timeAt(4.9), 30, 150*time.Millisecond)
	got, err := r.Result(4)
	if err != nil {
		t.Fatal(err)
	}
	if got.Worker != 4 || got.WindowSeconds != 3 || got.StartMillis != timeAt(2).UnixMilli() || got.Unit != "transactions" {
		t.Errorf("result %+v", got)
	}
	if !reflect.DeepEqual(got.CompletedPerSecond, []int64{1, 1, 0}) || !reflect.DeepEqual(got.FailedPerSecond, []int64{2, 0, 0}) {
		t.Errorf("completed %v, failed %v", got.CompletedPerSecond, got.FailedPerSecond)
	}
	want := []measurement.ErrorCount{{Kind: measurement.Unfinished, Count: 3, Example: strings.Repeat("x", 200)}, {Kind: "full", Count: 1, Example: "pool of 5"}}
	if !reflect.DeepEqual(got.Errors, want) {
		t.Errorf("errors %+v", got.Errors)
	}
	if got.Schedule != (measurement.Schedule{Planned: 50, Late: 30, MaxLagMicros: 150_000}) {
		t.Errorf("schedule %+v", got.Schedule)
	}
	m, err := measurement.Merge([]measurement.WorkerResult{*got})
	if err != nil {
		t.Fatal(err)
	}
	if m.Histogram.Count() != 2 || math.Abs(m.Histogram.MaxMillis()-1500) > 1.5 || math.Abs(m.Histogram.PercentileMillis(50)-1100) > 1.1 {
		t.Errorf("%d latencies, median %g ms, max %g ms; want 1100 and 1500", m.Histogram.Count(), m.Histogram.PercentileMillis(50), m.Histogram.MaxMillis())
	}
}

// TestOperationsByLabel checks that labels have counts and latencies by the same instants as the whole.
func TestOperationsByLabel(t *testing.T) {
	r := NewRecorder(testWindow, "transactions")
	r.SeparateOperations([]string{"Transfer", "Mint"}, nil)
	for _, o := range []struct {
		label      string
		due, ended float64
		failed     bool
	}{
		{"Mint", 1.9, 2.1, false}, {"Mint", 2.0, 3.5, false}, {"Transfer", 4.9, 6.0, false}, {"Mint", 5.0, 6.0, false},
		{"Transfer", 1.9, 2.5, true}, {"Transfer", 2.5, 2.6, true}, {"Mint", 4.5, 8, true},
	} {
		if o.failed {
			r.RecordFailed(timeAt(o.due), timeAt(o.ended), "full", "")
		} else {
			r.RecordCompleted(timeAt(o.due), timeAt(o.ended))
		}
		r.RecordLabel(timeAt(o.due), timeAt(o.ended), o.label, o.failed)
	}
	got, err := r.Result(0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := measurement.Merge([]measurement.WorkerResult{*got})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []measurement.OperationSummary{
		{Name: "Transfer", Completed: 0, Failed: 1, Latency: measurement.Latency{Max: 1100}},
		{Name: "Mint", Completed: 2, Failed: 1, Latency: measurement.Latency{Max: 1500}},
	} {
		t.Run(want.Name, func(t *testing.T) {
			o := m.Operations()[i]
			if o.Name != want.Name || o.Completed != want.Completed || o.Failed != want.Failed || math.Abs(o.Latency.Max-want.Latency.Max) > 1.5 ||
				o.Share != 0.5 || o.ErrorShare != 0.5 {
				t.Errorf("got %+v, want %+v", o, want)
			}
		})
	}
}

func TestBlocksOfTheWindow(t *testing.T) {
	r := NewRecorder(testWindow, "transactions")
	for i, seen := range []float64{1.99, 2, 4.5, 5} {
		r.RecordBlock(measurement.Block{Height: int64(10 + i), Bytes: 700, Proposer: "0x01", Transactions: int64(i)}, timeAt(seen))
	}
	got, err := r.Result(0)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Blocks) != 2 || got.Blocks[0].Micros != 0 || got.Blocks[1].Micros != 2_500_000 ||
		got.Blocks[1].Height != 12 || got.Blocks[1].Transactions != 2 || got.Blocks[1].Bytes != 700 || got.Blocks[1].Proposer != "0x01" {
		t.Errorf("blocks %+v", got.Blocks)
	}
}

func TestBlocksBeyondTheListAreCounted(t *testing.T) {
	r := NewRecorder(testWindow, "transactions")
	for i := range measurement.MaxBlocks + 5 {
		r.RecordBlock(measurement.Block{Height: 1}, timeAt(2+float64(i)/1e5))
	}
	got, err := r.Result(0)
	if err != nil || len(got.Blocks) != measurement.MaxBlocks || got.BlocksOmitted != 5 {
		t.Errorf("%d blocks, %d omitted, %v", len(got.Blocks), got.BlocksOmitted, err)
	}
}

func TestProgressIsOfThePhase(t *testing.T) {
	r := NewRecorder(testWindow, "transactions")
	r.RecordCompleted(timeAt(0.1), timeAt(1))
	r.RecordCompleted(timeAt(0.1), timeAt(3))
	r.RecordCompleted(timeAt(0.1), timeAt(3))
	r.RecordFailed(timeAt(0.1), timeAt(4), "k", "")
	for _, c := range []struct {
		now  float64
		want protocol.Progress
	}{
		{1.5, protocol.Progress{Phase: protocol.PhaseWarmUp, Completed: 1, ElapsedSeconds: 1.5, Throughput: 1 / 1.5}},
		{4, protocol.Progress{Phase: protocol.PhaseWindow, Completed: 2, Failed: 1, ElapsedSeconds: 2, Throughput: 1}},
		{6, protocol.Progress{Phase: protocol.PhaseDrain, ElapsedSeconds: 1}},
	} {
		got := r.Progress(timeAt(c.now))
		if totals := got.Totals; totals == nil || totals.Completed() != 3 || totals.Errors["k"] != 1 {
			t.Errorf("at %g s: totals %+v, want 3 completed and 1 failed of all phases", c.now, totals)
		}
		got.Totals = nil
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("at %g s: %+v, want %+v", c.now, got, c.want)
		}
	}
}

// TestWindowStopsEarly checks that a window with intervals and an earlier end holds, before that end, the same
// as a window of that length.
func TestWindowStopsEarly(t *testing.T) {
	stopped := protocol.MeasureTimes{WindowSeconds: 20, IntervalSeconds: 5, StopsEarly: true}.NewWindow(runStart)
	long, short := NewRecorder(stopped, "transactions"), NewRecorder(protocol.MeasureTimes{WindowSeconds: 10, IntervalSeconds: 5}.NewWindow(runStart), "transactions")
	for i := range 400 {
		due := float64(i) / 33
		for _, r := range []*Recorder{long, short} {
			r.RecordPlanned(timeAt(due), 1, time.Duration(i)*time.Millisecond)
			if i%20 == 0 {
				r.RecordFailed(timeAt(due), timeAt(due+0.1), "full", "pool")
				continue
			}
			r.RecordCompleted(timeAt(due), timeAt(due+1.2))
		}
	}
	if p := long.Progress(timeAt(4.5)); !reflect.DeepEqual(p.CompletedPerSecond, []int64{0, 25, 32, 31}) {
		t.Errorf("progress %+v", p)
	}
	if err := stopped.StopAt(timeAt(10)); err != nil {
		t.Fatal(err)
	}
	if p := long.Progress(timeAt(12)); p.Phase != protocol.PhaseDrain || len(p.CompletedPerSecond) != 10 {
		t.Errorf("progress %+v", p)
	}
	all, err1 := long.Result(0)
	want, err2 := short.Result(0)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if got, err := all.SliceWindow(0, 10); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v\n%+v", err, got, want)
	}
}

func TestSeriesOfATarget(t *testing.T) {
	target := NewTargetSeries("member-3", testWindow)
	recordResent, recordPool := target.NewCounter("resent", "1/s"), target.NewGauge("pool", "transactions")
	target.recordSent(timeAt(1.9), 1)
	target.recordSent(timeAt(2.1), 100)
	target.recordSent(timeAt(2.9), 50)
	target.recordAnswer(timeAt(3.2), 10*time.Millisecond, 90)
	target.recordAnswer(timeAt(3.4), 30*time.Millisecond, 50)
	recordResent(timeAt(4), 7)
	recordPool(2, 1000)
	none := measurement.Missing
	want := map[string]measurement.Series{batches.SeriesSent: {150, 0, 0}, batches.SeriesAccepted: {0, 140, 0}, batches.SeriesRPC: {none, 20, none},
		"resent": {0, 0, 7}, "pool": {none, none, 1000}}
	for _, s := range target.Series() {
		if s.Subject != "member-3" || !equalSeries(s.Values, want[s.Name]) {
			t.Errorf("%s of %s is %v, want %v", s.Name, s.Subject, s.Values, want[s.Name])
		}
		delete(want, s.Name)
	}
	if len(want) > 0 {
		t.Errorf("no series %v", want)
	}
}

func equalSeries(a, b measurement.Series) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return true
}
