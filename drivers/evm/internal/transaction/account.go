package transaction

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"os"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// minSeedBytes is the minimum length of a seed in bytes.
const minSeedBytes = 16

// Seed is the secret from which all accounts are derived. The genesis that funds the accounts and the driver that spends from them
// therefore agree without a shared list.
type Seed []byte

// Account is a key with its address and its index in the seed's sequence.
type Account struct {
	Index   int
	Key     *ecdsa.PrivateKey
	Address common.Address
}

// ReadSeed reads a seed from a file. The seed consists of arbitrary bytes; surrounding white space is removed.
func ReadSeed(path string) (Seed, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read seed: %w", err)
	}
	seed := bytes.TrimSpace(content)
	if len(seed) < minSeedBytes {
		return nil, fmt.Errorf("seed %s: %d bytes; want at least %d", path, len(seed), minSeedBytes)
	}
	return seed, nil
}

// Account returns the account at an index. Its key is HMAC-SHA256 of "benchnet account <index>" under the
// seed.
func (s Seed) Account(index int) (*Account, error) {
	a, err := s.deriveAccount(fmt.Sprintf("benchnet account %d", index))
	if err != nil {
		return nil, fmt.Errorf("derive account %d: %w", index, err)
	}
	a.Index = index
	return a, nil
}

// deriveAccount returns the account whose key is HMAC-SHA256 of a label under the seed.
func (s Seed) deriveAccount(label string) (*Account, error) {
	mac := hmac.New(sha256.New, s)
	mac.Write([]byte(label))
	key, err := crypto.ToECDSA(mac.Sum(nil))
	if err != nil {
		return nil, err
	}
	return &Account{Key: key, Address: crypto.PubkeyToAddress(key.PublicKey)}, nil
}

// Accounts returns the accounts at the indices.
func (s Seed) Accounts(indices []int) ([]*Account, error) {
	accounts := make([]*Account, len(indices))
	for i, index := range indices {
		a, err := s.Account(index)
		if err != nil {
			return nil, err
		}
		accounts[i] = a
	}
	return accounts, nil
}
