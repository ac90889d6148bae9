package work

import (
	"cmp"
	"context"
	"os"
	"time"

	"github.com/benchnet/benchnet/internal/agent/observer"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/results"
)

// observation is what the agent saw during the window.
type observation struct {
	observer.Observation
	load *results.Load
}

// add puts what the agent saw into the worker's result, and the unit that the workload names.
func (w *Worker) add(seen observation, r *results.Worker) {
	r.Members, r.Load = seen.Members, seen.load
	for i := range r.Members {
		if clock := r.Members[i].Clock; clock != nil {
			clock.Worker = w.Index
		}
	}
	r.Series = append(r.Series, seen.Series...)
	r.Unit = cmp.Or(r.Unit, w.Workload.Unit)
}

// watch observes the worker's share of the members, and its own container, over the window of a run that begins at
// start. It gives the observation when the window or ctx has ended.
func (w *Worker) watch(ctx context.Context, start time.Time) <-chan observation {
	m := w.Workload.Measure
	done := make(chan observation, 1)
	go func() {
		own := make(chan *results.Load, 1)
		go func() { own <- w.ownLoad(ctx, m.WindowStart(start), m.WindowEnd(start)) }()
		share := observer.Share(w.Workload.Observe, w.Index, w.Workers)
		seen := observer.Observe(ctx, share, m.WindowStart(start), m.WindowSeconds, w.Scrape)
		done <- observation{seen, <-own}
	}()
	return done
}

// ownLoad is what this container uses between two instants; nil if that cannot be told.
func (w *Worker) ownLoad(ctx context.Context, from, to time.Time) *results.Load {
	before, err1 := w.lookAt(ctx, from)
	after, err2 := w.lookAt(ctx, to)
	if err1 != nil || err2 != nil {
		w.Log("the worker's own CPU use is not known: %v, %v", err1, err2)
		return nil
	}
	return observer.LoadBetween(before, after)
}

func (w *Worker) lookAt(ctx context.Context, instant time.Time) (observer.Sight, error) {
	select {
	case <-ctx.Done():
		return observer.Sight{}, ctx.Err()
	case <-time.After(time.Until(instant)):
		return observer.Look(w.Usage)
	}
}

// carryProgress brings the driver's progress to the API server as long as ctx lasts.
func (w *Worker) carryProgress(ctx context.Context) {
	last := ""
	for ticks := time.NewTicker(progressEvery); ; {
		select {
		case <-ctx.Done():
			ticks.Stop()
			return
		case <-ticks.C:
			last = w.copyProgress(ctx, last)
		}
	}
}

// copyProgress reports the driver's progress if it is not last, and returns what was reported last.
func (w *Worker) copyProgress(ctx context.Context, last string) string {
	content, err := os.ReadFile(w.path(protocol.ProgressFile))
	if err != nil || string(content) == last {
		return last
	}
	if err := w.Report.Progress(ctx, string(content)); err != nil {
		w.Log("report progress: %v", err)
		return last
	}
	return string(content)
}
