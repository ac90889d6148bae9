package drive

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/benchnet/benchnet/drivers/evm/internal/load"
	"github.com/benchnet/benchnet/drivers/evm/internal/record"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/results"
)

const (
	// progressEvery is how often progress is told.
	progressEvery = time.Second
	// stopEvery is how often the stop file is looked for.
	stopEvery = 100 * time.Millisecond
	// poolTimeout is how late a sample of a pool may be.
	poolTimeout = 900 * time.Millisecond
)

// measure applies the load and makes the result.
func (c *crew) measure(ctx context.Context, window *protocol.Window, tell func(protocol.Progress)) (*results.Worker, error) {
	recorder := record.NewRecorder(window)
	c.tracker.Tell(recorder)
	c.blocks.tell(recorder)
	targets := c.targets(window)

	beside, stopBeside := context.WithCancel(ctx)
	var helpers sync.WaitGroup
	helpers.Go(func() { progress(beside, recorder, tell) })
	helpers.Go(func() { c.repair(beside) })
	if window.IntervalSeconds() > 0 {
		helpers.Go(func() { every(beside, stopEvery, func() { c.worker.heedStop(window) }) })
	}
	for i, h := range c.hands {
		if c.samples(h) {
			helpers.Go(func() { c.samplePool(beside, h, window, targets[i]) })
		}
	}
	c.apply(ctx, window, recorder, targets)
	stopBeside()
	helpers.Wait()
	if ctx.Err() != nil {
		return nil, errStopped
	}
	now := time.Now()
	tell(recorder.Progress(now))
	c.tracker.Close(results.Unfinished, now)
	result, err := recorder.Result(c.worker.Index)
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		result.Series = append(result.Series, t.Series()...)
	}
	result.Ledger = c.ledger(ctx)
	return result, nil
}

// targets records series of each sender's target. Senders of several workers to one target have series of their own.
func (c *crew) targets(window *protocol.Window) []*record.Target {
	var made []*record.Target
	for _, h := range c.hands {
		subject := c.worker.Workload.Targets[h.Target].Name
		if c.worker.Workers > len(c.worker.Workload.Targets) {
			subject = fmt.Sprintf("%s (worker %d)", subject, c.worker.Index)
		}
		made = append(made, record.NewTarget(subject, window))
	}
	return made
}

// apply runs the senders, and then waits until nothing is under way or the drain is over.
func (c *crew) apply(ctx context.Context, window *protocol.Window, recorder *record.Recorder, targets []*record.Target) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		if window.Await(ctx) == nil {
			sleepUntil(ctx, window.DrainEnd())
		}
	}()
	var senders sync.WaitGroup
	for i, h := range c.hands {
		senders.Go(func() { h.Run(ctx, window, recorder, targets[i]) })
	}
	senders.Wait()
	for ctx.Err() == nil {
		if waiting, _ := c.tracker.Counts(); waiting == 0 && time.Now().After(window.To()) {
			return
		}
		time.Sleep(startEvery)
	}
}

func progress(ctx context.Context, recorder *record.Recorder, tell func(protocol.Progress)) {
	every(ctx, progressEvery, func() { tell(recorder.Progress(time.Now())) })
}

// repair looks for what nodes have lost.
func (c *crew) repair(ctx context.Context) {
	every(ctx, time.Second, func() {
		overdue := c.tracker.Overdue(time.Now().Add(-load.OverdueAfter))
		for _, h := range c.hands {
			if accounts := overdue[h.Index]; len(accounts) > 0 {
				if err := h.Repair(ctx, accounts); err != nil && ctx.Err() == nil {
					c.worker.Log("looking for lost transactions: %v", err)
				}
			}
		}
	})
}

func every(ctx context.Context, interval time.Duration, do func()) {
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

// samples is whether this worker samples the pool of the sender's target: only the first of several workers does.
func (c *crew) samples(h *hand) bool { return h.Index < len(c.worker.Workload.Targets) }

// samplePool asks for the node's pool at the end of each second of the window.
func (c *crew) samplePool(ctx context.Context, h *hand, window *protocol.Window, target *record.Target) {
	for second := range window.Longest() {
		sleepUntil(ctx, window.From().Add(time.Duration(second+1)*time.Second))
		if ctx.Err() != nil {
			return
		}
		bounded, cancel := context.WithTimeout(ctx, poolTimeout)
		pending, queued, err := h.Node.Pool(bounded)
		cancel()
		if err != nil {
			if second == 0 {
				c.worker.Log("the transaction pool is not recorded: %v", err)
			}
			continue
		}
		target.Pool(second, pending, queued)
	}
}

func sleepUntil(ctx context.Context, instant time.Time) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Until(instant)):
	}
}

// ledger compares the transfers seen in blocks with how far the accounts' nonces have come, at the height of the last block seen.
func (c *crew) ledger(ctx context.Context) *results.Ledger {
	c.stop()
	<-c.stopped
	c.stop = nil
	_, included := c.tracker.Counts()
	made := &results.Ledger{Expected: included, Checked: true}
	height := hexutil.EncodeUint64(c.blocks.height())
	for _, h := range c.hands {
		nonces, err := h.Node.Nonces(ctx, h.addresses(), height)
		if err != nil {
			return &results.Ledger{Expected: included, Reason: fmt.Sprintf("the accounts' nonces could not be read: %v", err)}
		}
		for i, nonce := range nonces {
			made.Recorded += int64(nonce) - int64(h.first[i])
		}
	}
	return made
}
