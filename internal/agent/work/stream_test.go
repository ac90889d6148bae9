package work

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// blockInterval is the block time of the chain in these tests.
const blockInterval = 50 * time.Millisecond

// blocksUntilMidWindow is the number of blocks until about the middle of the window: 1.5 s until the start, then 2 s.
const blocksUntilMidWindow = 70

// fakeChain is a member that decides a block every blockInterval from genesis on. It closes the connection at
// multiples of breakAt, and stops sending or answering when stalls or closes is set.
type fakeChain struct {
	genesis        time.Time
	breakAt        int64
	stalls, closes atomic.Bool
	// stallAfter and closeAfter are the numbers of blocks sent before it stalls or closes; 0 for never.
	stallAfter, closeAfter int64
	sent                   atomic.Int64
}

func (c *fakeChain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	height := time.Since(c.genesis).Milliseconds()/blockInterval.Milliseconds() + 1
	if from := r.URL.Query().Get("from"); from != "" {
		height, _ = strconv.ParseInt(from, 10, 64)
	}
	for ; r.Context().Err() == nil; height++ {
		decided := c.genesis.Add(time.Duration(height) * blockInterval)
		time.Sleep(time.Until(decided))
		for c.stalls.Load() && r.Context().Err() == nil {
			time.Sleep(blockInterval)
		}
		if c.closes.Load() {
			return
		}
		sent := c.sent.Add(1)
		c.stalls.CompareAndSwap(false, sent == c.stallAfter)
		c.closes.CompareAndSwap(false, sent == c.closeAfter)
		fmt.Fprintf(w, `{"height":%d,"timeMillis":%.3f,"bytes":2048,"transactions":0,"round":0,"proposer":"ab"}`+"\n",
			height, float64(decided.UnixMicro())/1000)
		w.(http.Flusher).Flush()
		if c.breakAt > 0 && height%c.breakAt == 0 {
			return
		}
	}
}

// startStreamRun starts a worker that observes a chain.
func startStreamRun(t *testing.T, c *fakeChain) func() (int, string) {
	return startScenarioRun(t, c, "stream")
}

func startScenarioRun(t *testing.T, c *fakeChain, scenario string) func() (int, string) {
	t.Helper()
	c.genesis = time.Now()
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	t.Cleanup(func() { c.stalls.Store(false); c.closes.Store(true); server.CloseClientConnections() })
	worker, reported := startWorker(t, scenario, server.URL)
	return func() (int, string) { return waitForExit(t, worker), reported }
}

// TestStreamRun has a window of two seconds, thus 40 blocks, although the connection breaks every half second.
func TestStreamRun(t *testing.T) {
	t.Parallel()
	code, reported := startStreamRun(t, &fakeChain{breakAt: 10})()
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, readContent(t, reported, "failure"))
	}
	w, err := measurement.DecodeWorkerResult([]byte(readContent(t, reported, "result")))
	if err != nil {
		t.Fatal(err)
	}
	if n := w.CompletedPerSecond; n[0] != 20 || n[1] != 20 || len(w.Blocks) != 40 || w.Unit != "blocks" || w.Worker != 1 {
		t.Errorf("completed %v, %d blocks of unit %q", n, len(w.Blocks), w.Unit)
	}
	m, err := measurement.Merge([]measurement.WorkerResult{*w})
	if err != nil {
		t.Fatal(err)
	}
	if l := m.Summarize().Latency; m.Histogram.Count() != 40 || l.P50 == nil || *l.P50 < 50 || l.Max > 50.1 {
		t.Errorf("%d latencies: %+v, want 40 of 50 ms", m.Histogram.Count(), l)
	}
	assertObserved(t, w)
	if w.Load == nil {
		t.Error("the worker's own load is missing")
	}
	var p protocol.Progress
	if err := json.Unmarshal([]byte(readContent(t, reported, "progress")), &p); err != nil || p.Completed == 0 || p.Phase == "" || p.Totals != nil {
		t.Errorf("progress %+v, %v; want some without totals", p, err)
	}
}

func TestStreamWindowStopsEarly(t *testing.T) {
	t.Parallel()
	code, reported := startScenarioRun(t, &fakeChain{}, "stream stopped")()
	w := assertStoppedEarly(t, code, reported)
	if n := len(w.Blocks); n != 80 || w.CompletedPerSecond[3] != 20 {
		t.Errorf("%d blocks, %v; want 80", n, w.CompletedPerSecond)
	}
}

func TestStreamFailures(t *testing.T) {
	t.Parallel()
	t.Run("no member", func(t *testing.T) {
		t.Parallel()
		code, reported := runToExit(t, "impatient stream", "http://127.0.0.1:1/blocks")
		if got := readContent(t, reported, "failure"); code != 1 || !strings.Contains(got, "no block was seen on http://127.0.0.1:1/blocks within 1s: Get") {
			t.Errorf("exit code %d, failure %q", code, got)
		}
	})
	t.Run("decides no blocks", func(t *testing.T) {
		t.Parallel()
		c := &fakeChain{}
		c.stalls.Store(true)
		code, reported := startScenarioRun(t, c, "impatient stream")()
		if got := readContent(t, reported, "failure"); code != 1 || !strings.Contains(got, "no block was seen on") {
			t.Errorf("exit code %d, failure %q", code, got)
		}
	})
	t.Run("gone in the window", func(t *testing.T) {
		t.Parallel()
		c := &fakeChain{closeAfter: blocksUntilMidWindow}
		code, reported := startStreamRun(t, c)()
		if got := readContent(t, reported, "failure"); code != 1 || !strings.Contains(got, "broke and did not recover before the end of the drain") {
			t.Errorf("exit code %d, failure %q", code, got)
		}
	})
}

// TestStreamThatStalls checks that a chain that stalls in the window gives a result with the blocks decided so far.
func TestStreamThatStalls(t *testing.T) {
	t.Parallel()
	c := &fakeChain{stallAfter: blocksUntilMidWindow}
	code, reported := startStreamRun(t, c)()
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, readContent(t, reported, "failure"))
	}
	w, err := measurement.DecodeWorkerResult([]byte(readContent(t, reported, "result")))
	if err != nil || len(w.Blocks) == 0 || len(w.Blocks) >= 40 {
		t.Errorf("%d blocks, %v; want some", len(w.Blocks), err)
	}
}

func TestStreamWorkerTerminated(t *testing.T) {
	t.Parallel()
	c := &fakeChain{genesis: time.Now()}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	worker, reported := startWorker(t, "stream", server.URL)
	awaitFile(t, worker, protocol.ReadyFile, "")
	if err := worker.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := waitForExit(t, worker); code != 1 || !strings.Contains(readContent(t, reported, "failure"), "stopped before the end of the run") {
		t.Errorf("exit code %d, failure %q", code, readContent(t, reported, "failure"))
	}
}
