package drive

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/drivers/cometbft/internal/member"
	"github.com/benchnet/benchnet/drivers/cometbft/internal/testchain"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// TestLedgerIdentifiesTransactions has a chain that lacks one transaction that a block held for the client, has one twice, and has one whose
// operation failed.
func TestLedgerIdentifiesTransactions(t *testing.T) {
	chain := testchain.Chain{Copies: func(n int) int { return 1 + n%2 }}
	node, _, err := member.Dial(t.Context(), "member-0", chain.StartNode(t, nil).URL, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	c := &session{nodes: []*member.Node{node}, senders: []*sender{{}}, firstHeight: 1, tracker: &tracker{newest: &member.Block{Height: 2}, flights: map[member.Hash]*flight{}}}
	for name, f := range map[string]flight{
		"there": {state: stateIncluded}, "lost": {state: stateIncluded}, "late": {state: stateIncluded, failed: true}, "refused": {state: stateFailed, failed: true},
	} {
		c.tracker.flights[sha256.Sum256([]byte(name))] = &f
	}
	if _, err := node.Submit(t.Context(), "broadcast_tx_sync", [][]byte{[]byte("late"), []byte("there")}); err != nil {
		t.Fatal(err)
	}
	chain.SealBlock()
	chain.SealBlock()
	var ledger measurement.Ledger
	if err := c.rereadChain(t.Context(), &ledger); err != nil {
		t.Fatal(err)
	}
	if l := ledger; l.Recorded != 2 || *l.Lost != 1 || *l.Doubled != 1 || *l.Late != 1 || !strings.Contains(l.Violation, "is in the blocks at heights 1 and 2 of member-0") {
		t.Errorf("%+v, lost %d, doubled %d, late %d", l, *l.Lost, *l.Doubled, *l.Late)
	}
}
