package work

import (
	"cmp"
	"context"
	"errors"
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

// add cuts the worker's result to the window as it was in the end, and puts into it what the agent saw, and the unit that the workload
// names.
func (w *Worker) add(window *protocol.Window, seen observation, r *results.Worker) (*results.Worker, error) {
	r, err := r.Cut(0, window.Seconds())
	if err != nil {
		return nil, err
	}
	r.Members, r.Load = seen.Members, seen.load
	for i := range r.Members {
		if clock := r.Members[i].Clock; clock != nil {
			clock.Worker = w.Index
		}
	}
	r.Series = append(r.Series, seen.Series...)
	r.Unit = cmp.Or(r.Unit, w.Workload.Unit)
	return r, nil
}

// watch observes the worker's share of the members, and its own container, over the window. It gives the observation when the
// window or ctx has ended.
func (w *Worker) watch(ctx context.Context, window *protocol.Window) <-chan observation {
	done := make(chan observation, 1)
	go func() {
		own := make(chan *results.Load, 1)
		go func() { own <- w.ownLoad(ctx, window) }()
		share := observer.Share(w.Workload.Observe, w.Index, w.Workers)
		seen := observer.Observe(ctx, share, window, w.Scrape)
		done <- observation{seen, <-own}
	}()
	return done
}

// ownLoad is what this container uses over the window; nil if that cannot be told.
func (w *Worker) ownLoad(ctx context.Context, window *protocol.Window) *results.Load {
	before, err1 := w.lookAt(ctx, window.From())
	err2 := window.Await(ctx)
	after, err3 := observer.Look(w.Usage)
	if err := errors.Join(err1, err2, err3); err != nil {
		w.Log("the worker's own CPU use is not known: %v", err)
		return nil
	}
	load := observer.LoadBetween(before, after)
	load.Seconds = window.Seconds()
	return load
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
