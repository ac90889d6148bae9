package observe

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/protocol/clocktest"
)

// runStart is the start of the runs, which have a warm-up of one second and a window of two.
var runStart = time.UnixMilli(1_790_000_000_000)

var testWindow = protocol.MeasureTimes{WarmUpSeconds: 1, WindowSeconds: 2}.NewWindow(runStart)

// blockAt returns a block decided at the given offset in milliseconds from the run's start.
func blockAt(height int64, millis float64) Block {
	return Block{Height: height, TimeMillis: float64(runStart.UnixMilli()) + millis, Bytes: 1024, Round: int32(height % 2), Proposer: "ab"}
}

// recordBlocks returns a recorder of blocks that arrived one millisecond after their decision.
func recordBlocks(all ...Block) *BlockRecorder {
	w := NewBlockRecorder()
	w.SetWindow(testWindow)
	for _, b := range all {
		w.AddBlock(b, time.UnixMicro(b.unixMicros()).Add(time.Millisecond))
	}
	return w
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestRecorderCountsWindow(t *testing.T) {
	w := recordBlocks(blockAt(1, -5000), blockAt(2, 300), blockAt(3, 999.999), blockAt(4, 1000), blockAt(5, 1250.125), blockAt(6, 2999.999))
	if isClosed(w.Done()) {
		t.Error("the window is past while a block of it may still come")
	}
	w.AddBlock(blockAt(7, 3000), runStart.Add(3001*time.Millisecond))
	if !isClosed(w.FirstBlock()) || !isClosed(w.Done()) {
		t.Errorf("first block seen: %v, window past: %v, want both", isClosed(w.FirstBlock()), isClosed(w.Done()))
	}
	if warmUp, counted := w.CompletedCounts(runStart.Add(2500 * time.Millisecond)); warmUp != 2 || !reflect.DeepEqual(counted.Completed, []int64{2}) {
		t.Errorf("counted %d in the warm-up, %d in the seconds of the window that are over", warmUp, counted)
	}
	if totals := w.Totals(); totals.Completed() != 6 {
		t.Errorf("totals %+v, want the 6 blocks since the start of the load", totals)
	}
	r, err := w.Result(3)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.CompletedPerSecond, []int64{2, 1}) || r.Worker != 3 || r.Unit != "blocks" || r.StartMillis != runStart.UnixMilli()+1000 {
		t.Errorf("got %+v", r)
	}
	want := []measurement.Block{{Height: 4, Micros: 0, Bytes: 1024, Proposer: "ab"}, {Height: 5, Micros: 250125, Bytes: 1024, Round: 1, Proposer: "ab"},
		{Height: 6, Micros: 1999999, Bytes: 1024, Proposer: "ab"}}
	if !reflect.DeepEqual(r.Blocks, want) {
		t.Errorf("blocks %+v", r.Blocks)
	}
	// Block times that end in the window: 1 µs, 250.125 ms and 1749.874 ms, to three digits.
	m, err := measurement.Merge([]measurement.WorkerResult{*r})
	if err != nil {
		t.Fatal(err)
	}
	median := m.Histogram.PercentileMillis(50)
	if l := m.Summarize().Latency; m.Histogram.Count() != 3 || median < 250.1 || median > 250.4 || l.Max < 1749.8 || l.Max > 1751 {
		t.Errorf("%d latencies, median %.1f ms, %+v", m.Histogram.Count(), median, l)
	}
}

func TestBlocksBeforeWindowIsSet(t *testing.T) {
	w := NewBlockRecorder()
	w.AddBlock(blockAt(1, 1000), runStart)
	if !isClosed(w.FirstBlock()) || isClosed(w.Done()) {
		t.Error("the first block was not noticed, or took the window to be past")
	}
	w.SetWindow(testWindow)
	w.AddBlock(blockAt(2, 1400), runStart.Add(1400*time.Millisecond))
	r, err := w.Result(0)
	if err != nil || len(r.Blocks) != 1 || r.Blocks[0].Height != 2 {
		t.Errorf("got %+v, %v; want the block after the opening, measured from the one before it", r, err)
	}
}

func TestWindowWithoutBlocks(t *testing.T) {
	r, err := recordBlocks(blockAt(1, 500)).Result(0)
	if err != nil || !reflect.DeepEqual(r.CompletedPerSecond, []int64{0, 0}) || len(r.Blocks) != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestSyncedBlocks covers a member that has fallen behind and gets blocks from peers. Their times do not
// reflect the consensus.
func TestSyncedBlocks(t *testing.T) {
	synced := func(b Block) Block { b.Synced = true; return b }
	r, err := recordBlocks(blockAt(1, 900), blockAt(2, 1100), synced(blockAt(3, 2100)), synced(blockAt(4, 2101)), blockAt(5, 2300)).Result(0)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.CompletedPerSecond, []int64{1, 1}) || !reflect.DeepEqual(r.FailedPerSecond, []int64{0, 2}) || len(r.Blocks) != 2 {
		t.Errorf("got %+v", r)
	}
	if len(r.Errors) != 1 || r.Errors[0].Kind != "Synced" || r.Errors[0].Count != 2 || !strings.HasPrefix(r.Errors[0].Example, "block 3 came from a peer") {
		t.Errorf("errors %+v", r.Errors)
	}
}

