package member_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/benchnet/benchnet/drivers/cometbft/internal/member"
	"github.com/benchnet/benchnet/drivers/cometbft/internal/testchain"
)

func dialNode(t *testing.T, chain *testchain.Chain) *member.Node {
	t.Helper()
	node, status, err := member.Dial(t.Context(), "member-0", chain.StartNode(t, nil).URL, 1)
	if err != nil || status.Network != "fake" || status.Height != uint64(len(chain.Blocks())) {
		t.Fatalf("status %+v, %v", status, err)
	}
	t.Cleanup(node.Close)
	return node
}

func TestNodeThatDoesNotRespond(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := member.Dial(ctx, "member-0", "http://127.0.0.1:1", 1)
	if err == nil || !strings.HasPrefix(err.Error(), "member-0 does not respond at http://127.0.0.1:1: ") {
		t.Errorf("error %v", err)
	}
}

func TestBatchLimit(t *testing.T) {
	for _, c := range []struct{ maxBatch, maxBody, wanted, want int }{
		{0, 0, 1600, 1600}, {10, 0, 10, 10}, {10, 0, 15, 8}, {1, 0, 15, 1}, {0, 100_000, 1600, 50},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			node := dialNode(t, &testchain.Chain{MaxBatch: c.maxBatch, MaxBody: c.maxBody})
			if limit, err := node.BatchLimit(t.Context(), c.wanted, 1024); err != nil || limit != c.want {
				t.Errorf("limit %d, %v; want %d", limit, err, c.want)
			}
		})
	}
	node := dialNode(t, &testchain.Chain{MaxBody: 500})
	if _, err := node.BatchLimit(t.Context(), 10, 1024); err == nil || err.Error() != "a batch of 1 calls to member-0: HTTP 400: too large\n" ||
		member.ErrorKind(err) != "HTTP 400" {
		t.Errorf("a node that takes no transaction of that size: %v", err)
	}
}

func TestBlocks(t *testing.T) {
	chain := &testchain.Chain{}
	node := dialNode(t, chain)
	if b, err := node.BlockAt(t.Context(), 1); b != nil || err != nil {
		t.Errorf("block %+v, %v; want none", b, err)
	}
	announced := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(t.Context())
	if err := node.SubscribeBlocks(ctx, announced); err != nil {
		t.Fatal(err)
	}
	awaitAnnouncement(t, announced, true) // The response to the subscription.
	if refusals, err := node.Submit(t.Context(), "broadcast_tx_sync", [][]byte{[]byte("one"), []byte("three")}); err != nil || !slices.Equal(refusals, []error{nil, nil}) {
		t.Errorf("refusals %v, %v", refusals, err)
	}
	if size, err := node.MempoolSize(t.Context()); size != 2 || err != nil {
		t.Errorf("mempool %d, %v", size, err)
	}
	chain.SealBlock()
	awaitAnnouncement(t, announced, true)
	b, err := node.BlockAt(t.Context(), 1)
	if err != nil || b.Height != 1 || len(b.Transactions) != 2 || b.Bytes != 8 || b.Proposer != "AB" || b.Hash == "" ||
		b.Transactions[0].String() != "7692C3AD3540BB803C020B3AEE66CD8887123234EA0C6E7143C0ADD73FF431ED" {
		t.Errorf("block %+v, %v", b, err)
	}
	cancel()
	awaitAnnouncement(t, announced, false)
}

// awaitAnnouncement waits for a block, or for the end of the subscription.
func awaitAnnouncement(t *testing.T, announced <-chan struct{}, want bool) {
	t.Helper()
	select {
	case _, open := <-announced:
		if open != want {
			t.Errorf("the subscription is open: %v, want %v", open, want)
		}
	case <-time.After(time.Minute):
		t.Fatal("no block was announced within a minute")
	}
}

func TestErrorKind(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: fmt.Errorf("connect: %w", syscall.ECONNREFUSED)}
	for want, err := range map[string]error{
		"connection refused":  fmt.Errorf("Post: %w", refused),
		"no response in time": context.DeadlineExceeded,
		"connection closed":   fmt.Errorf("Post: %w", io.EOF),
		"not known":           errors.New("not known: 7"),
	} {
		if got := member.ErrorKind(err); got != want {
			t.Errorf("%v is of kind %q, want %q", err, got, want)
		}
	}
}
