package main

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/benchnet/benchnet/drivers/internal/drivertest"
	"github.com/benchnet/benchnet/internal/platform/evm"
	"github.com/benchnet/benchnet/internal/run/batches"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// measureRun runs one worker, which starts one second after it is ready.
func measureRun(t *testing.T, all map[string]any) *measurement.WorkerResult {
	t.Helper()
	r := startDriver(t, 0, 1, all).AwaitReady()
	r.ReleaseAt(time.Now().Add(time.Second))
	return r.AwaitResult()
}

// assertUndisturbed checks the result of a run without faults.
func assertUndisturbed(t *testing.T, r *measurement.WorkerResult, planned int64) {
	t.Helper()
	drivertest.AssertSums(t, r, planned)
	if r.Ledger == nil || !r.Ledger.Checked || r.Ledger.Expected != r.Ledger.Recorded || r.Ledger.Violation != "" {
		t.Errorf("ledger %+v", r.Ledger)
	}
	if !hasKeptPace(t, r) {
		return
	}
	if len(r.Errors) > 0 {
		t.Errorf("errors %+v", r.Errors)
	}
	// geth makes a block each second from the transactions that it had when it began the block. On an idle
	// host, a transfer waits for 0 to 2 s.
	l := drivertest.LatencyHistogram(t, r)
	if p50, most := l.PercentileMillis(50), l.MaxMillis(); p50 < 100 || p50 > 2500 || most > 8000 {
		t.Errorf("latency p50 %.0f ms, max %.0f ms with a block a second", p50, most)
	}
}

// hasKeptPace reports whether geth made a block each second. Otherwise the host is too busy for any check of
// latencies.
func hasKeptPace(t *testing.T, r *measurement.WorkerResult) bool {
	t.Helper()
	paced, last := true, int64(0)
	for _, b := range r.Blocks {
		paced = paced && b.Micros-last < 1_500_000
		last = b.Micros
	}
	paced = paced && int64(r.WindowSeconds)*1e6-last < 1_500_000
	if !paced {
		t.Logf("the machine is too busy for geth to keep its pace: times are not checked; blocks %+v", r.Blocks)
	}
	return paced
}

// TestWindowStopsEarly checks that a driver sends nothing after the stop, and ends long before its longest
// window would.
func TestWindowStopsEarly(t *testing.T) {
	t.Parallel()
	node := startGeth(t)
	all := newOrders(100, 0, 120, 120, nil, node.HTTP)
	measure := all["measure"].(map[string]any)
	measure["intervalSeconds"], measure["stopsEarly"] = 5, true
	r := startDriver(t, 0, 1, all).AwaitReady()
	start := time.Now().Add(time.Second).Truncate(time.Millisecond)
	r.ReleaseAt(start)
	time.Sleep(time.Until(start.Add(7 * time.Second)))
	r.WriteFile(protocol.StopFile, strconv.AppendInt(nil, start.Add(10*time.Second).UnixMilli(), 10))
	got := r.AwaitResult()
	if took := time.Since(start); took > 110*time.Second {
		t.Errorf("it took %s to end after 10 s of load", took)
	}
	if got.WindowSeconds != 120 || got.Schedule.Planned != 1000 {
		t.Errorf("%d s recorded, %d planned; want all of the ordered window with the 1000 before the stop", got.WindowSeconds, got.Schedule.Planned)
	}
	cut, err := got.SliceWindow(0, 10)
	if err != nil {
		t.Fatal(err)
	}
	assertUndisturbed(t, cut, 1000)
}

