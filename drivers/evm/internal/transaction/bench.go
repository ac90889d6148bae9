package transaction

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // The compiled contract.
	"encoding/binary"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/benchnet/benchnet/internal/platform/evm"
)

// benchHex is the creation code of Bench.sol, as hack/update-bench-contract compiles it.
//
//go:embed Bench.bin
var benchHex string

// benchCode is the creation code of the contract.
var benchCode = common.FromHex(strings.TrimSpace(benchHex))

// Selectors of the contract's functions.
var (
	selectorTransfer    = selectorOf("transfer(address,uint256)")
	selectorMint        = selectorOf("mint(address,uint256)")
	selectorBurn        = selectorOf("burn(uint256)")
	selectorStore       = selectorOf("store(uint256)")
	selectorBalanceOf   = selectorOf("balanceOf(address)")
	selectorTotalSupply = selectorOf("totalSupply()")
)

// benchGasLimit is the gas limit of the transaction that creates the contract.
const benchGasLimit = 1_000_000

// burnOverhead is the gas of a Call besides what the contract burns: that of the transaction, its input and the function's entry.
const burnOverhead = 21_700

// TokenGrant is the number of tokens that each account gets during set-up. A TokenTransfer moves one token, and a Mint creates one.
const TokenGrant = 1_000_000_000_000_000_000

func selectorOf(signature string) []byte { return crypto.Keccak256([]byte(signature))[:4] }

// encodeCall returns the input of a call with arguments of one word each.
func encodeCall(selector []byte, words ...[]byte) []byte {
	input := bytes.Clone(selector)
	for _, word := range words {
		input = append(input, common.LeftPadBytes(word, 32)...)
	}
	return input
}

func encodeUint(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// BalanceInput returns the input of a call that reads the tokens of an account.
func BalanceInput(account common.Address) []byte {
	return encodeCall(selectorBalanceOf, account.Bytes())
}

// SupplyInput returns the input of a call that reads the number of all tokens.
func SupplyInput() []byte { return bytes.Clone(selectorTotalSupply) }

// Deployer returns the account that creates the contract, and the address of the contract. Every version of the contract has its own.
func (s Seed) Deployer() (*Account, common.Address, error) {
	a, err := s.deriveAccount(fmt.Sprintf("benchnet deployer %x", sha256.Sum256(benchCode)))
	if err != nil {
		return nil, common.Address{}, fmt.Errorf("derive the deployer: %w", err)
	}
	return a, crypto.CreateAddress(a.Address, 0), nil
}

// creationCode returns code that creates a contract with the given size of code. The code stops at once, and is unique to a nonce of an
// account unless it is shorter than both.
func creationCode(size int, account common.Address, nonce uint64) []byte {
	// PUSH3 size, DUP1, PUSH1 offset, PUSH0, CODECOPY, PUSH0, RETURN.
	creation := []byte{0x62, byte(size >> 16), byte(size >> 8), byte(size), 0x80, 0x60, 11, 0x5f, 0x39, 0x5f, 0xf3}
	code := bytes.Repeat([]byte{0x5b}, size)
	code[0] = 0
	copy(code[1:], append(account.Bytes(), encodeUint(nonce)...))
	return append(creation, code...)
}

// SignPayment signs the payment from which the deployer creates the contract.
func (s *Signer) SignPayment(a *Account, nonce uint64, deployer common.Address) (*Transaction, error) {
	cost := new(big.Int).Mul(s.feeCap, big.NewInt(benchGasLimit))
	return s.signMessage(a, nonce, message{to: &deployer, gas: evm.DefaultGasLimit, value: cost})
}

// SignDeployment signs the first transaction of the deployer, which creates the contract.
func (s *Signer) SignDeployment(deployer *Account) (*Transaction, error) {
	return s.signMessage(deployer, 0, message{gas: benchGasLimit, data: benchCode})
}

// SignGrant signs the transaction with which an account gets its TokenGrant.
func (s *Signer) SignGrant(a *Account, nonce uint64) (*Transaction, error) {
	return s.signMessage(a, nonce, message{to: &s.Contract, gas: evm.GasLimitOf(evm.KindMint),
		data: encodeCall(selectorMint, a.Address.Bytes(), encodeUint(TokenGrant))})
}

// SignEntry signs a transaction of a mix. A TokenTransfer to Accounts goes to the account next.
func (s *Signer) SignEntry(e *evm.MixEntry, a *Account, nonce uint64, next common.Address) (*Transaction, error) {
	m := message{to: &s.Contract, gas: e.GasLimit}
	var created common.Address
	switch e.Kind {
	case evm.KindTransfer:
		m.to, m.value = &s.to, s.value
	case evm.KindTokenTransfer:
		to := s.to
		switch e.Recipients {
		case evm.RecipientsAccounts:
			to = next
		case evm.RecipientsFresh:
			created = crypto.CreateAddress(a.Address, nonce)
			to = created
		}
		m.data = encodeCall(selectorTransfer, to.Bytes(), encodeUint(1))
	case evm.KindMint:
		m.data = encodeCall(selectorMint, a.Address.Bytes(), encodeUint(1))
	case evm.KindCall:
		m.data = encodeCall(selectorBurn, encodeUint(e.Gas-burnOverhead))
	case evm.KindDeploy:
		created = crypto.CreateAddress(a.Address, nonce)
		m.to, m.data = nil, creationCode(e.CodeBytes, a.Address, nonce)
	case evm.KindStore:
		m.data = encodeCall(selectorStore, encodeUint(uint64(e.Slots)))
	}
	t, err := s.signMessage(a, nonce, m)
	if err != nil {
		return nil, err
	}
	t.Entry, t.Created = e, created
	return t, nil
}
