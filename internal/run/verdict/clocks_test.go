package verdict

import (
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// TestWorkerClocks judges two workers by their offsets to a common reference, with an error of 2 ms each.
func TestWorkerClocks(t *testing.T) {
	clock := func(reference string, before, after float64) *measurement.WorkerClock {
		return &measurement.WorkerClock{Reference: reference, Before: &measurement.ClockOffset{OffsetMillis: before, ErrorMillis: 2}, After: &measurement.ClockOffset{OffsetMillis: after, ErrorMillis: 2}}
	}
	for name, c := range map[string]struct {
		first, second  *measurement.WorkerClock
		record         bool
		reasons, notes string
	}{
		"equal":                   {first: clock("member-0", 300, 300), second: clock("member-0", 303, 303)},
		"unknown":                 {second: clock("member-0", 300, 300), notes: "ClockUnknown/worker-0"},
		"never answered":          {first: &measurement.WorkerClock{Reference: "member-0"}, second: clock("member-0", 300, 300), notes: "ClockUnknown/worker-0"},
		"within the error":        {first: clock("member-0", 0, 0), second: clock("member-0", 14, 14)},
		"noted":                   {first: clock("member-0", 0, 0), second: clock("member-0", 20, 20), notes: "ClockSkewed/worker-1"},
		"apart":                   {first: clock("member-0", -90, -90), second: clock("member-0", 40, 40), reasons: "ClockSkewed/worker-1"},
		"apart, recorded":         {first: clock("member-0", -90, -90), second: clock("member-0", 40, 40), record: true, notes: "ClockSkewed/worker-1"},
		"of different references": {first: clock("member-1", 500, 500), second: clock("member-0", 0, 0), notes: "ClockUnknown/worker-1"},
		"set during the run":      {first: clock("member-0", 0, 0), second: clock("member-0", 0, 250), reasons: "ClockSkewed/worker-1", notes: "ClockSkewed/worker-1"},
		"both set":                {first: clock("member-0", 0, 40), second: clock("member-0", 0, 40), notes: "ClockSkewed/worker-0 ClockSkewed/worker-1"},
	} {
		t.Run(name, func(t *testing.T) {
			m, observations := newQuietRun(t)
			m.Workers[0].Clock, m.Workers[1].Clock = c.first, c.second
			tolerances := DefaultTolerances()
			tolerances.RecordEnvironment = c.record
			got := Judge(m, observations, tolerances)
			if joinCodes(got.Reasons) != c.reasons || joinCodes(got.Notes) != c.notes {
				t.Errorf("reasons %q, notes %q; want %q and %q", joinCodes(got.Reasons), joinCodes(got.Notes), c.reasons, c.notes)
			}
		})
	}
}
