package transaction

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAccountsNeverChange pins the derivation: the program that spends from the accounts may have another
// version than the one that funded them.
func TestAccountsNeverChange(t *testing.T) {
	seed := Seed("0123456789abcdef")
	for index, want := range map[int]string{0: "0xF568DEFcA8Fd5251C3EAef7FAbC66624fAA73A1c", 1: "0x56AFEE777A874F17E02ccA3f45C4b0873aF42902", 99999: "0x0e17d904d71bB78cC22cdC70cd5fbC8A5fc358cd"} {
		a, err := seed.Account(index)
		if err != nil || a.Address.Hex() != want || a.Index != index {
			t.Errorf("account %d is %v, %v; want %s", index, a.Address, err, want)
		}
	}
}

func TestReadSeed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "seed")
	for content, want := range map[string]string{
		"0123456789abcdef\n":      "0123456789abcdef",
		"  0123456789 abcdef\r\n": "0123456789 abcdef",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadSeed(path); err != nil || string(got) != want {
			t.Errorf("%q: seed %q, %v", content, got, err)
		}
	}
	if err := os.WriteFile(path, []byte("too short      \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSeed(path); err == nil || !strings.Contains(err.Error(), "9 bytes; want at least 16") {
		t.Errorf("error %v", err)
	}
	if _, err := ReadSeed(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "read seed") {
		t.Errorf("error %v", err)
	}
}
