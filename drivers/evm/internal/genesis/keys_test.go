package genesis

import (
	"crypto/ecdsa"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

func TestPeersBelongToTheirKeys(t *testing.T) {
	dir := t.TempDir()
	if err := WriteKeys(dir, 3, "10.0.0.1{i}:30303"); err != nil {
		t.Fatal(err)
	}
	keys := make([]*ecdsa.PrivateKey, 3)
	for i := range keys {
		key, err := crypto.LoadECDSA(filepath.Join(dir, nodeFile(i, keyFile)))
		if err != nil {
			t.Fatal(err)
		}
		keys[i] = key
	}
	for i := range keys {
		peers := readLine(t, dir, nodeFile(i, peersFile))
		others := slices.Delete([]int{0, 1, 2}, i, i+1)
		for at, url := range strings.Split(peers, ",") {
			node, err := enode.ParseV4(url)
			if err != nil {
				t.Fatal(err)
			}
			other := others[at]
			if !node.Pubkey().Equal(&keys[other].PublicKey) || node.IP().String() != "10.0.0.1"+strconv.Itoa(other) || node.TCP() != 30303 {
				t.Errorf("peer %d of node %d is %s, not node %d", at, i, url, other)
			}
		}
		quoted := `"` + strings.ReplaceAll(peers, ",", `", "`) + `"`
		want := fmt.Sprintf("[Node.P2P]\nStaticNodes = [%s]\nTrustedNodes = [%s]", quoted, quoted)
		if got := readLine(t, dir, nodeFile(i, gethFile)); got != want {
			t.Errorf("%s of node %d is %s, want %s", gethFile, i, got, want)
		}
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
