package work

import (
	"slices"
	"time"

	"github.com/benchnet/benchnet/internal/run/protocol"
)

// recentLoad divides the load of a worker into steps.
type recentLoad struct {
	steps []protocol.RecentLoad
	// totals holds the totals at the end of the last step; nil before the first.
	totals *protocol.LoadTotals
}

// addTotals adds the step that ends at the multiple of protocol.RecentStep that is nearest to elapsed, the time since the
// start of the load. It adds none if that step exists, and removes the oldest beyond protocol.MaxRecent.
func (r *recentLoad) addTotals(elapsed time.Duration, totals *protocol.LoadTotals) {
	end := int32(elapsed.Round(protocol.RecentStep) / time.Second)
	if end <= 0 || len(r.steps) > 0 && end <= r.steps[len(r.steps)-1].Seconds {
		return
	}
	if r.totals == nil {
		r.totals = protocol.NewLoadTotals()
	}
	step := totals.Since(r.totals)
	r.totals = totals
	r.steps = append(r.steps, protocol.RecentLoad{Seconds: end, Completed: step.Completed(), P95Micros: step.QuantileMicros(0.95)})
	r.steps = slices.Clone(r.steps[max(0, len(r.steps)-protocol.MaxRecent):])
}
