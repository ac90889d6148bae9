package protocol

import (
	"testing"
	"time"
)

// FuzzReadWorkload checks that the window of every accepted workload file has a positive length and does not
// open before the start.
func FuzzReadWorkload(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"measure":{"windowSeconds":60,"warmUpSeconds":5,"drainSeconds":1,"intervalSeconds":5},"unit":"flows",
		"observe":[{"member":"member-0","url":"http://member-0:9101/metrics","everySeconds":5,"series":[{"name":"a","metric":"b","kind":"Counter"}]}]}`,
		`{"measure":{"windowSeconds":9223372036854775807}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, err := readWorkloadText(t, text)
		if err != nil {
			return
		}
		start := time.Unix(1_700_000_000, 0)
		if from, to := w.Measure.WindowStart(start), w.Measure.WindowEnd(start); from.Before(start) || !to.After(from) {
			t.Errorf("the window of %+v lies from %s to %s", w.Measure, from, to)
		}
	})
}
