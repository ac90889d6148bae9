package measurement

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// mixSegments are the segments of newMixResult.
var mixSegments = []Segment{{Name: "low", Seconds: 5}, {Name: "high", FromSeconds: 5, Seconds: 5}}

// newMixResult returns a worker's result of 10 s with two kinds: 100 transfers of 10 ms and 20 mints of 30 ms, of which one completes
// after the window, and 5 mints that fail, 2 of them after the window. A transfer from before the window completes in it.
func newMixResult(t *testing.T, worker int) WorkerResult {
	t.Helper()
	r := NewRequestRecorder(10, 5)
	r.SeparateOperations([]string{"Transfer", "Mint"}, mixSegments)
	record := func(kind string, of, at time.Duration, failed bool) {
		if failed {
			r.RecordFailed(at, 1)
			r.RecordError(of, 1, "Reverted", "")
		} else {
			r.RecordCompleted(at, 1)
			r.RecordLatency(of, at-of)
		}
		r.RecordOperation(of, at, kind, failed)
	}
	for i := range 100 {
		of := time.Duration(i) * 50 * time.Millisecond
		record("Transfer", of, of+10*time.Millisecond, false)
	}
	record("Transfer", -5*time.Millisecond, 5*time.Millisecond, false)
	for i := range 20 {
		of := 9*time.Second + time.Duration(i)*51*time.Millisecond
		record("Mint", of, of+31*time.Millisecond, false)
	}
	for i := range 5 {
		record("Mint", 9*time.Second, 9*time.Second+time.Duration(i)*300*time.Millisecond, true)
	}
	w := WorkerResult{Worker: worker, StartMillis: startMillis}
	if err := r.FillResult(&w); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestOperations(t *testing.T) {
	m := mergeWorkers(t, newMixResult(t, 0), newMixResult(t, 1))
	got := m.Operations()
	if len(got) != 2 {
		t.Fatalf("operations %+v", got)
	}
	for i, want := range []struct {
		name              string
		completed, failed int64
		share, errorShare float64
		known             LatencyValue
		unknown           *float64
	}{
		{"Transfer", 202, 0, 0.8, 0, LatencyValue{Name: "P95", Millis: new(10.0)}, got[0].Latency.P99},
		{"Mint", 38, 10, 0.2, 0.2, LatencyValue{Name: "P50", Millis: new(31.0)}, got[1].Latency.P90},
	} {
		t.Run(want.name, func(t *testing.T) {
			o := got[i]
			if o.Name != want.name || o.Completed != want.completed || o.Failed != want.failed || o.Share != want.share ||
				o.ErrorShare != want.errorShare || o.ThroughputPerSecond != float64(want.completed)/10 {
				t.Errorf("got %+v, want %+v", o, want)
			}
			for _, v := range o.Latency.Values() {
				if v.Name == want.known.Name && (v.Millis == nil || *v.Millis < *want.known.Millis || *v.Millis > 1.001**want.known.Millis) {
					t.Errorf("latency %+v, want %s of %g ms", o.Latency, v.Name, *want.known.Millis)
				}
			}
			if want.unknown != nil {
				t.Errorf("a percentile of too few latencies is %g ms", *want.unknown)
			}
		})
	}
	if s := m.Summarize(); s.Completed != got[0].Completed+got[1].Completed || s.Errors != got[0].Failed+got[1].Failed {
		t.Errorf("summary %+v, operations %+v", s, got)
	}
}

// TestOperationsBySegment checks the kinds in each segment, of all workers, and that they are unknown if a worker has other segments.
func TestOperationsBySegment(t *testing.T) {
	merged := func(segments []Segment) []SegmentMeasurement {
		merger := NewMerger(segments...)
		for i := range 2 {
			w := newMixResult(t, i)
			if err := merger.AddWorker(&w); err != nil {
				t.Fatal(err)
			}
		}
		return merger.Measurement().Segments
	}
	for i, want := range []string{"Transfer 202 0 1 40.4, Mint 0 0 0 0", "Transfer 0 0 0 0, Mint 38 10 1 7.6"} {
		t.Run(mixSegments[i].Name, func(t *testing.T) {
			var got []string
			for _, o := range merged(mixSegments)[i].Operations() {
				got = append(got, fmt.Sprint(o.Name, " ", o.Completed, o.Failed, o.Share, " ", o.ThroughputPerSecond))
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	if got := merged([]Segment{{Name: "all", Seconds: 10}})[0].Operations(); got != nil {
		t.Errorf("operations of other segments %+v", got)
	}
}

func TestHostileOperationSegmentsAreRejected(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(o *OperationCounts)
		want  string
	}{
		"as recorded":     {func(*OperationCounts) {}, ""},
		"too many":        {func(o *OperationCounts) { o.Segments = make([]OperationCounts, MaxRecordings/2+1) }, "operations[1].segments: 49, at most 48"},
		"negative count":  {func(o *OperationCounts) { o.Segments[0].Failed = -1 }, "operations[1].segments[0]: 0 completed or -1 failed"},
		"more than whole": {func(o *OperationCounts) { o.Segments[1].Completed = 1 << 62 }, "operations[1].segments[1]: 4611686018427387904 completed"},
		"no histogram":    {func(o *OperationCounts) { o.Segments[1].Histogram = "" }, "operations[1].segments[1]: decode histogram"},
		"one of two":      {func(o *OperationCounts) { o.Segments = o.Segments[:1] }, "operations[1].segments: 19 completions, 5 failures and 20 latencies"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newMixResult(t, 0)
			c.spoil(&w.Operations[1])
			if err := w.validate(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestOperationsAreUnknown checks that a measurement does not show kinds that do not make up all of it.
func TestOperationsAreUnknown(t *testing.T) {
	other, without, third := newMixResult(t, 1), newMixResult(t, 1), newMixResult(t, 2)
	other.Operations[1].Name, without.Operations = "Call", nil
	cut, err := other.SliceWindow(0, 5)
	if err != nil {
		t.Fatal(err)
	}
	for name, workers := range map[string][]WorkerResult{
		"other kinds":    {newMixResult(t, 0), other, third},
		"no kinds":       {newMixResult(t, 0), without, third},
		"kinds later":    {without, third},
		"part of window": {*cut},
		"no worker":      nil,
	} {
		t.Run(name, func(t *testing.T) {
			if got := mergeWorkers(t, workers...).Operations(); got != nil {
				t.Errorf("operations %+v", got)
			}
		})
	}
	segments := NewMerger(Segment{Name: "all", Seconds: 10})
	if err := segments.AddWorker(&third); err != nil {
		t.Fatal(err)
	}
	if m := segments.Measurement(); m.Operations() == nil || m.Segments[0].Operations() != nil {
		t.Errorf("window %+v, segment %+v", m.Operations(), m.Segments[0].Operations())
	}
}

func TestHostileOperationsAreRejected(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(w *WorkerResult)
		want  string
	}{
		"too many":             {func(w *WorkerResult) { w.Operations = make([]OperationCounts, MaxOperations+1) }, "operations: 9, at most 8"},
		"no name":              {func(w *WorkerResult) { w.Operations[0].Name = "" }, "operations[0].name"},
		"long name":            {func(w *WorkerResult) { w.Operations[1].Name = strings.Repeat("x", maxNameBytes+1) }, "operations[1].name"},
		"repeated name":        {func(w *WorkerResult) { w.Operations[1].Name = "Transfer" }, "operations[1].name"},
		"negative count":       {func(w *WorkerResult) { w.Operations[0].Failed = -1 }, "is not between 0"},
		"huge count":           {func(w *WorkerResult) { w.Operations[0].Completed = largestCount + 1 }, "is not between 0"},
		"no histogram":         {func(w *WorkerResult) { w.Operations[0].Histogram = "" }, "operations[0]: decode histogram"},
		"other range":          {func(w *WorkerResult) { w.Operations[0].Histogram = encodeFullRangeHistogram() }, "operations[0]: histogram: range"},
		"more completions":     {func(w *WorkerResult) { w.Operations[1].Completed++ }, "more requests than the whole"},
		"fewer completions":    {func(w *WorkerResult) { w.Operations[1].Completed-- }, "1 completions and 0 latencies of the whole are missing"},
		"more failures":        {func(w *WorkerResult) { w.Operations[1].Failed++ }, "more requests than the whole"},
		"more latencies":       {func(w *WorkerResult) { w.Operations[1].Histogram = w.Histogram }, "more requests than the whole"},
		"fewer latencies":      {func(w *WorkerResult) { w.Operations[0].Histogram = w.Operations[1].Histogram }, "80 latencies of the whole are missing"},
		"failures not sent":    {func(w *WorkerResult) { w.Operations[1].Failed-- }, ""},
		"a single kind of two": {func(w *WorkerResult) { w.Operations = w.Operations[:1] }, "of the whole are missing"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newMixResult(t, 0)
			for i := range w.Operations {
				w.Operations[i].Segments = nil
			}
			c.spoil(&w)
			if err := w.validate(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestRecordOperationDoesNotAllocate(t *testing.T) {
	r := NewRequestRecorder(10, 0)
	r.SeparateOperations([]string{"Transfer", "Mint"}, mixSegments)
	if n := testing.AllocsPerRun(100, func() {
		r.RecordOperation(0, time.Second, "Mint", false)
		r.RecordOperation(0, time.Second, "Call", true)
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
	var w WorkerResult
	if err := r.FillResult(&w); err != nil {
		t.Fatal(err)
	}
	if kinds := []string{w.Operations[0].Name, w.Operations[1].Name}; !reflect.DeepEqual(kinds, []string{"Transfer", "Mint"}) ||
		w.Operations[0].Completed != 0 || w.Operations[1].Completed != 101 {
		t.Errorf("operations %+v", w.Operations)
	}
}
