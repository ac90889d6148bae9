package observer

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/agent/host"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/results"
)

// TestSkewedNodeIsJudged measures the clocks of two workers on two nodes. The run is invalid if the nodes' clocks are
// further apart than a window permits, and valid if only the member's node has another time.
func TestSkewedNodeIsJudged(t *testing.T) {
	member := []protocol.ObservedEndpoint{{Member: "member-0", URL: "up"}}
	for name, c := range map[string]struct {
		aheadOfFirst, aheadOfSecond time.Duration
		skewed                      bool
	}{
		"second worker's node is 400 ms behind": {0, 400 * time.Millisecond, true},
		"member's node is 400 ms ahead":         {400 * time.Millisecond, 400 * time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := &results.Measurement{WindowSeconds: 1, Completed: []int64{1}, Failed: []int64{0}, Histogram: results.NewHistogram()}
			for i, ahead := range []time.Duration{c.aheadOfFirst, c.aheadOfSecond} {
				o, offset := CompareWithReference(t.Context(), member, scrapeClock(ahead))
				m.Workers = append(m.Workers, results.WorkerSummary{Worker: i,
					Clock: &results.WorkerClock{Reference: o.Member, Before: offset, After: offset}})
			}
			verdict := m.Judge(results.RunObservations{ExpectedWorkers: 2}, results.DefaultTolerances())
			got := slices.ContainsFunc(verdict.Reasons, func(r results.Reason) bool { return r.Code == results.ClockSkewed })
			if got != c.skewed {
				t.Errorf("ClockSkewed is a reason: %t, want %t; %+v", got, c.skewed, verdict.Reasons)
			}
		})
	}
}

// scrapeClock returns the clock of a node that is ahead of this one.
func scrapeClock(ahead time.Duration) ScrapeFunc {
	return func(context.Context, string, []string) (map[string]float64, error) {
		return map[string]float64{host.Clock: float64(time.Now().Add(ahead).UnixNano()) / 1e9}, nil
	}
}