func TestTransfersOverHTTP(t *testing.T) {
	t.Parallel()
	node := startGeth(t)
	r := measureRun(t, newOrders(500, 1, 5, 120, nil, node.HTTP))
	assertUndisturbed(t, r, 2500)
	if r.Operations != nil {
		t.Errorf("without a mix, the operations are %+v", r.Operations)
	}
	// The blocks of the window hold exactly the completed transfers, because the chain has no other
	// transactions.
	var inBlocks, completed int64
	for _, b := range r.Blocks {
		inBlocks += b.Transactions
		if b.Bytes < 100*b.Transactions || b.Proposer == "" {
			t.Errorf("block %+v", b)
		}
	}
	for _, n := range r.CompletedPerSecond {
		completed += n
	}
	if inBlocks != completed || completed < 1500 && hasKeptPace(t, r) {
		t.Errorf("%d transactions in %d blocks, %d completed", inBlocks, len(r.Blocks), completed)
	}
}

// TestFinalityIsNotBelowTheAgeOfBlocks compares the latencies with how long the chain knew the transactions before it made their blocks.
func TestFinalityIsNotBelowTheAgeOfBlocks(t *testing.T) {
	t.Parallel()
	chain, url := startSink(t)
	r := measureRun(t, newOrders(400, 0, 1, 120, nil, url))
	drivertest.AssertSums(t, r, 400)
	waits := chain.Waits()[1:] // The trial transfer is the first.
	if len(waits) != 400 {
		t.Fatalf("%d transactions in blocks, want 400", len(waits))
	}
	var known time.Duration
	for _, wait := range waits {
		known += wait
	}
	// The histogram has a resolution of 0.1 %.
	least := 0.999 * known.Seconds() * 1000 / 400
	mean := drivertest.LatencyHistogram(t, r).MeanMillis()
	t.Logf("a mean finality of %.1f ms, and of %.1f ms in the pool", mean, least)
	if mean < least {
		t.Errorf("a mean finality of %.1f ms, but the transactions were in the pool for %.1f ms", mean, least)
	}
}

// TestMix sends all kinds of transactions by two workers, and Calls whose gas limit is too low, which blocks include without effect. A
// second run finds the contract and the tokens of the first.
func TestMix(t *testing.T) {
	t.Parallel()
	node := startGeth(t)
	all := newOrders(400, 0, 3, 120, map[string]any{"mix": []map[string]any{
		{"kind": "Transfer", "weight": 30}, {"kind": "TokenTransfer", "weight": 20}, {"kind": "TokenTransfer", "weight": 10, "recipients": "Accounts"},
		{"kind": "TokenTransfer", "weight": 10, "recipients": "Fresh"}, {"kind": "Mint", "weight": 10}, {"kind": "Call", "weight": 9, "gas": 100_000},
		{"kind": "Call", "weight": 1, "gas": 100_000, "gasLimit": 50_000}, {"kind": "Deploy", "weight": 5}, {"kind": "Store", "weight": 5},
	}}, node.HTTP, node.WebSocket)
	for _, workers := range []int{2, 1} {
		m := measureWorkers(t, workers, all)
		if m.Ledger == nil || !m.Ledger.Checked || m.Ledger.Expected != m.Ledger.Recorded || m.Ledger.Violation != "" {
			t.Errorf("ledger %+v", m.Ledger)
		}
		counts := map[string]measurement.LabelCount{}
		for _, l := range m.Labels {
			counts[l.Label] = l
		}
		for kind, share := range map[string]float64{"Transfer": 0.3, "TokenTransfer": 0.4, "Mint": 0.1, "Call": 0.1, "Deploy": 0.05, "Store": 0.05} {
			if n := float64(counts[kind].Requests); math.Abs(n-1200*share) > 3*math.Sqrt(1200*share*(1-share)) {
				t.Errorf("%.0f of 1200 are %s, want %.0f %%", n, kind, 100*share)
			}
		}
		if len(m.Errors) != 1 || m.Errors[0].Kind != evm.KindReverted || m.Errors[0].Count != counts["Call"].Errors || m.Errors[0].Count == 0 ||
			m.Errors[0].Count > 40 {
			t.Errorf("errors %+v, calls %+v", m.Errors, counts["Call"])
		}
		assertOperations(t, m, counts)
		for _, b := range m.Blocks {
			if b.GasUsed < 21_000*b.Transactions {
				t.Errorf("block %+v", b)
			}
		}
	}
}

