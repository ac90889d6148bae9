package drive

import (
	"context"
	"log/slog"
	"math/big"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/load"
	"github.com/benchnet/benchnet/drivers/internal/openloop"
	"github.com/benchnet/benchnet/internal/platform/evm"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// Measure returns the lengths of the run's phases.
func (c *session) Measure() protocol.MeasureTimes { return c.workload.Measure }

// MeasureRun applies the load and returns the result.
func (c *session) MeasureRun(ctx context.Context, window *protocol.Window) (*measurement.WorkerResult, error) {
	recorder := openloop.NewRecorder(window, evm.OperationUnit)
	if kinds := c.workload.Operation.MixedKinds(); len(kinds) > 1 {
		recorder.SeparateOperations(kinds, c.workload.Segments)
	}
	c.tracker.SetOutcomes(recorder)
	c.blocks.setRecorder(recorder)
	run := openloop.Run{Worker: c.worker, Window: window, Recorder: recorder, StopWatcher: c.stopWatcher, FailWaiting: c.tracker.FailWaiting,
		CountWaiting: func() int64 { waiting, _ := c.tracker.Counts(); return waiting }}
	for _, h := range c.senders {
		target := run.AddTarget(c.workload.Targets[h.Target].Name, len(c.workload.Targets))
		h.RecordResent = target.NewCounter(evm.SeriesResent, "1/s")
		recordPending, recordQueued := target.NewGauge(evm.SeriesPending, evm.OperationUnit), target.NewGauge(evm.SeriesQueued, evm.OperationUnit)
		run.Senders = append(run.Senders, func(ctx context.Context) { h.Run(ctx, window, recorder, target) })
		if !c.samplesPoolOf(h) {
			continue
		}
		recordBaseFee := target.NewGauge(evm.SeriesBaseFee, "gwei")
		run.AddSampler(h.Node.Name, func(ctx context.Context, second int) error {
			recordBaseFee(second, weiToGwei(c.blocks.newestBlock().BaseFee.ToInt()))
			pending, queued, err := h.Node.PoolStatus(ctx)
			if err == nil {
				recordPending(second, float64(pending))
				recordQueued(second, float64(queued))
			}
			return err
		})
	}
	run.Helpers = append(run.Helpers, c.resendLost)
	result, err := run.Measure(ctx)
	if err != nil {
		return nil, err
	}
	result.Ledger = c.compareLedger(ctx)
	return result, nil
}

// weiToGwei converts an amount in wei to gwei.
func weiToGwei(wei *big.Int) float64 {
	gwei, _ := new(big.Float).Quo(new(big.Float).SetInt(wei), big.NewFloat(1e9)).Float64()
	return gwei
}

// resendLost periodically resends transfers that nodes have lost.
func (c *session) resendLost(ctx context.Context) {
	openloop.CallPeriodically(ctx, time.Second, func() {
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

// samplesPoolOf reports whether this worker samples the pool of the sender's target. If several workers send
// to it, only the first one does.
func (c *session) samplesPoolOf(h *preparedSender) bool {
	return h.Index < len(c.workload.Targets)
}
