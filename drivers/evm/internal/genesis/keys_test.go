package genesis

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/p2p/enode"
)

func readLine(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(text), "\n")
}

func TestEnodesBelongToTheirKeys(t *testing.T) {
	dir := t.TempDir()
	if err := WriteKeys(dir, 3, "10.0.0.1{i}:30303"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(readLine(t, dir, enodesFile), "\n")
	if len(lines) != 3 {
		t.Fatalf("enodes %q", lines)
	}
	seen := map[string]bool{}
	for i, line := range lines {
		key, err := crypto.LoadECDSA(filepath.Join(dir, strconv.Itoa(i), keyFile))
		if err != nil {
			t.Fatal(err)
		}
		node, err := enode.ParseV4(line)
		if err != nil {
			t.Fatal(err)
		}
		if !node.Pubkey().Equal(&key.PublicKey) || node.IP().String() != "10.0.0.1"+strconv.Itoa(i) || node.TCP() != 30303 {
			t.Errorf("enode %s of key %x", line, crypto.FromECDSAPub(&key.PublicKey))
		}
		if readLine(t, dir, strconv.Itoa(i), enodeFile) != line || seen[line] {
			t.Errorf("enode of node %d is %q", i, line)
		}
		seen[line] = true
	}
}

func TestSecretsAreRandomAndPrivate(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for _, dir := range []string{first, second} {
		if err := WriteKeys(dir, 1, "h:1"); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{secretFile, seedFile} {
		secret, err := hex.DecodeString(readLine(t, first, name))
		if err != nil || len(secret) != 32 || readLine(t, first, name) == readLine(t, second, name) {
			t.Errorf("%s is %x, %v", name, secret, err)
		}
		if info, err := os.Stat(filepath.Join(first, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", name, info.Mode(), err)
		}
	}
	if readLine(t, first, secretFile) == readLine(t, first, seedFile) {
		t.Error("the secret is the seed")
	}
}
