package openloop

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// fakeNode is a node of a chain that all nodes share. It fails while it is down.
type fakeNode struct {
	height *atomic.Uint64
	down   atomic.Bool
}

func (n *fakeNode) blockAt(_ context.Context, height uint64) (*uint64, error) {
	switch {
	case n.down.Load():
		return nil, errors.New("down")
	case height > n.height.Load():
		return nil, nil
	}
	return &height, nil
}

// awaitHeights fails unless exactly the wanted heights are reported, in order.
func awaitHeights(t *testing.T, seen <-chan uint64, want ...uint64) {
	t.Helper()
	var got []uint64
	for range want {
		select {
		case height := <-seen:
			got = append(got, height)
		case <-time.After(2 * time.Minute):
			t.Fatalf("saw heights %v, want %v", got, want)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("saw heights %v, want %v", got, want)
	}
}

func TestWatcherSeesEveryBlockAndMovesOn(t *testing.T) {
	var height atomic.Uint64
	first, second := &fakeNode{height: &height}, &fakeNode{height: &height}
	announce, seen := make(chan chan<- struct{}, 10), make(chan uint64, 100)
	w := &Watcher[uint64]{NextHeight: 1, OnBlock: func(block *uint64, _ time.Time) { seen <- *block }, Nodes: []WatchedNode[uint64]{
		{Name: "first", BlockAt: first.blockAt},
		{Name: "second", BlockAt: second.blockAt, Subscribe: func(_ context.Context, to chan<- struct{}) error {
			announce <- to
			return nil
		}},
	}}
	stop := w.Start(t.Context())
	defer stop()
	// Several blocks between two polls.
	height.Store(5)
	awaitHeights(t, seen, 1, 2, 3, 4, 5)
	first.down.Store(true)
	height.Store(7)
	awaitHeights(t, seen, 6, 7)
	announced := <-announce
	height.Store(8)
	announced <- struct{}{}
	awaitHeights(t, seen, 8)
	// The end of the subscription leads back to the first node.
	first.down.Store(false)
	close(announced)
	height.Store(10)
	awaitHeights(t, seen, 9, 10)
	stop()
	if len(seen) > 0 {
		t.Errorf("height %d is reported twice", <-seen)
	}
}
