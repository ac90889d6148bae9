package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/drivers/cometbft/internal/testchain"
	"github.com/benchnet/benchnet/drivers/internal/drivertest"
	"github.com/benchnet/benchnet/internal/platform/cometbft/transactions"
	"github.com/benchnet/benchnet/internal/run/batches"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// blockInterval is the time between two blocks of the fake chain.
const blockInterval = 20 * time.Millisecond

// TestMain runs the driver instead of the tests if the test binary is started as a driver.
func TestMain(m *testing.M) {
	if os.Getenv(protocol.WorkloadVariable) != "" {
		main()
	}
	os.Exit(m.Run())
}

// newOrders returns the workload file for the targets: batches of each target every 100 ms.
func newOrders(rate float64, window, drain int, addresses ...string) map[string]any {
	var targets []map[string]string
	for i, address := range addresses {
		targets = append(targets, map[string]string{"name": fmt.Sprintf("member-%d", i), "address": address})
	}
	return map[string]any{"targets": targets, "operation": map[string]any{"transactionBytes": 200, "batchIntervalMillis": 100}, "reference": "test",
		"load":    map[string]any{"model": "Open", "clients": 16, "ratePerSecond": rate},
		"measure": map[string]any{"warmUpSeconds": 0, "windowSeconds": window, "drainSeconds": drain}}
}

func startDriver(t *testing.T, index, workers int, orders map[string]any) *drivertest.Process {
	t.Helper()
	return drivertest.Start(t, os.Args[0], t.TempDir(), index, workers, orders)
}

// measureRun runs one worker, which starts shortly after it is ready.
func measureRun(t *testing.T, orders map[string]any) *measurement.WorkerResult {
	t.Helper()
	r := startDriver(t, 0, 1, orders).AwaitReady()
	r.ReleaseAt(time.Now().Add(300 * time.Millisecond))
	return r.AwaitResult()
}

// assertLedger checks that the ledger agrees, with a number of transactions.
func assertLedger(t *testing.T, l *measurement.Ledger, want int64) {
	t.Helper()
	if l == nil || !l.Checked || l.Expected != want || l.Recorded != want || l.Violation != "" || l.Reason != "" || *l.Lost+*l.Doubled+*l.Late != 0 {
		t.Errorf("ledger %+v, want %d transactions", l, want)
	}
}

func TestUndisturbedRun(t *testing.T) {
	t.Parallel()
	for _, method := range []transactions.Method{transactions.MethodSync, transactions.MethodAsync} {
		t.Run(string(method), func(t *testing.T) {
			t.Parallel()
			var chain testchain.Chain
			chain.Start(t, blockInterval)
			orders := newOrders(200, 2, 30, chain.StartNode(t, nil).URL, chain.StartNode(t, nil).URL)
			orders["operation"].(map[string]any)["method"] = method
			r := measureRun(t, orders)
			drivertest.AssertSums(t, r, 400)
			assertLedger(t, r.Ledger, 402)
			if len(r.Errors) > 0 {
				t.Errorf("errors %+v", r.Errors)
			}
			assertUniqueTransactions(t, chain.Blocks(), 402)
			assertSeries(t, r)
		})
	}
}

// assertUniqueTransactions checks that the chain has a number of different transactions of 200 bytes.
func assertUniqueTransactions(t *testing.T, blocks [][][]byte, want int) {
	t.Helper()
	seen := map[string]bool{}
	for _, block := range blocks {
		for _, tx := range block {
			seen[string(tx)] = true
			if len(tx) != 200 {
				t.Fatalf("a transaction of %d bytes", len(tx))
			}
		}
	}
	if len(seen) != want {
		t.Errorf("%d different transactions, want %d", len(seen), want)
	}
}

