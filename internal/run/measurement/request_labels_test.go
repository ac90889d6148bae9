package measurement

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestLabels checks that requests are counted by label over all workers, also in a part of the window, and that a plan
// with a label per user costs a bounded number of them.
func TestLabels(t *testing.T) {
	recorder := NewRequestRecorder(2, 1)
	recorder.RecordLabel(0, "browse", false)
	recorder.RecordLabel(0, "buy", true)
	recorder.RecordLabel(time.Second, "buy", false)
	recorder.RecordLabel(2*time.Second, "buy", false) // after the window
	for user := range 2 * maxLabels {
		recorder.RecordLabel(time.Second, fmt.Sprintf("user %02d %s", user, strings.Repeat("é", 300)), false)
	}
	whole := WorkerResult{StartMillis: 1}
	if err := recorder.FillResult(&whole); err != nil {
		t.Fatal(err)
	}
	first, err := whole.SliceWindow(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := []LabelCount{{"browse", 1, 0}, {"buy", 1, 1}}; !reflect.DeepEqual(first.Labels, want) {
		t.Errorf("the first second has %+v, want %+v", first.Labels, want)
	}
	other := whole
	other.Worker = 1
	merged, err := Merge([]WorkerResult{whole, other})
	if err != nil {
		t.Fatal(err)
	}
	var requests, errors int64
	for _, l := range merged.Labels {
		requests, errors = requests+l.Requests, errors+l.Errors
		if n := len([]rune(l.Label)); n > maxExampleChars {
			t.Errorf("a label of %d characters", n)
		}
	}
	if n := len(merged.Labels); n > maxLabels+1 || merged.Labels[0].Label != OtherLabels || requests != 2*(3+2*maxLabels) || errors != 2 {
		t.Errorf("%d labels, first %q, %d requests, %d errors", n, merged.Labels[0].Label, requests, errors)
	}
}
