package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cometbft/cometbft/crypto/ed25519"
	cmtjson "github.com/cometbft/cometbft/libs/json"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/privval"
	"github.com/cometbft/cometbft/types"
)

const (
	// maxValidators is the largest number of validators of a network.
	maxValidators = 1000
	chainID       = "benchnet"
	// defaultPower is the voting power of a validator by default. A validator with at least a third of the total, in whole numbers,
	// skips block sync, which with powers of 1 is each in networks of up to 5.
	defaultPower = 10
	// maxPower is the largest voting power, as in malachite-bench.
	maxPower = 1000
	// maxBlockBytes is the limit of the consensus for a whole block: maxBlockSize, up to 5 bytes of encoding for each of
	// maxTransactions, and the header and the commit of maxValidators.
	maxBlockBytes = 66 << 20
)

// genesisTime is the time of the first block. The clock of a validator must not be behind it.
var genesisTime = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// initNetwork generates the keys of validators with the given voting powers and the files that they share. It fails
// instead of overwriting a file.
func initNetwork(out string, powers []int64) error {
	genesis := types.GenesisDoc{ChainID: chainID, GenesisTime: genesisTime, ConsensusParams: newConsensusParams()}
	var ids []p2p.ID
	for i, power := range powers {
		dir := filepath.Join(out, "validators", strconv.Itoa(i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		pv := privval.GenFilePV("", "")
		node := p2p.NodeKey{PrivKey: ed25519.GenPrivKey()}
		if err := createJSON(filepath.Join(dir, "priv_validator_key.json"), pv.Key, 0o600); err != nil {
			return err
		}
		if err := createJSON(filepath.Join(dir, "node_key.json"), node, 0o600); err != nil {
			return err
		}
		ids = append(ids, node.ID())
		genesis.Validators = append(genesis.Validators, types.GenesisValidator{Address: pv.Key.Address, PubKey: pv.Key.PubKey, Power: power})
	}
	if err := genesis.ValidateAndComplete(); err != nil {
		return err
	}
	if err := createJSON(filepath.Join(out, "nodes.json"), ids, 0o644); err != nil {
		return err
	}
	return createJSON(filepath.Join(out, "genesis.json"), genesis, 0o644)
}

// newConsensusParams returns CometBFT's defaults with larger blocks, and with evidence that expires soon, because the
// headers of pruned blocks are kept until then.
func newConsensusParams() *types.ConsensusParams {
	params := types.DefaultConsensusParams()
	params.Block.MaxBytes = maxBlockBytes
	params.Evidence.MaxAgeNumBlocks = 1000
	params.Evidence.MaxAgeDuration = 10 * time.Minute
	return params
}

// createJSON writes a new file in CometBFT's JSON form.
func createJSON(path string, content any, mode os.FileMode) error {
	text, err := cmtjson.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(append(text, '\n')); err != nil {
		return err
	}
	return file.Sync()
}

// identity is who a validator is and who its peers are.
type identity struct {
	validator *privval.FilePV
	node      *p2p.NodeKey
	genesis   *types.GenesisDoc
	peers     []peer
}

// readIdentity reads the files that a configuration names. It fails if they do not belong together.
func readIdentity(c *Config) (*identity, error) {
	genesis, err := types.GenesisDocFromFile(c.Genesis)
	if err != nil {
		return nil, fmt.Errorf("genesis: %w", err)
	}
	var key privval.FilePVKey
	if err := readKey(c.Key, &key); err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	if key.PrivKey == nil {
		return nil, fmt.Errorf("key: %q has no priv_key: the file must be a validator's key as init writes it", c.Key)
	}
	node, err := p2p.LoadNodeKey(c.NodeKey)
	if err != nil {
		return nil, fmt.Errorf("node_key: read %q: %w", c.NodeKey, err)
	}
	ids, err := readNodes(c.Nodes, len(genesis.Validators))
	if err != nil {
		return nil, err
	}
	own, address := -1, key.PrivKey.PubKey().Address()
	for i, v := range genesis.Validators {
		if v.Address.String() == address.String() {
			own = i
		}
	}
	if own < 0 {
		return nil, fmt.Errorf("key: %q has the address %s, which is not in genesis %q: the key of one of its validators", c.Key, address, c.Genesis)
	}
	if ids[own] != node.ID() {
		return nil, fmt.Errorf("node_key: %q has the ID %s: validator %d has %s in nodes %q", c.NodeKey, node.ID(), own, ids[own], c.Nodes)
	}
	peers, err := resolveIDs(c.Network.Peers, ids, own)
	if err != nil {
		return nil, err
	}
	pv := privval.NewFilePV(key.PrivKey, c.Key, c.signStatePath())
	if _, err := os.Stat(c.signStatePath()); err == nil {
		pv = privval.LoadFilePV(c.Key, c.signStatePath())
	}
	return &identity{validator: pv, node: node, genesis: genesis, peers: peers}, nil
}

func readKey(path string, key *privval.FilePVKey) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := cmtjson.Unmarshal(text, key); err != nil {
		return fmt.Errorf("parse %q: %w", path, err)
	}
	return nil
}

func readNodes(path string, validators int) ([]p2p.ID, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("nodes: %w", err)
	}
	var ids []p2p.ID
	if err := json.Unmarshal(text, &ids); err != nil {
		return nil, fmt.Errorf("nodes: parse %q: %w", path, err)
	}
	if len(ids) != validators {
		return nil, fmt.Errorf("nodes: %q lists %d nodes: genesis has %d validators", path, len(ids), validators)
	}
	return ids, nil
}
