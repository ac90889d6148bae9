// Package genesis changes a genesis in geth's format, and leaves alone all that it does not know.
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

	"github.com/benchnet/benchnet/drivers/evm/internal/account"
	"github.com/benchnet/benchnet/internal/agent/files"
)

// weiPerEther is 10^18.
var weiPerEther = new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)

// Change is what becomes different in a genesis.
type Change struct {
	Seed account.Seed
	// Accounts to fund: the first ones of the seed.
	Accounts int
	// Ether that each has, a decimal number.
	Ether string
	// GasLimit of the genesis block and ChainID; 0 leaves them as they are.
	GasLimit, ChainID uint64
}

// Apply reads the genesis at from and writes the changed one to the file at to, whose folder it makes. Numbers of any size
// survive; the order of keys does not.
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
		return fmt.Errorf("make the folder of the genesis: %w", err)
	}
	return files.WriteAtomic(to, append(changed, '\n'), 0o644)
}

func (c Change) changeDocument(document map[string]any) error {
	wei, ok := new(big.Int).SetString(c.Ether, 10)
	if !ok || wei.Sign() < 0 {
		return fmt.Errorf("balance: %q is no amount; want a whole number of ether", c.Ether)
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
			return fmt.Errorf("config: it is missing; is this a genesis as geth reads it?")
		}
		config["chainId"] = json.Number(fmt.Sprint(c.ChainID))
	}
	return nil
}

// fundAccounts gives the accounts their balance. One that the genesis has keeps the rest of what it has there.
func (c Change) fundAccounts(document map[string]any, balance string) error {
	alloc, ok := document["alloc"].(map[string]any)
	if !ok {
		return fmt.Errorf("alloc: it is missing; is this a genesis as geth reads it?")
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

// normalizeAddress is an address without what the format leaves free: case and prefix.
func normalizeAddress(address string) string {
	return strings.TrimPrefix(strings.ToLower(address), "0x")
}