// assertSeries checks blocks and series of a run of two seconds with 100 operations per second to each of two targets.
func assertSeries(t *testing.T, r *measurement.WorkerResult) {
	t.Helper()
	var inBlocks, completed int64
	for i, b := range r.Blocks {
		inBlocks += b.Transactions
		if b.Bytes != 200*b.Transactions || b.Proposer != "AB" || i > 0 && b.Height != r.Blocks[i-1].Height+1 {
			t.Errorf("block %+v", b)
		}
	}
	for _, n := range r.CompletedPerSecond {
		completed += n
	}
	if inBlocks != completed || completed == 0 {
		t.Errorf("%d transactions in %d blocks, %d completed", inBlocks, len(r.Blocks), completed)
	}
	sums := map[string]float64{}
	for _, s := range r.Series {
		for i, v := range s.Values {
			// A run may end before the samples at the end of its window.
			if i == 0 || !math.IsNaN(v) {
				sums[s.Subject+" "+s.Name] += v
			}
		}
	}
	for _, member := range []string{"member-0 ", "member-1 "} {
		if sent, accepted := sums[member+batches.SeriesSent], sums[member+batches.SeriesAccepted]; sent != 200 || accepted < 180 || accepted > 200 {
			t.Errorf("%s: sent %g, accepted %g in the window, want 200", member, sent, accepted)
		}
		if rpc := sums[member+batches.SeriesRPC]; !(rpc > 0) {
			t.Errorf("%s: no latency of calls: %g", member, rpc)
		}
		if size := sums[member+transactions.SeriesMempool]; !(size >= 0) {
			t.Errorf("%s: mempool %g", member, size)
		}
	}
}

// TestFaults has batches of 40 to one node, and 400 operations besides the trial, which is transaction 0.
func TestFaults(t *testing.T) {
	t.Parallel()
	tenth := func(n int) bool { return n > 0 && n%10 == 0 }
	refuseTenth := func(r testchain.Refusal) func(int) *testchain.Refusal {
		return func(n int) *testchain.Refusal {
			if tenth(n) {
				return &r
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		chain     *testchain.Chain
		node      func(*testchain.Node)
		errors    map[string]int64
		recorded  int64
		violation string
	}{
		"mempool is full": {chain: &testchain.Chain{Refuse: refuseTenth(testchain.Refusal{Error: "mempool is full: number of txs 5000 (max: 5000)"})},
			errors: map[string]int64{"mempool is full": 40}, recorded: 361},
		"already in cache": {chain: &testchain.Chain{Refuse: refuseTenth(testchain.Refusal{Error: "tx already exists in cache"})},
			errors: map[string]int64{"tx already exists in cache": 40}, recorded: 361},
		"refused by the application": {chain: &testchain.Chain{Refuse: refuseTenth(testchain.Refusal{Code: 2})},
			errors: map[string]int64{"code 2 not valid": 40}, recorded: 361},
		"lost": {chain: &testchain.Chain{Copies: func(n int) int {
			if tenth(n) {
				return 0
			}
			return 1
		}}, errors: map[string]int64{measurement.Unfinished: 40}, recorded: 361},
		"in two blocks": {chain: &testchain.Chain{Copies: func(n int) int {
			if n == 100 {
				return 2
			}
			return 1
		}}, violation: "is in the blocks at heights"},
		"closed connections": {node: func(n *testchain.Node) { n.IsDown = func(batches int) bool { return batches == 7 } },
			errors: map[string]int64{"connection closed": 40}, recorded: 361},
		"unfinished": {node: func(n *testchain.Node) { n.Answers = func(batch int) bool { return batch != 7 } },
			errors: map[string]int64{measurement.Unfinished: 40}, recorded: 361},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chain := c.chain
			if chain == nil {
				chain = &testchain.Chain{}
			}
			chain.Start(t, blockInterval)
			r := measureRun(t, newOrders(400, 1, 1, chain.StartNode(t, c.node).URL))
			drivertest.AssertSums(t, r, 400)
			if got := drivertest.ErrorCounts(r); !maps.Equal(got, c.errors) {
				t.Errorf("errors %v, want %v", got, c.errors)
			}
			if c.violation == "" {
				assertLedger(t, r.Ledger, c.recorded)
			} else if l := r.Ledger; !l.Checked || !strings.Contains(l.Violation, c.violation) {
				t.Errorf("ledger %+v, want %q", l, c.violation)
			}
		})
	}
}

// TestDivergentMember has a member with other blocks. The worker sends nothing to it and does not watch it.
func TestDivergentMember(t *testing.T) {
	t.Parallel()
	var chain testchain.Chain
	chain.Start(t, blockInterval)
	divergent := chain.StartNode(t, func(n *testchain.Node) { n.HashSuffix = "00" })
	r := startDriver(t, 0, 2, newOrders(400, 1, 1, chain.StartNode(t, nil).URL, divergent.URL)).AwaitReady()
	r.ReleaseAt(time.Now())
	if l := r.AwaitResult().Ledger; !l.Checked || l.Recorded != 201 || !strings.HasPrefix(l.Violation, "member-1 has block ") {
		t.Errorf("ledger %+v", l)
	}
}

