package genesis

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/benchnet/benchnet/internal/agent/files"
)

// Files that WriteKeys creates.
const (
	// keyFile holds a node's private key in 64 hexadecimal digits, as geth --nodekey and reth --p2p-secret-key
	// read it.
	keyFile = "nodekey"
	// enodeFile holds the URL at which its peers reach a node.
	enodeFile = "enode"
	// enodesFile lists the URLs of all nodes, one per line.
	enodesFile = "enodes"
	// secretFile holds the secret between a validator and its execution client: 32 bytes in hexadecimal.
	secretFile = "jwt"
	// seedFile holds a seed of accounts.
	seedFile = "seed"
)

// WriteKeys generates the keys of execution clients for the peer-to-peer network, the secret of the Engine API, and the seed of a
// run's accounts. It creates the files of count nodes below dir, those of node i in dir/<i>. address is a host and
// port in which {i} is replaced by i.
func WriteKeys(dir string, count int, address string) error {
	var enodes []string
	for i := range count {
		enode, err := writeNode(filepath.Join(dir, strconv.Itoa(i)), strings.ReplaceAll(address, "{i}", strconv.Itoa(i)))
		if err != nil {
			return err
		}
		enodes = append(enodes, enode)
	}
	if err := writeLine(dir, enodesFile, strings.Join(enodes, "\n")); err != nil {
		return err
	}
	for _, name := range []string{secretFile, seedFile} {
		secret := make([]byte, 32)
		// rand.Read never returns an error.
		_, _ = rand.Read(secret)
		if err := writeLine(dir, name, hex.EncodeToString(secret)); err != nil {
			return err
		}
	}
	return nil
}

func writeNode(dir, address string) (enode string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("create the folder of a node: %w", err)
	}
	key, err := crypto.GenerateKey()
	if err != nil {
		return "", fmt.Errorf("generate a node's key: %w", err)
	}
	// The ID is the public key without the byte that marks it as uncompressed.
	enode = fmt.Sprintf("enode://%x@%s", crypto.FromECDSAPub(&key.PublicKey)[1:], address)
	if err := writeLine(dir, keyFile, hex.EncodeToString(crypto.FromECDSA(key))); err != nil {
		return "", err
	}
	return enode, writeLine(dir, enodeFile, enode)
}

func writeLine(dir, name, content string) error {
	return files.WriteAtomic(filepath.Join(dir, name), []byte(content+"\n"), 0o600)
}
