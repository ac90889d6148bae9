package load

import (
	"context"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/testchain"
)

// seenHeights collects the heights that a watcher reports.
type seenHeights struct {
	mu   sync.Mutex
	seen []uint64
}

func (h *seenHeights) addBlock(b *member.Block, _ time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = append(h.seen, uint64(b.Height))
}

// awaitHeights waits until all blocks up to height to are seen, and checks that each is seen once and in
// order.
func (h *seenHeights) awaitHeights(t *testing.T, from, to uint64) {
	t.Helper()
	var want []uint64
	for i := from; i <= to; i++ {
		want = append(want, i)
	}
	deadline := time.Now().Add(2 * time.Minute)
	for {
		h.mu.Lock()
		seen := slices.Clone(h.seen)
		h.mu.Unlock()
		if slices.Equal(seen, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("saw heights %v, want %v", seen, want)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func dialNode(t *testing.T, server *httptest.Server) *member.Node {
	t.Helper()
	node, _, err := member.Dial(context.Background(), "member", server.URL, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	return node
}

func TestWatcherSeesEveryBlockAndMovesOn(t *testing.T) {
	chain := testchain.NewSink(5)
	first, second := httptest.NewServer(chain), httptest.NewServer(chain)
	defer second.Close()
	var seen seenHeights
	w := &Watcher{Nodes: []*member.Node{dialNode(t, first), dialNode(t, second)}, Announces: []bool{false, false}, NextHeight: 1, OnBlock: seen.addBlock}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		w.Run(ctx)
		close(ended)
	}()
	defer func() {
		cancel()
		<-ended
	}()
	// Several blocks between two polls.
	for range 5 {
		chain.SealBlock()
	}
	seen.awaitHeights(t, 1, 5)
	first.Close()
	chain.SealBlock()
	chain.SealBlock()
	seen.awaitHeights(t, 1, 7)
}