// TestNodeRestarts takes down the first of two nodes, which is the watched one, for five batches of 20. Meanwhile the
// blocks come from the other.
func TestNodeRestarts(t *testing.T) {
	t.Parallel()
	var chain testchain.Chain
	chain.Start(t, blockInterval)
	first := chain.StartNode(t, func(n *testchain.Node) { n.IsDown = func(batches int) bool { return batches >= 6 && batches <= 10 } })
	r := measureRun(t, newOrders(400, 2, 30, first.URL, chain.StartNode(t, nil).URL))
	drivertest.AssertSums(t, r, 800)
	if got := drivertest.ErrorCounts(r); !maps.Equal(got, map[string]int64{"connection closed": 100}) {
		t.Errorf("errors %v", got)
	}
	assertLedger(t, r.Ledger, 702)
	for i, b := range r.Blocks {
		if i > 0 && b.Height != r.Blocks[i-1].Height+1 {
			t.Errorf("block %d follows %d", b.Height, r.Blocks[i-1].Height)
		}
	}
}

func TestWorkersShareTargets(t *testing.T) {
	t.Parallel()
	var chain testchain.Chain
	chain.Start(t, blockInterval)
	orders := newOrders(300, 1, 30, chain.StartNode(t, nil).URL, chain.StartNode(t, nil).URL)
	var running []*drivertest.Process
	for i := range 3 {
		running = append(running, startDriver(t, i, 3, orders))
	}
	for _, r := range running {
		r.AwaitReady()
	}
	at := time.Now().Add(300 * time.Millisecond)
	for _, r := range running {
		r.ReleaseAt(at)
	}
	var parts []measurement.WorkerResult
	for _, r := range running {
		parts = append(parts, *r.AwaitResult())
	}
	m, err := measurement.Merge(parts)
	if err != nil {
		t.Fatal(err)
	}
	if m.Schedule.Planned != 300 || m.Histogram.Count() != 300 || len(m.Errors) > 0 {
		t.Errorf("planned %d, %d latencies, errors %+v", m.Schedule.Planned, m.Histogram.Count(), m.Errors)
	}
	assertLedger(t, m.Ledger, 303)
	assertUniqueTransactions(t, chain.Blocks(), 303)
	var subjects []string
	for _, s := range m.SeriesByName(batches.SeriesSent) {
		subjects = append(subjects, s.Subject)
	}
	slices.Sort(subjects)
	if want := []string{"member-0 (worker 0)", "member-0 (worker 2)", "member-1 (worker 1)"}; !slices.Equal(subjects, want) {
		t.Errorf("series of %q, want %q", subjects, want)
	}
}

// TestStalledService runs the scenario of a stalled service that all drivers share.
func TestStalledService(t *testing.T) {
	t.Parallel()
	scenario := drivertest.ReadStalledService(t, "..")
	var chain testchain.Chain
	chain.Start(t, blockInterval)
	// The trial is the first batch.
	node := chain.StartNode(t, func(n *testchain.Node) { n.Answers = func(batch int) bool { return int64(batch) <= scenario.Answered } })
	orders := newOrders(1, 1, 1, node.URL)
	orders["operation"] = map[string]any{"batchSize": 1}
	orders["load"], orders["measure"] = scenario.Load, scenario.Measure
	scenario.AssertResult(t, measureRun(t, orders))
}

func TestSetUpFailures(t *testing.T) {
	t.Parallel()
	refusal := &testchain.Refusal{Error: "endpoint is closed while node is catching up"}
	refusing := testchain.Chain{Refuse: func(int) *testchain.Refusal { return refusal }}
	var chain testchain.Chain
	chain.Start(t, blockInterval)
	node := chain.StartNode(t, nil)
	other := chain.StartNode(t, func(n *testchain.Node) { n.Network = "other" })
	tiny := chain.StartNode(t, nil).URL + "/x"
	for want, addresses := range map[string][]string{
		"targets[1].address: " + other.URL + ` is on the chain "other", but member-0 on "fake"`: {node.URL, other.URL},
		"member-0 refused the trial transaction: endpoint is closed while node is catching up":  {refusing.StartNode(t, nil).URL},
		`targets[0].address: "` + tiny + `" is not the URL of a node; want http://host:26657`:   {tiny},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			if got := startDriver(t, 0, 1, newOrders(100, 1, 1, addresses...)).AwaitFailure(); !strings.Contains(got, want) {
				t.Errorf("failure %q, want %q", got, want)
			}
		})
	}
}
