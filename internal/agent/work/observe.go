package work

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"github.com/benchnet/benchnet/internal/agent/observer"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/results"
)

// workerObservation is what the agent saw during the window.
type workerObservation struct {
	observer.Observation
	ownLoad *results.WorkerUsage
}

// addObservation cuts the worker's result to the window as it was in the end, and puts into it what the agent saw, and the unit that the workload
// names.
func (w *Worker) addObservation(window *protocol.Window, seen workerObservation, r *results.WorkerResult) (*results.WorkerResult, error) {
	r, err := r.SliceWindow(0, window.Seconds())
	if err != nil {
		return nil, err
	}
	r.Members, r.Load = seen.Members, seen.ownLoad
	for i := range r.Members {
		if clock := r.Members[i].Clock; clock != nil {
			clock.Worker = w.Index
		}
	}
	r.Series = append(r.Series, seen.Series...)
	r.Unit = cmp.Or(r.Unit, w.Workload.Unit)
	return r, nil
}

// startObserving observes the worker's share of the members, and its own container, over the window. It gives the observation when the
// window or ctx has ended.
func (w *Worker) startObserving(ctx context.Context, window *protocol.Window) <-chan workerObservation {
	done := make(chan workerObservation, 1)
	go func() {
		own := make(chan *results.WorkerUsage, 1)
		go func() { own <- w.measureOwnLoad(ctx, window) }()
		share := observer.SelectEndpoints(w.Workload.Observe, w.Index, w.Workers)
		seen := observer.Observe(ctx, share, window, w.Scrape)
		done <- workerObservation{seen, <-own}
	}()
	return done
}

// measureOwnLoad is what this container uses over the window; nil if that cannot be told.
func (w *Worker) measureOwnLoad(ctx context.Context, window *protocol.Window) *results.WorkerUsage {
	before, err1 := w.sampleContainerAt(ctx, window.From())
	err2 := window.WaitUntilClosed(ctx)
	after, err3 := observer.SampleContainer(w.OwnUsage)
	if err := errors.Join(err1, err2, err3); err != nil {
		w.Log("the worker's own CPU use is not known: %v", err)
		return nil
	}
	load := observer.LoadBetween(before, after)
	load.Seconds = window.Seconds()
	return load
}

func (w *Worker) sampleContainerAt(ctx context.Context, instant time.Time) (observer.ContainerSample, error) {
	select {
	case <-ctx.Done():
		return observer.ContainerSample{}, ctx.Err()
	case <-time.After(time.Until(instant)):
		return observer.SampleContainer(w.OwnUsage)
	}
}

// forwardProgress brings the driver's progress to the API server as long as ctx lasts.
func (w *Worker) forwardProgress(ctx context.Context) {
	last := ""
	for ticks := time.NewTicker(progressInterval); ; {
		select {
		case <-ctx.Done():
			ticks.Stop()
			return
		case <-ticks.C:
			last = w.reportProgress(ctx, last)
		}
	}
}

// reportProgress reports the driver's progress if it is not last, and returns what was reported last.
func (w *Worker) reportProgress(ctx context.Context, last string) string {
	content, err := os.ReadFile(w.filePath(protocol.ProgressFile))
	if err != nil || string(content) == last {
		return last
	}
	if err := w.Reporter.WriteProgress(ctx, string(content)); err != nil {
		w.Log("report progress: %v", err)
		return last
	}
	return string(content)
}