// TestBlocksOmitted checks that blocks beyond the limit of a report are still counted.
func TestBlocksOmitted(t *testing.T) {
	w := NewBlockRecorder()
	w.SetWindow(testWindow)
	for i := range int64(measurement.MaxBlocks + 8) {
		b := blockAt(i, 999+float64(i)/16)
		w.AddBlock(b, time.UnixMicro(b.unixMicros()))
	}
	r, err := w.Result(0)
	if err != nil {
		t.Fatal(err)
	}
	// 16 of them are before the window.
	if n := r.CompletedPerSecond[0] + r.CompletedPerSecond[1]; n != measurement.MaxBlocks-8 || r.BlocksOmitted != 0 {
		t.Fatalf("%d blocks counted, %d omitted", n, r.BlocksOmitted)
	}
	for i := range int64(10) {
		b := blockAt(measurement.MaxBlocks+8+i, 2900+float64(i))
		w.AddBlock(b, time.UnixMicro(b.unixMicros()))
	}
	r, err = w.Result(0)
	if err != nil || len(r.Blocks) != measurement.MaxBlocks || r.BlocksOmitted != 2 || r.CompletedPerSecond[0]+r.CompletedPerSecond[1] != measurement.MaxBlocks+2 {
		t.Errorf("%d listed, %d omitted, %v", len(r.Blocks), r.BlocksOmitted, err)
	}
}

func TestWrongClocksAreRefused(t *testing.T) {
	back := recordBlocks(blockAt(1, 1200), blockAt(2, 1100))
	if _, err := back.Result(0); err == nil || !strings.Contains(err.Error(), "block 2 was decided before block 1") || !isClosed(back.Done()) {
		t.Errorf("a clock that was set back: %v", err)
	}
	for _, off := range []time.Duration{-2 * time.Second, 2 * time.Second} {
		w := NewBlockRecorder()
		w.SetWindow(testWindow)
		for _, b := range []Block{blockAt(1, 900), blockAt(2, 1400), blockAt(3, 2400)} {
			w.AddBlock(b, time.UnixMicro(b.unixMicros()).Add(off))
		}
		if _, err := w.Result(0); err == nil || !strings.Contains(err.Error(), "differs from this worker's by more than 1s") {
			t.Errorf("clocks that differ by %s: %v", off, err)
		}
	}
}

// TestWallClockStepOfMember sets the member's clock forward by 700 ms between two blocks that are 100 ms apart.
func TestWallClockStepOfMember(t *testing.T) {
	second := blockAt(2, 1900)
	second.IntervalMicros = 100_000
	r, err := recordBlocks(blockAt(1, 1100), second).Result(0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := measurement.Merge([]measurement.WorkerResult{*r})
	if err != nil {
		t.Fatal(err)
	}
	if longest := m.Histogram.MaxMillis(); longest < 99 || longest > 101 {
		t.Errorf("a block time of %g ms, want 100", longest)
	}
}

// TestWallClockStepOfWorker sets the worker's clock by an hour between the barrier and the blocks.
func TestWallClockStepOfWorker(t *testing.T) {
	start := time.Now().Round(0)
	w := NewBlockRecorder()
	w.SetWindow(protocol.MeasureTimes{WindowSeconds: 2}.NewWindow(protocol.AnchorInstant(start, time.Now())))
	for i, arrival := range []time.Time{time.Now(), clocktest.SetWallClock(time.Now(), 3600), clocktest.SetWallClock(time.Now(), -3600)} {
		w.AddBlock(Block{Height: int64(i), TimeMillis: float64(start.UnixMicro())/1000 + float64(i)}, arrival)
	}
	if r, err := w.Result(0); err != nil || len(r.Blocks) != 2 {
		t.Errorf("%v; want a result with two blocks, since the two clocks agreed at the start", err)
	}
}

// TestWindowStopsEarly checks that the first block after the stop ends a stopped window, with earlier blocks in
// intervals.
func TestWindowStopsEarly(t *testing.T) {
	times := protocol.MeasureTimes{WindowSeconds: 40, IntervalSeconds: 5}.NewWindow(runStart)
	w := NewBlockRecorder()
	w.SetWindow(times)
	see := func(from, to int64) {
		for i := from; i < to; i++ {
			b := blockAt(i, float64(i)*100)
			w.AddBlock(b, time.UnixMicro(b.unixMicros()))
		}
	}
	see(0, 120)
	if err := times.StopAt(runStart.Add(15 * time.Second)); err != nil {
		t.Fatal(err)
	}
	see(120, 150)
	if isClosed(w.Done()) {
		t.Error("the window is past before its stop")
	}
	see(150, 151)
	if !isClosed(w.Done()) {
		t.Error("the window is not past after its stop")
	}
	r, err := w.Result(0)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = r.SliceWindow(0, times.Seconds()); err != nil || r.WindowSeconds != 15 || len(r.Intervals) != 3 || len(r.Blocks) != 149 {
		t.Errorf("%v: %d s in %d intervals with %d blocks; want 15 s in 3 with 149", err, r.WindowSeconds, len(r.Intervals), len(r.Blocks))
	}
}
