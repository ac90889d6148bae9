package measurement

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

// recordRandomRequests records 20000 random requests in a window of 60 s with intervals of 5 s on each
// recorder. The map gives the start of each recorder's window.
func recordRandomRequests(t *testing.T, tallies map[*RequestRecorder]time.Duration) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 7))
	for range 20_000 {
		start := time.Duration(random.Int64N(int64(60 * time.Second)))
		took := time.Duration(random.ExpFloat64() * float64(80*time.Millisecond))
		lag := time.Duration(random.Int64N(int64(110 * time.Millisecond)))
		kind := fmt.Sprintf("kind-%d", random.IntN(40))
		for tally, shift := range tallies {
			tally.RecordPlanned(start-shift, 1, lag)
			if kind <= "kind-1" {
				tally.RecordFailed(start+took-shift, 1)
				tally.RecordError(start-shift, 1, kind, "first")
				continue
			}
			tally.RecordCompleted(start+took-shift, 1)
			tally.RecordLatency(start-shift, took)
		}
	}
}

func fillResult(t *testing.T, tally *RequestRecorder, startMillis int64) *WorkerResult {
	t.Helper()
	w := &WorkerResult{StartMillis: startMillis}
	if err := tally.FillResult(w); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestSliceWindowEqualsRecordingOfThatWindow checks that a slice equals a recording of only that part of the
// window: histogram, series, errors, schedule.
func TestSliceWindowEqualsRecordingOfThatWindow(t *testing.T) {
	whole, plain := NewRequestRecorder(60, 5), NewRequestRecorder(60, 0)
	part := NewRequestRecorder(25, 5)
	recordRandomRequests(t, map[*RequestRecorder]time.Duration{whole: 0, plain: 0, part: 20 * time.Second})
	all := fillResult(t, whole, startMillis)
	cut, err := all.SliceWindow(20, 45)
	if err != nil {
		t.Fatal(err)
	}
	if want := fillResult(t, part, startMillis+20_000); !reflect.DeepEqual(cut, want) {
		t.Errorf("the cut is not what was recorded over it alone:\n%+v\n%+v", cut, want)
	}
	// The intervals together equal a recording without intervals.
	all.IntervalSeconds, all.Intervals = 0, nil
	if want := fillResult(t, plain, startMillis); !reflect.DeepEqual(all, want) {
		t.Errorf("the whole in intervals is not the whole:\n%+v\n%+v", all, want)
	}
	if all.Schedule.Planned != 20_000 || all.Schedule.Late == 0 || len(all.Errors) != 2 {
		t.Errorf("%+v, %+v: the test has recorded nothing", all.Schedule, all.Errors)
	}
}

func TestSliceWindowOfSeriesAndBlocks(t *testing.T) {
	w := fillResult(t, NewRequestRecorder(6, 2), startMillis)
	w.Blocks = []Block{{Height: 1, Micros: 500_000}, {Height: 2, Micros: 2_000_000}, {Height: 3, Micros: 3_999_999}, {Height: 4, Micros: 4_000_000}}
	w.BlocksOmitted = 9
	w.Series = []NamedSeries{{Name: "n", Values: Series{1, 2, 3, 4, 5, 6}}}
	w.Members = []MemberUsage{{Member: "m", CPUSeconds: Series{1, Missing, Missing, 4, 5, 6}, MemoryBytes: Series{1, Missing, 3, 4, Missing, 6}, MissedScrapes: 3, Periods: 7}}
	cut, err := w.SliceWindow(2, 4)
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]any{
		"blocks":  {cut.Blocks, []Block{{Height: 2}, {Height: 3, Micros: 1_999_999}}},
		"omitted": {cut.BlocksOmitted, int64(0)},
		"series":  {cut.Series[0].Values, Series{3, 4}},
		"memory":  {cut.Members[0].MemoryBytes, Series{3, 4}},
		// The sample at the start of the slice is that at the end of second 1, which was missed.
		"missed":  {cut.Members[0].MissedScrapes, 1},
		"periods": {cut.Members[0].Periods, int64(7)},
		"start":   {cut.StartMillis, int64(startMillis + 2000)},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %+v, want %+v", name, pair[0], pair[1])
		}
	}
	// The first of its samples was missed as well: three in all, two of them at the end of a second.
	if first, err := w.SliceWindow(0, 4); err != nil || first.Members[0].MissedScrapes != 2 || first.BlocksOmitted != 0 {
		t.Errorf("%v, %+v", err, first.Members)
	}
	if last, err := w.SliceWindow(2, 6); err != nil || last.BlocksOmitted != 9 || last.Members[0].MissedScrapes != 2 {
		t.Errorf("%v, %+v", err, last)
	}
	if w.Members[0].MissedScrapes != 3 || len(w.Series[0].Values) != 6 || len(w.Blocks) != 4 {
		t.Errorf("the cut changed what it was made from: %+v", w)
	}
}

func TestSliceWindowRejectsInvalidBounds(t *testing.T) {
	w := fillResult(t, NewRequestRecorder(60, 5), startMillis)
	for _, at := range [][2]int{{1, 60}, {0, 59}, {5, 5}, {-5, 60}, {0, 65}} {
		if _, err := w.SliceWindow(at[0], at[1]); err == nil {
			t.Errorf("cut at %v", at)
		}
	}
	plain := fillResult(t, NewRequestRecorder(60, 0), startMillis)
	if _, err := plain.SliceWindow(0, 30); err == nil {
		t.Error("a window without intervals was cut")
	}
	if same, err := plain.SliceWindow(0, 60); err != nil || same != plain {
		t.Errorf("the whole of it: %v", err)
	}
}

func TestValidateIntervals(t *testing.T) {
	for want, spoil := range map[string]func(*WorkerResult){
		"3 of 0 s do not make up 6 s":      func(w *WorkerResult) { w.IntervalSeconds = 0 },
		"2 of 2 s do not make up 6 s":      func(w *WorkerResult) { w.Intervals = w.Intervals[:2] },
		"intervals[1]: decode histogram":   func(w *WorkerResult) { w.Intervals[1].Histogram = "x" },
		"they have 1 latencies, the total": func(w *WorkerResult) { w.Histogram = fillResult(t, NewRequestRecorder(6, 2), startMillis).Histogram },
	} {
		tally := NewRequestRecorder(6, 2)
		tally.RecordLatency(0, time.Second)
		w := fillResult(t, tally, startMillis)
		spoil(w)
		if err := w.validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestEncodedSizeOfIntervals checks that an hour of an unsteady system, with the series of ten members, fits
// into a ConfigMap.
func TestEncodedSizeOfIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	tally := NewRequestRecorder(3600, 15)
	for range 1_000_000 {
		at := time.Duration(random.Int64N(int64(time.Hour)))
		tally.RecordCompleted(at, 1)
		tally.RecordLatency(at, time.Duration(random.ExpFloat64()*float64(200*time.Millisecond)))
	}
	w := fillResult(t, tally, startMillis)
	packed, err := EncodeWorkerResult(w)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("240 intervals: %d bytes", len(packed))
}
