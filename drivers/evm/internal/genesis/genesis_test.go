package genesis

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
)

var testSeed = transaction.Seed("a seed for the tests")

func applyChange(t *testing.T, c Change, document string) (map[string]any, string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "genesis.json")
	if err := os.WriteFile(path, []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
	err := c.Apply(path, path)
	text, readErr := os.ReadFile(path)
	if readErr != nil {
		t.Fatal(readErr)
	}
	var changed map[string]any
	_ = json.Unmarshal(text, &changed)
	return changed, string(text), err
}

func accountAddress(t *testing.T, index int) string {
	t.Helper()
	a, err := testSeed.Account(index)
	if err != nil {
		t.Fatal(err)
	}
	return a.Address.Hex()
}

func TestFundsAccountsAndKeepsTheRest(t *testing.T) {
	known := strings.ToLower(accountAddress(t, 1))[2:]
	changed, text, err := applyChange(t, Change{Seed: testSeed, Accounts: 3, Ether: "2", GasLimit: 1_000_000_000, ChainID: 77}, `{
		"config": {"chainId": 1, "osakaTime": 0, "terminalTotalDifficulty": 58750000000000000000000},
		"gasLimit": "0x1", "timestamp": 12345678901234567890,
		"alloc": {"0x2000000000000000000000000000000000000000": {"balance": 115792089237316195423570985008687907853269984665640564039457584007913129639935, "code": "0x60"},
		          "`+known+`": {"balance": "1", "nonce": "0x5"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range []string{"58750000000000000000000", "12345678901234567890", "115792089237316195423570985008687907853269984665640564039457584007913129639935"} {
		if !strings.Contains(text, ": "+number) {
			t.Errorf("%s is lost in %s", number, text)
		}
	}
	alloc := changed["alloc"].(map[string]any)
	if len(alloc) != 4 {
		t.Errorf("%d entries, want 4: %v", len(alloc), alloc)
	}
	for _, name := range []string{accountAddress(t, 0), known, accountAddress(t, 2)} {
		if entry, _ := alloc[name].(map[string]any); entry["balance"] != "0x1bc16d674ec80000" {
			t.Errorf("%s has %v, want 2 ether", name, entry)
		}
	}
	if alloc[known].(map[string]any)["nonce"] != "0x5" {
		t.Errorf("the nonce of %s is lost", known)
	}
	if changed["gasLimit"] != "0x3b9aca00" || changed["config"].(map[string]any)["chainId"] != float64(77) {
		t.Errorf("gas limit %v, config %v", changed["gasLimit"], changed["config"])
	}
}

func TestLeavesGasLimitAndChain(t *testing.T) {
	changed, _, err := applyChange(t, Change{Seed: testSeed, Accounts: 1, Ether: "1"}, `{"config": {"chainId": 9}, "gasLimit": "0x1", "alloc": {}}`)
	if err != nil || changed["gasLimit"] != "0x1" || changed["config"].(map[string]any)["chainId"] != float64(9) {
		t.Errorf("got %v, %v", changed, err)
	}
}

func TestApplyRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		change   Change
		document string
	}{
		"parse genesis":                   {Change{Ether: "1"}, `{`},
		"alloc: missing":                  {Change{Ether: "1"}, `{"config": {}}`},
		"config: missing":                 {Change{Ether: "1", ChainID: 1}, `{"alloc": {}}`},
		`balance: "1.5" is not an amount`: {Change{Ether: "1.5"}, `{"alloc": {}}`},
		`balance: "-1" is not an amount`:  {Change{Ether: "-1"}, `{"alloc": {}}`},
	} {
		_, text, err := applyChange(t, c.change, c.document)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if text != c.document {
			t.Errorf("a refused change was written: %s", text)
		}
	}
}
