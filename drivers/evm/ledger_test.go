package main

import (
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/testchain"
	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
	"github.com/benchnet/benchnet/internal/platform/evm"
)

// TestLedgerFindsForeignTransactions lets another program pay an account of the run, or spend from one, after the
// driver has read the initial state.
func TestLedgerFindsForeignTransactions(t *testing.T) {
	t.Parallel()
	node := startGeth(t)
	for name, c := range map[string]struct {
		from, to int
		want     string
	}{
		"payment to an account":   {99, 3, "wei less than before, but"},
		"payment from an account": {0, 98, "account 0 (0x"},
	} {
		t.Run(name, func(t *testing.T) {
			r := startDriver(t, 0, 1, newOrders(100, 0, 2, 5, map[string]any{"accounts": 10}, node.HTTP)).AwaitReady()
			payForeign(t, node, c.from, c.to)
			r.ReleaseAt(time.Now().Add(500 * time.Millisecond))
			if l := r.AwaitResult().Ledger; !l.Checked || !strings.Contains(l.Violation, c.want) {
				t.Errorf("ledger %+v, want the violation %q", l, c.want)
			}
		})
	}
}

// payForeign sends a transfer between two accounts of the seed without the driver.
func payForeign(t *testing.T, node *testchain.Geth, from, to int) {
	t.Helper()
	accounts, err := transaction.Seed(testSeed).Accounts([]int{from, to})
	if err != nil {
		t.Fatal(err)
	}
	signer := transaction.NewSigner(evm.Operation{ChainID: testchain.ChainID, Recipient: accounts[1].Address.Hex(), ValueWei: "1000",
		GasLimit: evm.DefaultGasLimit, MaxFeePerGasWei: evm.DefaultMaxFeePerGas, MaxPriorityFeePerGasWei: evm.DefaultMaxPriorityFeePerGas})
	client, _, err := member.Dial(t.Context(), "member-0", node.HTTP, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	nonces, err := client.Nonces(t.Context(), []common.Address{accounts[0].Address}, member.PendingBlock)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(accounts[0], nonces[0])
	if err != nil {
		t.Fatal(err)
	}
	if refused, err := client.Submit(t.Context(), []*transaction.Transaction{signed}); err != nil || refused[0] != nil {
		t.Fatal(err, refused)
	}
}
