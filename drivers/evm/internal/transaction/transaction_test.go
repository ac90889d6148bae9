package transaction

import (
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/benchnet/benchnet/internal/platform/evm"
)

var testOperation = evm.Operation{ChainID: 12345, Recipient: evm.DefaultRecipient, ValueWei: "10", GasLimit: 21000,
	MaxFeePerGasWei: "2000000000", MaxPriorityFeePerGasWei: "1000000000"}

func newAccounts(t testing.TB, n int) []*Account {
	t.Helper()
	var derived []*Account
	for i := range n {
		a, err := Seed("a seed for the tests").Account(i)
		if err != nil {
			t.Fatal(err)
		}
		derived = append(derived, a)
	}
	return derived
}

func TestSignedTransferIsWhatTheOperationSays(t *testing.T) {
	from := newAccounts(t, 1)[0]
	derived, err := NewSigner(testOperation).Sign(from, 7)
	if err != nil {
		t.Fatal(err)
	}
	var tx types.Transaction
	if err := tx.UnmarshalBinary(derived.Raw); err != nil {
		t.Fatal(err)
	}
	sender, err := types.Sender(types.LatestSignerForChainID(big.NewInt(12345)), &tx)
	if err != nil || sender != from.Address {
		t.Errorf("sender %s, %v; want %s", sender, err, from.Address)
	}
	if tx.Hash() != derived.Hash || tx.Type() != types.DynamicFeeTxType || tx.Nonce() != 7 || derived.Nonce != 7 || tx.ChainId().Int64() != 12345 {
		t.Errorf("transaction %+v", &tx)
	}
	if *tx.To() != common.HexToAddress(evm.DefaultRecipient) || tx.Value().Int64() != 10 || tx.Gas() != 21000 ||
		tx.GasFeeCap().Int64() != 2e9 || tx.GasTipCap().Int64() != 1e9 {
		t.Errorf("transaction %+v", &tx)
	}
}

func TestMaxCost(t *testing.T) {
	if got, want := NewSigner(testOperation).MaxCost(3), big.NewInt(3*(21000*2e9+10)); got.Cmp(want) != 0 {
		t.Errorf("cost %v, want %v", got, want)
	}
}

func TestSequenceTakesTurns(t *testing.T) {
	own := newAccounts(t, 3)
	s := &Sequence{Signer: NewSigner(testOperation), Accounts: own, Nonces: []uint64{5, 0, 9}}
	want := []struct {
		account int
		nonce   uint64
	}{{0, 5}, {1, 0}, {2, 9}, {0, 6}, {1, 1}, {2, 10}, {0, 7}}
	i := 0
	for derived := range s.SignAhead(context.Background(), int64(len(want)), 2) {
		if derived.Account != own[want[i].account] || derived.Nonce != want[i].nonce {
			t.Errorf("transfer %d: account %d nonce %d, want %+v", i, derived.Account.Index, derived.Nonce, want[i])
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%d transfers, want %d", i, len(want))
	}
}

func TestSignAheadIsBounded(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := &Sequence{Signer: NewSigner(testOperation), Accounts: newAccounts(t, 1), Nonces: []uint64{0}}
	signed := s.SignAhead(ctx, 1000, 10)
	for deadline := time.Now().Add(time.Minute); len(signed) < 10 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	if len(signed) != 10 || cap(signed) != 10 {
		t.Errorf("%d transfers ahead in a buffer of %d, want 10", len(signed), cap(signed))
	}
}

// BenchmarkSign measures the signing rate of one core.
func BenchmarkSign(b *testing.B) {
	from := newAccounts(b, 1)[0]
	signer := NewSigner(testOperation)
	for i := 0; b.Loop(); i++ {
		if _, err := signer.Sign(from, uint64(i)); err != nil {
			b.Fatal(err)
		}
	}
}
