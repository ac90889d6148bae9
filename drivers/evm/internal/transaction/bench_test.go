package transaction

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm/runtime"
	"github.com/ethereum/go-ethereum/params"

	"github.com/benchnet/benchnet/internal/platform/evm"
)

// TestContractIsPinned pins what hack/update-bench-contract prints.
func TestContractIsPinned(t *testing.T) {
	const want = "5aa7252c92547d51a741a51e97ae138db2944b3bc77024c084ad9297defc1185"
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(benchHex))); got != want {
		t.Errorf("Bench.bin has the hash %s, want %s", got, want)
	}
}

// TestContractIsReproducible compiles the contract again, where node and npm are available.
func TestContractIsReproducible(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	output, err := exec.CommandContext(t.Context(), "../../../../hack/update-bench-contract", dir).CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 75 {
		t.Skip("npm does not answer")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, name := range []string{"Bench.bin", "Bench.abi"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if want, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from what the compiler writes (%v): run hack/update-bench-contract", name, err)
		}
	}
}

func readABI(t *testing.T) abi.ABI {
	t.Helper()
	text, err := os.ReadFile("Bench.abi")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := abi.JSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// signEntry returns the transaction of an entry of a mix from the first test account, with nonce 7.
func signEntry(t *testing.T, e evm.MixEntry) (*Transaction, *types.Transaction) {
	t.Helper()
	signer, entry := NewSigner(testOperation), e.WithDefaults(21000)
	signer.Contract = common.Address{0xbe}
	accounts := newAccounts(t, 2)
	signed, err := signer.SignEntry(&entry, accounts[0], 7, accounts[1].Address)
	if err != nil {
		t.Fatal(err)
	}
	var tx types.Transaction
	if err := tx.UnmarshalBinary(signed.Raw); err != nil {
		t.Fatal(err)
	}
	return signed, &tx
}

func TestCallsAreEncodedByTheABI(t *testing.T) {
	contract, accounts := readABI(t), newAccounts(t, 2)
	fresh := common.HexToAddress("0x0")
	for name, c := range map[string]struct {
		entry     evm.MixEntry
		method    string
		arguments []any
		gasLimit  uint64
	}{
		"to the same":    {evm.MixEntry{Kind: evm.KindTokenTransfer}, "transfer", []any{common.HexToAddress(evm.DefaultRecipient), big.NewInt(1)}, 62_400},
		"to accounts":    {evm.MixEntry{Kind: evm.KindTokenTransfer, Recipients: evm.RecipientsAccounts}, "transfer", []any{accounts[1].Address, big.NewInt(1)}, 62_400},
		"to a fresh one": {evm.MixEntry{Kind: evm.KindTokenTransfer, Recipients: evm.RecipientsFresh}, "transfer", []any{fresh, big.NewInt(1)}, 62_400},
		"mint":           {evm.MixEntry{Kind: evm.KindMint}, "mint", []any{accounts[0].Address, big.NewInt(1)}, 84_000},
		"call":           {evm.MixEntry{Kind: evm.KindCall, Gas: 100_000}, "burn", []any{big.NewInt(100_000 - burnOverhead)}, 120_000},
		"store":          {evm.MixEntry{Kind: evm.KindStore, Slots: 3}, "store", []any{big.NewInt(3)}, 136_200},
	} {
		t.Run(name, func(t *testing.T) {
			signed, tx := signEntry(t, c.entry)
			if c.arguments[0] == any(fresh) {
				c.arguments[0] = signed.Created
			}
			want, err := contract.Pack(c.method, c.arguments...)
			if err != nil || !bytes.Equal(tx.Data(), want) {
				t.Errorf("input %x, want %x, %v", tx.Data(), want, err)
			}
			if *tx.To() != (common.Address{0xbe}) || tx.Value().Sign() != 0 || tx.Gas() != c.gasLimit || tx.Nonce() != 7 {
				t.Errorf("to %s, value %d, gas limit %d, nonce %d", tx.To(), tx.Value(), tx.Gas(), tx.Nonce())
			}
		})
	}
	for method, input := range map[string][]byte{"totalSupply": SupplyInput(), "balanceOf": BalanceInput(accounts[0].Address)} {
		arguments := []any{accounts[0].Address}[:len(contract.Methods[method].Inputs)]
		if want, err := contract.Pack(method, arguments...); err != nil || !bytes.Equal(input, want) {
			t.Errorf("%s: input %x, want %x, %v", method, input, want, err)
		}
	}
}

func TestTransferInAMixIsPlain(t *testing.T) {
	plain, err := NewSigner(testOperation).Sign(newAccounts(t, 1)[0], 7)
	if err != nil {
		t.Fatal(err)
	}
	if signed, _ := signEntry(t, evm.MixEntry{Kind: evm.KindTransfer}); !bytes.Equal(signed.Raw, plain.Raw) {
		t.Errorf("%x, want %x", signed.Raw, plain.Raw)
	}
}

// chain executes transactions in a state with a deployed contract, without blocks.
type chain struct {
	config   *runtime.Config
	contract common.Address
}

func newChain(t *testing.T) *chain {
	t.Helper()
	db, err := state.New(types.EmptyRootHash, state.NewDatabaseForTesting())
	if err != nil {
		t.Fatal(err)
	}
	c := &chain{config: &runtime.Config{ChainConfig: params.MergedTestChainConfig, State: db, GasLimit: evm.MaxTransactionGas, BlockNumber: big.NewInt(1)}}
	_, c.contract, _, err = runtime.Create(benchCode, c.config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// execute returns the gas that a transaction uses, with that of its input.
func (c *chain) execute(t *testing.T, from common.Address, tx *types.Transaction) (uint64, error) {
	t.Helper()
	rules := c.config.ChainConfig.Rules(big.NewInt(1), true, 0)
	intrinsic, err := core.IntrinsicGas(tx.Data(), nil, nil, tx.To() == nil, rules, 0)
	if err != nil {
		t.Fatal(err)
	}
	c.config.Origin, c.config.GasLimit = from, tx.Gas()-intrinsic.RegularGas
	var left uint64
	if tx.To() == nil {
		_, _, left, err = runtime.Create(tx.Data(), c.config)
	} else {
		_, left, err = runtime.Call(c.contract, tx.Data(), c.config)
	}
	c.config.State.Finalise(true)
	return tx.Gas() - left, err
}

// TestGas executes each kind. The gas limits leave about 20 %, and a Call uses the gas that it should.
func TestGas(t *testing.T) {
	from := newAccounts(t, 1)[0]
	for _, e := range []evm.MixEntry{
		{Kind: evm.KindTokenTransfer, Recipients: evm.RecipientsFresh},
		{Kind: evm.KindMint},
		{Kind: evm.KindCall, Gas: 30_000}, {Kind: evm.KindCall, Gas: 200_000}, {Kind: evm.KindCall, Gas: evm.MaxTransactionGas},
		{Kind: evm.KindStore, Slots: 1}, {Kind: evm.KindStore, Slots: 500},
		{Kind: evm.KindDeploy, CodeBytes: 1}, {Kind: evm.KindDeploy, CodeBytes: 1500}, {Kind: evm.KindDeploy, CodeBytes: 24_576},
	} {
		t.Run(fmt.Sprintf("%s %d %d %d", e.Kind, e.Gas, e.Slots, e.CodeBytes), func(t *testing.T) {
			c := newChain(t)
			if e.Kind == evm.KindTokenTransfer {
				_, mint := signEntry(t, evm.MixEntry{Kind: evm.KindMint})
				if _, err := c.execute(t, from.Address, mint); err != nil {
					t.Fatal(err)
				}
			}
			_, tx := signEntry(t, e)
			used, err := c.execute(t, from.Address, tx)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d gas of %d", used, tx.Gas())
			if share := float64(used) / float64(tx.Gas()); e.Gas < evm.MaxTransactionGas && (share < 0.75 || share > 0.86) {
				t.Errorf("%d gas of %d is %.2f, want 0.83", used, tx.Gas(), share)
			}
			if e.Gas > 0 && math.Abs(float64(used)/float64(e.Gas)-1) > 0.01 {
				t.Errorf("%d gas, want %d", used, e.Gas)
			}
		})
	}
}

// TestCallWithoutGasIsReverted checks that a Call fails if it cannot use its gas.
func TestCallWithoutGasIsReverted(t *testing.T) {
	_, tx := signEntry(t, evm.MixEntry{Kind: evm.KindCall, Gas: 200_000, GasLimit: 100_000})
	if used, err := newChain(t).execute(t, common.Address{}, tx); err == nil {
		t.Errorf("%d gas was enough", used)
	}
}

// TestCreatedCode checks that the code has the right size and differs between transactions.
func TestCreatedCode(t *testing.T) {
	c, account := newChain(t), newAccounts(t, 1)[0].Address
	var codes [][]byte
	for nonce := range uint64(2) {
		code, _, _, err := runtime.Create(creationCode(1500, account, nonce), c.config)
		if err != nil || len(code) != 1500 {
			t.Fatalf("%d bytes, %v", len(code), err)
		}
		codes = append(codes, code)
	}
	if bytes.Equal(codes[0], codes[1]) {
		t.Error("the code of two contracts is the same")
	}
}

// TestMixFollowsWeights compares two mixes with the same seed, and one of another sender. Each ten transactions have the shares of the
// weights.
func TestMixFollowsWeights(t *testing.T) {
	entries := []evm.MixEntry{{Kind: evm.KindTransfer, Weight: 60}, {Kind: evm.KindStore}, {Kind: evm.KindMint, Weight: 30}, {Kind: evm.KindCall, Weight: 10}}
	first, again, other := NewMix(entries, 5, 1), NewMix(entries, 5, 1), NewMix(entries, 5, 2)
	orders, differs := map[string]bool{}, false
	for range 100 {
		counts, order := map[evm.Kind]int{}, ""
		for range 10 {
			kind := first.Next().Kind
			counts[kind]++
			order += string(kind)
			if again.Next().Kind != kind {
				t.Fatal("the same seed gives another sequence")
			}
			differs = differs || other.Next().Kind != kind
		}
		orders[order] = true
		if want := map[evm.Kind]int{evm.KindTransfer: 6, evm.KindMint: 3, evm.KindCall: 1}; !maps.Equal(counts, want) {
			t.Fatalf("a block has %v, want %v", counts, want)
		}
	}
	if len(orders) < 50 {
		t.Errorf("100 blocks have only %d orders", len(orders))
	}
	if !differs {
		t.Error("two senders have the same sequence")
	}
	if NewMix(nil, 5, 1) != nil {
		t.Error("a mix without entries")
	}
}
