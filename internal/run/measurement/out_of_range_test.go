package measurement

import (
	"testing"
	"time"
)

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
