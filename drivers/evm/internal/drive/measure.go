package drive

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/load"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

const (
	// progressInterval is how often progress is reported.
	progressInterval = time.Second
	// stopPollInterval is how often the driver checks for the stop file.
	stopPollInterval = 100 * time.Millisecond
	// poolTimeout is the maximum delay of a sample of a pool.
	poolTimeout = 900 * time.Millisecond
)

// measureRun applies the load and returns the result.
func (c *session) measureRun(ctx context.Context, window *protocol.Window, report func(protocol.Progress)) (*measurement.WorkerResult, error) {
	recorder := load.NewRecorder(window)
	c.tracker.SetOutcomes(recorder)
	c.blocks.setRecorder(recorder)
	targets := c.newTargetSeries(window)

	helperCtx, stopHelpers := context.WithCancel(ctx)
	var helpers sync.WaitGroup
	helpers.Go(func() { reportProgress(helperCtx, recorder, report) })
	helpers.Go(func() { c.resendLost(helperCtx) })
	if window.StopsEarly() {
		helpers.Go(func() { callPeriodically(helperCtx, stopPollInterval, func() { c.driver.applyStop(window) }) })
	}
	for i, h := range c.senders {
		if c.samplesPoolOf(h) {
			helpers.Go(func() { c.samplePool(helperCtx, h, window, targets[i]) })
		}
	}
	c.applyLoad(ctx, window, recorder, targets)
	stopHelpers()
	helpers.Wait()
	if ctx.Err() != nil {
		return nil, errStopped
	}
	// Blocks that arrive after this count neither for the clients nor for the ledger.
	c.stopWatcher()
	now := time.Now()
	report(recorder.Progress(now))
	c.tracker.FailWaiting(measurement.Unfinished, now)
	result, err := recorder.Result(c.driver.Index)
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		result.Series = append(result.Series, t.Series()...)
	}
	result.Ledger = c.compareLedger(ctx)
	return result, nil
}

// newTargetSeries returns the series of each sender's target. If several workers send to one target, each has
// its own series.
func (c *session) newTargetSeries(window *protocol.Window) []*load.TargetSeries {
	var all []*load.TargetSeries
	for _, h := range c.senders {
		subject := c.driver.Workload.Targets[h.Target].Name
		if c.driver.Workers > len(c.driver.Workload.Targets) {
			subject = fmt.Sprintf("%s (worker %d)", subject, c.driver.Index)
		}
		all = append(all, load.NewTargetSeries(subject, window))
	}
	return all
}

// applyLoad runs the senders. Then it waits until the window has ended and no transfer is outstanding, or
// until the drain ends.
func (c *session) applyLoad(ctx context.Context, window *protocol.Window, recorder *load.Recorder, targets []*load.TargetSeries) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		if window.WaitUntilClosed(ctx) == nil {
			sleepUntil(ctx, window.DrainEnd())
		}
	}()
	var senders sync.WaitGroup
	for i, h := range c.senders {
		senders.Go(func() { h.Run(ctx, window, recorder, targets[i]) })
	}
	senders.Wait()
	for ctx.Err() == nil {
		if waiting, _ := c.tracker.Counts(); waiting == 0 && time.Now().After(window.To()) {
			return
		}
		time.Sleep(startPollInterval)
	}
}

func reportProgress(ctx context.Context, recorder *load.Recorder, report func(protocol.Progress)) {
	callPeriodically(ctx, progressInterval, func() { report(recorder.Progress(time.Now())) })
}

// resendLost periodically resends transfers that nodes have lost.
func (c *session) resendLost(ctx context.Context) {
	callPeriodically(ctx, time.Second, func() {
		overdue := c.tracker.ListOverdue(time.Now().Add(-load.OverdueAfter))
		for _, h := range c.senders {
			if accounts := overdue[h.Index]; len(accounts) > 0 {
				if err := h.ResendLost(ctx, accounts); err != nil && ctx.Err() == nil {
					slog.Warn("lost transactions not found", "member", h.Node.Name, "err", err)
				}
			}
		}
	})
}

func callPeriodically(ctx context.Context, interval time.Duration, do func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			do()
		}
	}
}

// samplesPoolOf reports whether this worker samples the pool of the sender's target. If several workers send
// to it, only the first one does.
func (c *session) samplesPoolOf(h *preparedSender) bool {
	return h.Index < len(c.driver.Workload.Targets)
}

// samplePool samples the node's pool at the end of each second of the window.
func (c *session) samplePool(ctx context.Context, h *preparedSender, window *protocol.Window, target *load.TargetSeries) {
	for second := range window.MaxSeconds() {
		sleepUntil(ctx, window.From().Add(time.Duration(second+1)*time.Second))
		if ctx.Err() != nil {
			return
		}
		bounded, cancel := context.WithTimeout(ctx, poolTimeout)
		pending, queued, err := h.Node.PoolStatus(bounded)
		cancel()
		if err != nil {
			if second == 0 {
				slog.Warn("transaction pool not recorded", "member", h.Node.Name, "err", err)
			}
			continue
		}
		target.RecordPool(second, pending, queued)
	}
}

func sleepUntil(ctx context.Context, instant time.Time) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Until(instant)):
	}
}
