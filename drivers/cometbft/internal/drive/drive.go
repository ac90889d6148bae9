// Package drive runs one worker of the CometBFT load driver: it connects the parts of the driver.
package drive

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/benchnet/benchnet/drivers/cometbft/internal/member"
	"github.com/benchnet/benchnet/drivers/cometbft/internal/payload"
	"github.com/benchnet/benchnet/drivers/internal/openloop"
	"github.com/benchnet/benchnet/drivers/internal/worker"
	"github.com/benchnet/benchnet/internal/platform/cometbft/transactions"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// trialTimeout is how long the chain may take to include the trial transactions.
const trialTimeout = 60 * time.Second

// sender submits to one node.
type sender struct {
	openloop.Sender[*flight]
	node      *member.Node
	generator *payload.Generator
}

// session holds the state of a worker's run.
type session struct {
	worker   *worker.Worker
	workload *transactions.Workload
	senders  []*sender
	// nodes are those of the workload's targets. A worker connects to all of them, since the ledger check reads them.
	nodes       []*member.Node
	tracker     *tracker
	firstHeight uint64
	stopWatcher func()
}

// SetUp reads the workload, connects to the nodes, and sends a trial transaction from each sender.
func SetUp(ctx context.Context, w *worker.Worker) (worker.Session, error) {
	workload, err := transactions.ReadWorkload(w.WorkloadPath)
	if err != nil {
		return nil, err
	}
	c := &session{worker: w, workload: workload, tracker: &tracker{flights: map[member.Hash]*flight{}}, stopWatcher: func() {}}
	for _, step := range []func(context.Context) error{c.connectNodes, c.prepareSenders, c.sendTrials} {
		if err := step(ctx); err != nil {
			c.ShutDown()
			if ctx.Err() != nil {
				err = worker.ErrStopped
			}
			return nil, err
		}
	}
	return c, nil
}

// ShutDown stops the watcher and closes the connections.
func (c *session) ShutDown() {
	c.stopWatcher()
	for _, n := range c.nodes {
		n.Close()
	}
}

// connectNodes connects to all targets, and fails if they are on different chains.
func (c *session) connectNodes(ctx context.Context) error {
	first := ""
	for i, target := range c.workload.Targets {
		node, status, err := member.Dial(ctx, target.Name, target.Address, int(c.workload.Load.Clients)+1)
		if err != nil {
			return err
		}
		c.nodes = append(c.nodes, node)
		if i == 0 {
			first = status.Network
		}
		if status.Network != first {
			return fmt.Errorf("targets[%d].address: %s is on the chain %q, but %s on %q", i, target.Address, status.Network, c.nodes[0].Name, first)
		}
		c.firstHeight = max(c.firstHeight, status.Height+1)
	}
	return nil
}

// prepareSenders creates the senders of this worker, and starts to watch the chain through their nodes.
func (c *session) prepareSenders(ctx context.Context) error {
	w, o := &openloop.Watcher[member.Block]{NextHeight: c.firstHeight, OnBlock: c.tracker.addBlock}, c.workload.Operation
	measure := c.workload.Measure
	for _, share := range c.workload.BatchPlan().WorkerSenders(c.worker.Index, c.worker.Workers) {
		s := &sender{node: c.nodes[share.Target],
			generator: payload.NewGenerator(c.workload.Reference, share.Index, o.TransactionBytes, uint64(c.workload.Load.Clients), c.workload.Load.MeanRate())}
		method := "broadcast_tx_" + string(o.Method)
		s.Sender = openloop.Sender[*flight]{Sender: share, Clients: int(c.workload.Load.Clients), Take: s.takeFlights, MarkSent: c.tracker.markSent,
			Submit: func(ctx context.Context, flights []*flight) ([]error, error) {
				return s.node.Submit(ctx, method, rawTransactions(flights))
			},
			HandleAnswers: c.tracker.handleAnswers}
		_, largest := share.BatchTotals(time.Duration(measure.WarmUpSeconds+measure.WindowSeconds) * time.Second)
		var err error
		if s.Limit, err = s.node.BatchLimit(ctx, max(1, int(largest)), o.TransactionBytes); err != nil {
			return err
		}
		c.senders = append(c.senders, s)
		w.Nodes = append(w.Nodes, openloop.WatchedNode[member.Block]{Name: s.node.Name, BlockAt: s.node.BlockAt, Subscribe: s.node.SubscribeBlocks})
	}
	c.stopWatcher = w.Start(ctx)
	return nil
}

// takeFlights generates n transactions.
func (s *sender) takeFlights(_ context.Context, n int) ([]*flight, error) {
	flights, now := make([]*flight, n), time.Now()
	for i := range flights {
		raw := s.generator.Next(now)
		flights[i] = &flight{hash: sha256.Sum256(raw), raw: raw}
	}
	return flights, nil
}

func rawTransactions(flights []*flight) [][]byte {
	raw := make([][]byte, len(flights))
	for i, f := range flights {
		raw[i] = f.raw
	}
	return raw
}

// sendTrials sends one transaction from each sender and waits until blocks include them.
func (c *session) sendTrials(ctx context.Context) error {
	for _, s := range c.senders {
		trial, _ := s.takeFlights(ctx, 1)
		c.tracker.markSent(trial, time.Time{}, time.Time{})
		refusals, err := s.Submit(ctx, trial)
		if err == nil {
			err = refusals[0]
		}
		if err != nil {
			return fmt.Errorf("%s refused the trial transaction: %w", s.node.Name, err)
		}
	}
	return openloop.RetryUntil(ctx, trialTimeout, func() error {
		if c.tracker.countWaiting() == 0 {
			return nil
		}
		height := c.firstHeight - 1
		if b := c.tracker.newestBlock(); b != nil {
			height = b.Height
		}
		return fmt.Errorf("no block holds the trial transactions after %s, up to height %d: does the network create blocks?", trialTimeout, height)
	})
}

// Measure returns the lengths of the run's phases.
func (c *session) Measure() protocol.MeasureTimes { return c.workload.Measure }

// MeasureRun applies the load and returns the result.
func (c *session) MeasureRun(ctx context.Context, window *protocol.Window) (*measurement.WorkerResult, error) {
	recorder := openloop.NewRecorder(window, transactions.OperationUnit)
	c.tracker.setRecorder(recorder)
	run := openloop.Run{Worker: c.worker, Window: window, Recorder: recorder, StopWatcher: c.stopWatcher, FailWaiting: c.tracker.failWaiting,
		CountWaiting: c.tracker.countWaiting}
	for _, s := range c.senders {
		target := run.AddTarget(s.node.Name, len(c.nodes))
		recordMempool := target.NewGauge(transactions.SeriesMempool, transactions.OperationUnit)
		run.Senders = append(run.Senders, func(ctx context.Context) { s.Run(ctx, window, recorder, target) })
		// If several workers send to a node, only the first of them samples its mempool.
		if s.Index >= len(c.nodes) {
			continue
		}
		run.AddSampler(s.node.Name, func(ctx context.Context, second int) error {
			size, err := s.node.MempoolSize(ctx)
			if err == nil {
				recordMempool(second, float64(size))
			}
			return err
		})
	}
	result, err := run.Measure(ctx)
	if err != nil {
		return nil, err
	}
	result.Ledger = c.compareLedger(ctx)
	return result, nil
}
