// Package genesis prepares a network: it writes a genesis or funds accounts in one, and generates the keys and secrets of nodes.
package genesis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
	"github.com/benchnet/benchnet/internal/agent/files"
)

// weiPerEther is 10^18.
var weiPerEther = new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)

// Change describes the changes to a genesis.
type Change struct {
	Seed transaction.Seed
	// Accounts is the number of accounts to fund, counted from the start of the seed's sequence.
	Accounts int
	// Ether is the balance of each account, a whole number in decimal.
	Ether string
	// GasLimit of the genesis block and ChainID; 0 keeps the existing value.
	GasLimit, ChainID uint64
}

// Apply reads the genesis at from and writes the changed one to the file at to, whose folder it creates. It
// preserves numbers of any size, but not the order of keys.
func (c Change) Apply(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("read genesis: %w", err)
	}
	var document map[string]any
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		return fmt.Errorf("parse genesis %s: %w", from, err)
	}
	if err := c.changeDocument(document); err != nil {
		return fmt.Errorf("genesis %s: %w", from, err)
	}
	changed, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return fmt.Errorf("encode genesis: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("create the folder of the genesis: %w", err)
	}
	return files.WriteAtomic(to, append(changed, '\n'), 0o644)
}

func (c Change) changeDocument(document map[string]any) error {
	wei, ok := new(big.Int).SetString(c.Ether, 10)
	if !ok || wei.Sign() < 0 {
		return fmt.Errorf("balance: %q is not an amount; want a whole number of ether", c.Ether)
	}
	wei.Mul(wei, weiPerEther)
	if err := c.fundAccounts(document, hexutil.EncodeBig(wei)); err != nil {
		return err
	}
	if c.GasLimit > 0 {
		document["gasLimit"] = hexutil.EncodeUint64(c.GasLimit)
	}
	if c.ChainID > 0 {
		config, ok := document["config"].(map[string]any)
		if !ok {
			return fmt.Errorf("config: missing; is this a genesis in geth's format?")
		}
		config["chainId"] = json.Number(fmt.Sprint(c.ChainID))
	}
	return nil
}

// fundAccounts sets the balance of the accounts. It keeps the other fields of an account that already exists
// in the genesis.
func (c Change) fundAccounts(document map[string]any, balance string) error {
	alloc, ok := document["alloc"].(map[string]any)
	if !ok {
		return fmt.Errorf("alloc: missing; is this a genesis in geth's format?")
	}
	names := map[string]string{}
	for name := range alloc {
		names[normalizeAddress(name)] = name
	}
	for i := range c.Accounts {
		a, err := c.Seed.Account(i)
		if err != nil {
			return err
		}
		name, known := names[normalizeAddress(a.Address.Hex())]
		if !known {
			alloc[a.Address.Hex()] = map[string]any{"balance": balance}
			continue
		}
		if entry, ok := alloc[name].(map[string]any); ok {
			entry["balance"] = balance
		}
	}
	return nil
}

// normalizeAddress returns an address in lower case without prefix, because the format leaves both open.
func normalizeAddress(address string) string {
	return strings.TrimPrefix(strings.ToLower(address), "0x")
}
