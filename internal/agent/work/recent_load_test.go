package work

import (
	"slices"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/protocol"
)

func TestRecentLoad(t *testing.T) {
	var r recentLoad
	totals := protocol.NewLoadTotals()
	add := func(elapsed time.Duration, completed int) {
		for range completed {
			totals.AddCompleted(time.Millisecond)
		}
		r.addTotals(elapsed, totals.Clone())
	}
	add(time.Second, 1)
	add(5100*time.Millisecond, 2)
	add(7*time.Second, 4)
	add(9900*time.Millisecond, 0)
	add(20*time.Second, 0)
	want := []protocol.RecentLoad{{Seconds: 5, Completed: 3, P95Micros: 950}, {Seconds: 10, Completed: 4, P95Micros: 950}, {Seconds: 20}}
	if !slices.Equal(r.steps, want) {
		t.Errorf("steps %+v, want %+v", r.steps, want)
	}
	for i := range 100 {
		add(time.Duration(25+5*i)*time.Second, i)
	}
	if first, last := r.steps[0], r.steps[len(r.steps)-1]; len(r.steps) != protocol.MaxRecent || first.Completed != 40 || last.Completed != 99 || last.Seconds != 520 {
		t.Errorf("%d steps from %+v to %+v, want the last %d", len(r.steps), first, last, protocol.MaxRecent)
	}
}

func TestRecentStepsWithoutNewTotals(t *testing.T) {
	w := newLoadedWorker(t, "{}")
	w.window.Store(w.Workload.Measure.NewWindow(time.Now().Add(-10 * time.Second)))
	totals := protocol.NewLoadTotals()
	totals.AddCompleted(time.Millisecond)
	if got := w.recentSteps(totals, time.Now()); len(got) != 1 || got[0].Seconds != 10 || got[0].Completed != 1 {
		t.Errorf("steps %+v, want one that ends after 10 s", got)
	}
	if got := w.recentSteps(nil, time.Now()); len(got) != 1 {
		t.Errorf("steps %+v, want those of before", got)
	}
}
