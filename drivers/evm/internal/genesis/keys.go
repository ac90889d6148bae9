package genesis

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/benchnet/benchnet/internal/agent/files"
)

// Files that WriteKeys creates.
const (
	// keyFile holds a node's private key in 64 hexadecimal digits without a newline, as geth --nodekey and reth --p2p-secret-key
	// read it.
	keyFile = "nodekey"
	// peersFile holds the URLs of a node's peers, separated by commas, as reth --trusted-peers takes them.
	peersFile = "peers"
	// gethFile is the configuration of geth with the same peers.
	gethFile = "geth.toml"
	// secretFile holds the secret between a validator and its execution client: 32 bytes in hexadecimal.
	secretFile = "network/jwt"
	// seedFile holds a seed of accounts.
	seedFile = "load/seed"
)

// WriteKeys generates the keys of execution clients for the peer-to-peer network, the secret of the Engine API, and the seed of a
// run's accounts. It creates the files of count nodes below dir, those of node i in dir/<i>. Each node is a peer of all others.
// address is a host and port in which {i} is replaced by i.
func WriteKeys(dir string, count int, address string) error {
	enodes := make([]string, count)
	for i := range count {
		key, err := crypto.GenerateKey()
		if err != nil {
			return fmt.Errorf("generate a node's key: %w", err)
		}
		// The ID is the public key without the byte that marks it as uncompressed.
		enodes[i] = fmt.Sprintf("enode://%x@%s", crypto.FromECDSAPub(&key.PublicKey)[1:], strings.ReplaceAll(address, "{i}", strconv.Itoa(i)))
		if err := writeFile(dir, nodeFile(i, keyFile), hex.EncodeToString(crypto.FromECDSA(key))); err != nil {
			return err
		}
	}
	for i := range count {
		if err := writePeers(dir, i, slices.Concat(enodes[:i], enodes[i+1:])); err != nil {
			return err
		}
	}
	for _, name := range []string{secretFile, seedFile} {
		secret := make([]byte, 32)
		// rand.Read never returns an error.
		_, _ = rand.Read(secret)
		if err := writeFile(dir, name, hex.EncodeToString(secret)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

func writePeers(dir string, node int, peers []string) error {
	if err := writeFile(dir, nodeFile(node, peersFile), strings.Join(peers, ",")); err != nil {
		return err
	}
	quoted := ""
	if len(peers) > 0 {
		quoted = `"` + strings.Join(peers, `", "`) + `"`
	}
	return writeFile(dir, nodeFile(node, gethFile), fmt.Sprintf("[Node.P2P]\nStaticNodes = [%s]\nTrustedNodes = [%s]\n", quoted, quoted))
}

func nodeFile(node int, name string) string { return strconv.Itoa(node) + "/" + name }

func writeFile(dir, name, content string) error {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("create the folder of %s: %w", name, err)
	}
	return files.WriteAtomic(path, []byte(content), 0o600)
}
