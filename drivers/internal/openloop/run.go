package openloop

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/benchnet/benchnet/drivers/internal/worker"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

const (
	// progressInterval is how often progress is reported.
	progressInterval = time.Second
	// stopPollInterval is how often the driver checks for the stop file.
	stopPollInterval = 100 * time.Millisecond
	// waitingPollInterval is how often the driver checks for the end of the last operation.
	waitingPollInterval = 5 * time.Millisecond
	// sampleTimeout is the maximum delay of a sample.
	sampleTimeout = 900 * time.Millisecond
)

// Run is the measured part of a run: all senders of a worker.
type Run struct {
	Worker   *worker.Worker
	Window   *protocol.Window
	Recorder *Recorder
	// Senders return when they have submitted everything, or when ctx ends.
	Senders []func(ctx context.Context)
	// Helpers run until the load has ended.
	Helpers []func(ctx context.Context)
	// CountWaiting returns how many operations wait for a block.
	CountWaiting func() int64
	// StopWatcher stops the report of blocks.
	StopWatcher func()
	// FailWaiting fails all operations that wait for a block.
	FailWaiting func(kind string, now time.Time)
	targets     []*TargetSeries
}

// AddTarget adds empty series of one of a number of targets. If several workers submit to one target, each has its own
// series.
func (r *Run) AddTarget(name string, targets int) *TargetSeries {
	if r.Worker.Workers > targets {
		name = fmt.Sprintf("%s (worker %d)", name, r.Worker.Index)
	}
	t := NewTargetSeries(name, r.Window)
	r.targets = append(r.targets, t)
	return t
}

// AddSampler adds a helper that calls sample at the end of each second of the window. It logs a failure of the first
// sample.
func (r *Run) AddSampler(member string, sample func(ctx context.Context, second int) error) {
	r.Helpers = append(r.Helpers, func(ctx context.Context) {
		for second := range r.Window.MaxSeconds() {
			SleepUntil(ctx, r.Window.From().Add(time.Duration(second+1)*time.Second))
			if ctx.Err() != nil {
				return
			}
			bounded, cancel := context.WithTimeout(ctx, sampleTimeout)
			err := sample(bounded, second)
			cancel()
			if err != nil && second == 0 {
				slog.Warn("transaction pool not recorded", "member", member, "err", err)
			}
		}
	})
}

// Measure applies the load and returns the result without the ledger. It fails if ctx ends first.
func (r *Run) Measure(ctx context.Context) (*measurement.WorkerResult, error) {
	helperCtx, stopHelpers := context.WithCancel(ctx)
	defer stopHelpers()
	var helpers sync.WaitGroup
	helpers.Go(func() {
		CallPeriodically(helperCtx, progressInterval, func() { r.Worker.ReportProgress(r.Recorder.Progress(time.Now())) })
	})
	if r.Window.StopsEarly() {
		helpers.Go(func() { CallPeriodically(helperCtx, stopPollInterval, func() { r.Worker.ApplyStop(r.Window) }) })
	}
	for _, help := range r.Helpers {
		helpers.Go(func() { help(helperCtx) })
	}
	r.applyLoad(ctx)
	stopHelpers()
	helpers.Wait()
	if ctx.Err() != nil {
		return nil, worker.ErrStopped
	}
	// Blocks that arrive after this count neither for the clients nor for the ledger.
	r.StopWatcher()
	now := time.Now()
	r.Worker.ReportProgress(r.Recorder.Progress(now))
	r.FailWaiting(measurement.Unfinished, now)
	result, err := r.Recorder.Result(r.Worker.Index)
	if err != nil {
		return nil, err
	}
	for _, t := range r.targets {
		result.Series = append(result.Series, t.Series()...)
	}
	return result, nil
}

// applyLoad runs the senders. Then it waits until the window has ended and no operation is outstanding, or
// until the drain ends.
func (r *Run) applyLoad(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		if r.Window.WaitUntilClosed(ctx) == nil {
			SleepUntil(ctx, r.Window.DrainEnd())
		}
	}()
	var senders sync.WaitGroup
	for _, run := range r.Senders {
		senders.Go(func() { run(ctx) })
	}
	senders.Wait()
	for ctx.Err() == nil {
		if r.CountWaiting() == 0 && time.Now().After(r.Window.To()) {
			return
		}
		time.Sleep(waitingPollInterval)
	}
}
