package drive

import (
	"math/big"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/benchnet/benchnet/drivers/evm/internal/load"
	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/testchain"
	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
	"github.com/benchnet/benchnet/drivers/internal/worker"
	"github.com/benchnet/benchnet/internal/platform/evm"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// testSigner pays 10 wei per transfer, and 2 to 5 wei per gas: a tip of 2 up to a cap of 5.
func testSigner() *transaction.Signer {
	return transaction.NewSigner(evm.Operation{ChainID: 5, Recipient: evm.DefaultRecipient, ValueWei: "10", GasLimit: evm.DefaultGasLimit,
		MaxFeePerGasWei: "5", MaxPriorityFeePerGasWei: "2"})
}

// TestLedgerFindsMissingValue has three transfers at a base fee of 1 wei and one at 4, whose price the cap limits to 5:
// together 4 * 10 wei and 14 wei per gas.
func TestLedgerFindsMissingValue(t *testing.T) {
	const fees = 14 * evm.DefaultGasLimit
	for name, c := range map[string]struct {
		decrease, increase int64
		want               string
	}{
		"all agree":              {fees + 40, 40, ""},
		"others pay too":         {fees + 40, 1000, ""},
		"the accounts gain":      {fees + 39, 40, "have 294039 wei less than before, but 4 transactions with their fees cost 294040"},
		"the accounts lose":      {fees + 41, 40, "have 294041 wei less"},
		"the recipient gets few": {fees + 40, 30, "the recipient has 30 wei more than before, but 4 transfers paid 40"},
	} {
		t.Run(name, func(t *testing.T) {
			c1 := &session{signer: testSigner(), blocks: &blockLog{signer: testSigner(), spent: new(big.Int)},
				initialState: ledgerState{balance: big.NewInt(1_000_000), received: big.NewInt(7)}}
			for transfers, baseFee := range map[int64]int64{3: 1, 1: 4} {
				c1.blocks.addBlock(&member.Block{BaseFee: hexutil.Big(*big.NewInt(baseFee))},
					load.Inclusion{Flights: transfers, Payments: transfers, Gas: uint64(transfers) * evm.DefaultGasLimit}, time.Now())
			}
			got := c1.findMissingValue(ledgerState{balance: big.NewInt(1_000_000 - c.decrease), received: big.NewInt(7 + c.increase)})
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestLedgerFindsDivergentMember has a member that the worker sends nothing to.
func TestLedgerFindsDivergentMember(t *testing.T) {
	server := httptest.NewServer(testchain.NewSink(5))
	defer server.Close()
	workload := &evm.Workload{WorkloadFile: protocol.WorkloadFile[evm.Operation]{Operation: evm.Operation{ChainID: 5},
		Load: &protocol.OfferedLoad{Clients: 1}, Targets: []protocol.Target{{Name: "member-7", Address: server.URL}}}}
	c := &session{worker: &worker.Worker{}, workload: workload, nodes: map[string]*member.Node{}}
	defer c.ShutDown()
	block, err := c.readBlock(t.Context(), workload.Targets[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	for hash, want := range map[common.Hash]string{block.Hash: "", {1}: "member-7 has block 0x"} {
		c.blocks = &blockLog{newest: &member.Block{Height: 0, Hash: hash}}
		if got, err := c.findDivergentMember(t.Context()); err != nil || want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
}