// assertOperations checks that each kind has the counts of its label and latencies as those of the whole.
func assertOperations(t *testing.T, m *measurement.Measurement, counts map[string]measurement.LabelCount) {
	t.Helper()
	var completed, failed int64
	var names []string
	for _, o := range m.Operations() {
		names = append(names, o.Name)
		completed, failed = completed+o.Completed, failed+o.Failed
		if want := float64(counts[o.Name].Requests) / 1200; o.Failed != counts[o.Name].Errors || math.Abs(o.Share-want) > 1e-9 {
			t.Errorf("operations %+v, label %+v", o, counts[o.Name])
		}
		if o.Latency.Mean <= 0 || o.Latency.Max > m.Histogram.MaxMillis() || o.Latency.P50 == nil {
			t.Errorf("latency of %s: %+v", o.Name, o.Latency)
		}
	}
	if s := m.Summarize(); s.Completed != completed || s.Errors != failed {
		t.Errorf("%d completed and %d failed, summary %+v", completed, failed, s)
	}
	if want := []string{"Transfer", "TokenTransfer", "Mint", "Call", "Deploy", "Store"}; !slices.Equal(names, want) {
		t.Errorf("kinds %v, want %v", names, want)
	}
}

func TestTransfersOverWebSocket(t *testing.T) {
	t.Parallel()
	node := startGeth(t)
	assertUndisturbed(t, measureRun(t, newOrders(500, 1, 5, 120, map[string]any{"batchSize": 50}, node.WebSocket)), 2500)
}

func TestHeadsOverWebSocket(t *testing.T) {
	t.Parallel()
	node := startGeth(t)
	assertUndisturbed(t, measureRun(t, newOrders(200, 0, 3, 120, map[string]any{"heads": []string{node.WebSocket}}, node.HTTP)), 600)
}

// TestWorkersShareTargets lets two workers take one of two targets each. With three workers, target 0 has two
// senders.
func TestWorkersShareTargets(t *testing.T) {
	t.Parallel()
	node := startGeth(t)
	for _, workers := range []int{1, 2, 3} {
		assertMerged(t, workers, measureWorkers(t, workers, newOrders(300, 0, 3, 120, nil, node.HTTP, node.WebSocket)))
	}
}

// measureWorkers runs workers that start together, and merges their results.
func measureWorkers(t *testing.T, workers int, all map[string]any) *measurement.Measurement {
	t.Helper()
	var running []*drivertest.Process
	for i := range workers {
		running = append(running, startDriver(t, i, workers, all))
	}
	for _, r := range running {
		r.AwaitReady()
	}
	at := time.Now().Add(500 * time.Millisecond)
	var parts []measurement.WorkerResult
	for _, r := range running {
		r.ReleaseAt(at)
	}
	for _, r := range running {
		parts = append(parts, *r.AwaitResult())
	}
	m, err := measurement.Merge(parts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func assertMerged(t *testing.T, workers int, m *measurement.Measurement) {
	t.Helper()
	if m.Schedule.Planned != 900 || m.Histogram.Count() != 900 || len(m.Errors) > 0 || m.Ledger.Expected != m.Ledger.Recorded {
		t.Errorf("%d workers: planned %d, %d latencies, errors %+v, ledger %+v", workers, m.Schedule.Planned, m.Histogram.Count(), m.Errors, m.Ledger)
	}
	sent := map[string]float64{}
	for _, s := range m.SeriesByName(batches.SeriesSent) {
		for _, v := range s.Values {
			sent[s.Subject] += v
		}
	}
	want := map[string]float64{"member-0": 450, "member-1": 450}
	if workers == 3 {
		want = map[string]float64{"member-0 (worker 0)": 225, "member-1 (worker 1)": 450, "member-0 (worker 2)": 225}
	}
	if !maps.Equal(sent, want) {
		t.Errorf("%d workers sent %v, want %v", workers, sent, want)
	}
}
