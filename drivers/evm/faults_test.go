package main

import (
	"math"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/testchain"
	"github.com/benchnet/benchnet/drivers/internal/drivertest"
	"github.com/benchnet/benchnet/internal/platform/evm"
	"github.com/benchnet/benchnet/internal/run/batches"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

func TestSetUpFailures(t *testing.T) {
	t.Parallel()
	node := startGeth(t)
	gone := "http://127.0.0.1:1"
	for name, c := range map[string]struct {
		operation map[string]any
		address   string
		want      string
	}{
		"other chain":     {map[string]any{"chainId": 1}, node.HTTP, "operation.chainId: 1, but member-0 at " + node.HTTP + " is on chain 12345"},
		"not funded":      {map[string]any{"accounts": 101}, node.HTTP, "account 100 (0x"},
		"too dear":        {map[string]any{"maxFeePerGasWei": "100000000000000000000000"}, node.HTTP, "on member-0, but needs 8400000000000000000000000040 for the run: fund the accounts"},
		"fee too low":     {map[string]any{"maxFeePerGasWei": "1", "maxPriorityFeePerGasWei": "1"}, node.HTTP, "operation.maxFeePerGasWei: 1, but the base fee on member-0 is "},
		"no node":         {nil, gone, "member-0 does not respond at " + gone},
		"no seed":         {map[string]any{"seedFile": "/no/seed"}, node.HTTP, "read seed: open /no/seed"},
		"too few for two": {map[string]any{"accounts": 1}, node.HTTP + "," + node.WebSocket, "operation.accounts: 1 for 2 senders; want at least one for each"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := startDriver(t, 0, 1, newOrders(100, 0, 2, 2, c.operation, strings.Split(c.address, ",")...)).AwaitFailure()
			if !strings.Contains(got, c.want) {
				t.Errorf("failure %q, want %q", got, c.want)
			}
		})
	}
}

// TestFullPool uses a pool for 100 transactions, which cannot hold 400 per second with a block each second.
// geth accepts all of them and silently drops some. Transfers in no block are unfinished, and no account gets
// stuck.
func TestFullPool(t *testing.T) {
	t.Parallel()
	node := startGeth(t, "--txpool.globalslots", "50", "--txpool.globalqueue", "50")
	r := measureRun(t, newOrders(400, 1, 5, 30, nil, node.HTTP))
	drivertest.AssertSums(t, r, 2000)
	// More than twice the capacity of the pool, so the pool was refilled.
	if n, lost := drivertest.LatencyHistogram(t, r).Count(), drivertest.ErrorCounts(r)[measurement.Unfinished]; n < 250 || lost == 0 {
		t.Errorf("%d completed, %d unfinished; errors %+v", n, lost, r.Errors)
	}
	if !r.Ledger.Checked || r.Ledger.Expected != r.Ledger.Recorded {
		t.Errorf("ledger %+v", r.Ledger)
	}
	for _, s := range r.Series {
		if s.Name == evm.SeriesPending && !(s.Values.Max() >= 0 && s.Values.Max() <= 100) {
			t.Errorf("pending transactions %v in a pool of 100", s.Values)
		}
		// The genesis has 1 gwei, and no block is more than half full.
		if s.Name == evm.SeriesBaseFee && !(s.Values.Max() > 0 && s.Values.Max() <= 1) {
			t.Errorf("base fee %v gwei", s.Values)
		}
	}
}

// TestRefusedTransactionsAreResent rejects every third transaction at first. Each rejection is an error of its
// operation. The transaction is resent for a later operation before any other of its account.
func TestRefusedTransactionsAreResent(t *testing.T) {
	t.Parallel()
	chain, url := startSink(t)
	chain.Refuse = func(n int64) string {
		if n%3 == 2 {
			return "txpool is full: 5000 transactions"
		}
		return ""
	}
	r := measureRun(t, newOrders(300, 0, 3, 120, nil, url))
	drivertest.AssertSums(t, r, 900)
	if n := drivertest.ErrorCounts(r)["-32000 txpool is full"]; n != 300 || len(r.Errors) != 1 {
		t.Errorf("%d refused, want each third of 900; errors %+v", n, r.Errors)
	}
	// The trial transfer adds one.
	if got := chain.AcceptedCount(); got != 601 {
		t.Errorf("the chain took %d, want 601", got)
	}
}

// TestNodeWithoutPoolMethods checks that without the txpool methods only the series of the pool are empty.
func TestNodeWithoutPoolMethods(t *testing.T) {
	t.Parallel()
	_, url := startSink(t)
	r := measureRun(t, newOrders(100, 0, 3, 120, nil, url))
	drivertest.AssertSums(t, r, 300)
	for _, s := range r.Series {
		sum := 0.0
		for _, v := range s.Values {
			sum += v
		}
		switch s.Name {
		case evm.SeriesPending, evm.SeriesQueued:
			if !math.IsNaN(s.Values.Max()) {
				t.Errorf("%s is %v", s.Name, s.Values)
			}
		case batches.SeriesSent, batches.SeriesAccepted:
			if sum != 300 || s.Subject != "member-0" {
				t.Errorf("%s of %s is %v", s.Name, s.Subject, s.Values)
			}
		case batches.SeriesRPC:
			if s.Values.Max() <= 0 || s.Values.Max() > 60_000 {
				t.Errorf("%s is %v", s.Name, s.Values)
			}
		case evm.SeriesResent:
			if sum != 0 {
				t.Errorf("%s is %v", s.Name, s.Values)
			}
		}
	}
}

