package main

import (
	"testing"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/gethtest"
	"github.com/benchnet/benchnet/internal/results"
)

// measured runs one worker with a second until the start.
func measured(t *testing.T, all map[string]any) *results.Worker {
	t.Helper()
	r := begin(t, 0, 1, all).ready()
	r.start(time.Now().Add(time.Second))
	return r.result()
}

// checkWhole holds a result without disturbance to what it must show.
func checkWhole(t *testing.T, r *results.Worker, planned int64) {
	t.Helper()
	checkSums(t, r, planned)
	if len(r.Errors) > 0 {
		t.Errorf("errors %+v", r.Errors)
	}
	if r.Ledger == nil || !r.Ledger.Checked || r.Ledger.Expected != r.Ledger.Recorded {
		t.Errorf("ledger %+v", r.Ledger)
	}
	// geth makes a block each second: a transfer waits for 0 to 1 s, and then for the block to be seen.
	l := latencies(t, r)
	if p50, most := l.PercentileMillis(50), l.MaxMillis(); p50 < 100 || p50 > 1500 || most > 5000 {
		t.Errorf("latency p50 %.0f ms, max %.0f ms with a block a second", p50, most)
	}
}

func TestTransfersOverHTTP(t *testing.T) {
	node := geth(t)
	r := measured(t, orders(500, 1, 5, 10, nil, node.HTTP))
	checkWhole(t, r, 2500)
	// The blocks of the window hold what completed in it, and nothing else is on this chain.
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
	if inBlocks != completed || completed < 2000 {
		t.Errorf("%d transactions in %d blocks, %d completed", inBlocks, len(r.Blocks), completed)
	}
}

func TestTransfersOverWebSocket(t *testing.T) {
	node := geth(t)
	checkWhole(t, measured(t, orders(500, 1, 5, 10, map[string]any{"batchSize": 50}, node.WebSocket)), 2500)
}

func TestHeadsOverWebSocket(t *testing.T) {
	node := geth(t)
	checkWhole(t, measured(t, orders(200, 0, 3, 10, map[string]any{"heads": []string{node.WebSocket}}, node.HTTP)), 600)
}

var _ = gethtest.ChainID
