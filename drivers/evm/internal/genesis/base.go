package genesis

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/params"

	"github.com/benchnet/benchnet/internal/agent/files"
)

// timestamp is the time of the genesis block. It is constant, so that the same seed, accounts and limits give the same chain.
// Every later block needs a greater timestamp, so chains with logical timestamps count up from it.
const timestamp = 1

// Write creates a genesis with all forks up to Osaka active from the start, the system contracts that they need and the accounts
// of the change, whose ChainID and GasLimit must be set.
func Write(path string, c Change) error {
	document, err := osakaDocument(c.ChainID)
	if err != nil {
		return err
	}
	if err := c.changeDocument(document); err != nil {
		return fmt.Errorf("genesis: %w", err)
	}
	content, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return fmt.Errorf("encode genesis: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("create the folder of the genesis: %w", err)
	}
	return files.WriteAtomic(path, append(content, '\n'), 0o644)
}

func osakaDocument(chainID uint64) (map[string]any, error) {
	zero, start := new(big.Int), new(uint64)
	config := params.ChainConfig{
		ChainID: new(big.Int).SetUint64(chainID), HomesteadBlock: zero, EIP150Block: zero, EIP155Block: zero, EIP158Block: zero, ByzantiumBlock: zero,
		ConstantinopleBlock: zero, PetersburgBlock: zero, IstanbulBlock: zero, BerlinBlock: zero, LondonBlock: zero, TerminalTotalDifficulty: zero,
		ShanghaiTime: start, CancunTime: start, PragueTime: start, OsakaTime: start,
		BlobScheduleConfig: &params.BlobScheduleConfig{
			Cancun: params.DefaultCancunBlobConfig, Prague: params.DefaultPragueBlobConfig, Osaka: params.DefaultOsakaBlobConfig},
	}
	// The form of a document that Change modifies.
	content, err := json.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("encode the chain's configuration: %w", err)
	}
	var fields map[string]any
	if err := json.Unmarshal(content, &fields); err != nil {
		return nil, fmt.Errorf("decode the chain's configuration: %w", err)
	}
	alloc := map[string]any{}
	for address, code := range map[common.Address][]byte{
		params.BeaconRootsAddress:        params.BeaconRootsCode,
		params.HistoryStorageAddress:     params.HistoryStorageCode,
		params.WithdrawalQueueAddress:    params.WithdrawalQueueCode,
		params.ConsolidationQueueAddress: params.ConsolidationQueueCode,
	} {
		alloc[address.Hex()] = map[string]any{"balance": "0x0", "nonce": "0x1", "code": hexutil.Encode(code)}
	}
	return map[string]any{"config": fields, "timestamp": hexutil.EncodeUint64(timestamp), "difficulty": "0x0", "gasLimit": "0x0",
		"baseFeePerGas": hexutil.EncodeUint64(params.InitialBaseFee), "excessBlobGas": "0x0", "blobGasUsed": "0x0", "alloc": alloc}, nil
}