// startSink starts a chain that executes nothing and makes a block every 100 ms.
func startSink(t *testing.T) (*testchain.Sink, string) {
	t.Helper()
	chain := testchain.NewSink(testchain.ChainID)
	server := httptest.NewServer(chain)
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(100 * time.Millisecond):
				chain.SealBlock()
			}
		}
	}()
	t.Cleanup(func() {
		close(ended)
		server.Close()
	})
	return chain, server.URL
}

// TestNodeRestarts restarts a node in the window. The node loses its pool, and the transfers in it are resent.
func TestNodeRestarts(t *testing.T) {
	t.Parallel()
	node := startGeth(t, "--txpool.journal", "", "--txpool.nolocals")
	r := startDriver(t, 0, 1, newOrders(200, 1, 8, 300, nil, node.HTTP)).AwaitReady()
	start := time.Now().Add(time.Second)
	r.ReleaseAt(start)
	time.Sleep(time.Until(start.Add(4500 * time.Millisecond)))
	if err := node.Stop(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	if err := node.Run(); err != nil {
		t.Fatal(err)
	}
	got := r.AwaitResult()
	drivertest.AssertSums(t, got, 1600)
	if n := drivertest.ErrorCounts(got)["connection refused"]; n < 20 {
		t.Errorf("%d found the connection refused while the node was away for a second or more; errors %+v", n, got.Errors)
	}
	// Everything that the node accepted before is eventually in blocks.
	if n := drivertest.ErrorCounts(got)[measurement.Unfinished]; n > 0 || got.Ledger.Expected != got.Ledger.Recorded || got.Ledger.Violation != "" {
		t.Errorf("%d unfinished, ledger %+v", n, got.Ledger)
	}
}

// TestNodeDiesForGood checks that a node that never returns causes unfinished and rejected operations, and a
// result that reports them.
func TestNodeDiesForGood(t *testing.T) {
	t.Parallel()
	node := startGeth(t)
	r := startDriver(t, 0, 1, newOrders(200, 0, 4, 2, nil, node.HTTP)).AwaitReady()
	start := time.Now().Add(time.Second)
	r.ReleaseAt(start)
	time.Sleep(time.Until(start.Add(2 * time.Second)))
	node.Kill()
	got := r.AwaitResult()
	drivertest.AssertSums(t, got, 800)
	lost := int64(0)
	for kind, n := range drivertest.ErrorCounts(got) {
		if strings.HasPrefix(kind, "connection ") {
			lost += n
		}
	}
	if lost < 50 {
		t.Errorf("%d found no connection in up to two seconds of 200; errors %+v", lost, got.Errors)
	}
	if got.Ledger.Checked || !strings.Contains(got.Ledger.Reason, "connection refused") {
		t.Errorf("ledger %+v", got.Ledger)
	}
}

// TestBatchesWaitForClients pauses a node, so that batches wait for one of two clients. The wait is part of the
// latencies, and no operation is lost.
func TestBatchesWaitForClients(t *testing.T) {
	t.Parallel()
	node := startGeth(t)
	all := newOrders(500, 0, 5, 120, map[string]any{"batchSize": 50}, node.HTTP)
	all["load"].(map[string]any)["clients"] = 2
	r := startDriver(t, 0, 1, all).AwaitReady()
	start := time.Now().Add(time.Second)
	r.ReleaseAt(start)
	time.Sleep(time.Until(start.Add(time.Second)))
	signalNode(t, node, syscall.SIGSTOP)
	time.Sleep(2 * time.Second)
	signalNode(t, node, syscall.SIGCONT)
	got := r.AwaitResult()
	drivertest.AssertSums(t, got, 2500)
	// 20 batches are due in the two seconds, and 2 may be outstanding.
	if s := got.Schedule; s.ClientsBusy < 100 || s.ClientsBusy%50 != 0 || s.MaxWaitMicros < 500_000 {
		t.Errorf("schedule %+v, want about 900 operations in whole batches that waited for a client", s)
	}
	if len(got.Errors) > 0 || got.Ledger.Expected != got.Ledger.Recorded || got.Ledger.Violation != "" {
		t.Errorf("errors %+v, ledger %+v", got.Errors, got.Ledger)
	}
}

func signalNode(t *testing.T, node *testchain.Geth, signal syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(node.PID(), signal); err != nil {
		t.Fatal(err)
	}
}

// TestLargeBatchesAreSplit sets geth's limit to 100 calls in a batch. Larger batches are split, and the log
// reports it.
func TestLargeBatchesAreSplit(t *testing.T) {
	t.Parallel()
	node := startGeth(t, "--rpc.batch-request-limit", "100")
	r := startDriver(t, 0, 1, newOrders(400, 0, 3, 120, map[string]any{"batchSize": 400}, node.HTTP)).AwaitReady()
	r.ReleaseAt(time.Now().Add(time.Second))
	assertUndisturbed(t, r.AwaitResult(), 1200)
	if !strings.Contains(r.Output(), `msg="JSON-RPC batches are split" member=member-0 calls=400 limit=100`) {
		t.Errorf("the driver said %q", r.Output())
	}
}

func TestTerminatedDriverReportsFailure(t *testing.T) {
	t.Parallel()
	node := startGeth(t)
	r := startDriver(t, 0, 1, newOrders(100, 0, 60, 1, nil, node.HTTP)).AwaitReady()
	r.ReleaseAt(time.Now())
	time.Sleep(500 * time.Millisecond)
	r.Terminate()
	if got := r.AwaitFailure(); got != "the driver was stopped before the end of the run" {
		t.Errorf("failure %q", got)
	}
}
