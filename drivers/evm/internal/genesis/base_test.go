package genesis

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/params"
)

func writeOsaka(t *testing.T, c Change) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "network", "genesis.json")
	if err := Write(path, c); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestWrite checks the content of a genesis. The tests of the driver run geth on such a genesis.
func TestWrite(t *testing.T) {
	text := writeOsaka(t, Change{Seed: testSeed, Accounts: 2, Ether: "2", GasLimit: 30_000_000, ChainID: 77})
	var document struct {
		Config              params.ChainConfig
		GasLimit, Timestamp string
		Alloc               map[string]struct{ Balance, Code, Nonce string }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	if c := document.Config; c.ChainID.Uint64() != 77 || c.OsakaTime == nil || *c.OsakaTime != 0 || c.AmsterdamTime != nil {
		t.Errorf("the configuration is %s", c.Description())
	}
	if err := document.Config.CheckConfigForkOrder(); err != nil {
		t.Error(err)
	}
	if document.GasLimit != "0x1c9c380" || document.Timestamp != "0x1" {
		t.Errorf("gas limit %s, timestamp %s", document.GasLimit, document.Timestamp)
	}
	if len(document.Alloc) != 6 {
		t.Errorf("%d entries, want four contracts and two accounts", len(document.Alloc))
	}
	if funded := document.Alloc[accountAddress(t, 1)]; funded.Balance != "0x1bc16d674ec80000" || funded.Code != "" {
		t.Errorf("the second account has %v, want 2 ether", funded)
	}
	if contract := document.Alloc[params.HistoryStorageAddress.Hex()]; contract.Nonce != "0x1" || len(contract.Code) < 100 {
		t.Errorf("the contract of EIP-2935 is %v", contract)
	}
}

// TestWriteIsDeterministic checks that the same arguments give the same bytes and so the same genesis block.
func TestWriteIsDeterministic(t *testing.T) {
	c := Change{Seed: testSeed, Accounts: 20, Ether: "1", GasLimit: 30_000_000, ChainID: 77}
	if one, other := writeOsaka(t, c), writeOsaka(t, c); !bytes.Equal(one, other) {
		t.Errorf("%s\n%s", one, other)
	}
}

func TestWriteRefusesBalance(t *testing.T) {
	path := filepath.Join(t.TempDir(), "genesis.json")
	err := Write(path, Change{Seed: testSeed, Accounts: 1, Ether: "1.5", GasLimit: 30_000_000, ChainID: 77})
	if err == nil || !strings.Contains(err.Error(), `balance: "1.5" is not an amount`) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a refused genesis was written")
	}
}
