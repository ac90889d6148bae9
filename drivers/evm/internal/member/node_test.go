package member_test

import (
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/testchain"
	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
)

func TestAgainstGeth(t *testing.T) {
	seed := transaction.Seed("a seed for the tests")
	geth := testchain.StartGeth(t, testchain.GethOptions{Seed: seed, Accounts: 250, Ether: "3", Flags: []string{"--rpc.batch-request-limit", "100"}})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	for _, url := range []string{geth.HTTP, geth.WebSocket} {
		node, chain, err := member.Dial(ctx, "member-0", url, 2, 10*time.Second)
		if err != nil || chain != testchain.ChainID {
			t.Fatalf("chain %d, %v", chain, err)
		}
		defer node.Close()
		if limit, err := node.BatchLimit(ctx, 1600); err != nil || limit != 100 {
			t.Errorf("limit %d, %v; want 100 by halving 1600", limit, err)
		}
		assertBalances(ctx, t, node, seed)
		if pending, queued, err := node.PoolStatus(ctx); err != nil || pending != 0 || queued != 0 {
			t.Errorf("pool %d and %d, %v", pending, queued, err)
		}
	}
}

func assertBalances(ctx context.Context, t *testing.T, node *member.Node, seed transaction.Seed) {
	t.Helper()
	for i, want := range map[int]string{0: "3000000000000000000", 99: "3000000000000000000", 250: "0"} {
		a, err := seed.Account(i)
		if err != nil {
			t.Fatal(err)
		}
		balances, err := node.Balances(ctx, []common.Address{a.Address}, member.LatestBlock)
		wei, _ := new(big.Int).SetString(want, 10)
		if err != nil || balances[0].Cmp(wei) != 0 {
			t.Errorf("account %d has %v, %v; want %s", i, balances, err, want)
		}
	}
}

// TestSubscribeBlocks checks that a node pushes its new blocks, about one per second.
func TestSubscribeBlocks(t *testing.T) {
	geth := testchain.StartGeth(t, testchain.GethOptions{Seed: transaction.Seed("a seed for the tests"), Accounts: 1})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	node, _, err := member.Dial(ctx, "member-0", geth.WebSocket, 1, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	announced := make(chan struct{}, 1)
	if err := node.SubscribeBlocks(ctx, announced); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		select {
		case _, open := <-announced:
			if !open {
				t.Fatal("the subscription ended")
			}
		case <-time.After(2 * time.Minute):
			t.Fatal("no block was announced within two minutes")
		}
	}
	geth.Kill()
	select {
	case _, open := <-announced:
		for open {
			_, open = <-announced
		}
	case <-time.After(2 * time.Minute):
		t.Error("the end of the connection is not told")
	}
}
