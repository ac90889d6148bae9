package member

import (
	"context"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/benchnet/benchnet/internal/platform/evm"
)

// Block holds the fields of a block that the driver uses.
type Block struct {
	Height hexutil.Uint64 `json:"number"`
	Hash   common.Hash    `json:"hash"`
	// Size is the size in bytes.
	Size hexutil.Uint64 `json:"size"`
	// Proposer is the recipient of the fees.
	Proposer     common.Address `json:"miner"`
	Transactions []common.Hash  `json:"transactions"`
	// BaseFee is the base fee per gas in wei.
	BaseFee hexutil.Big `json:"baseFeePerGas"`
	// GasUsed is the gas that all transactions used, and GasLimit the most that they may use.
	GasUsed  hexutil.Uint64 `json:"gasUsed"`
	GasLimit hexutil.Uint64 `json:"gasLimit"`
	// Receipts are those of the transactions, in their order, and SeenAt is when the block was read. Only BlockWithReceipts sets them.
	Receipts []Receipt `json:"-"`
	SeenAt   time.Time `json:"-"`
}

// ReceiptAt returns the receipt of the transaction at an index. Without receipts it is that of a plain transfer.
func (b *Block) ReceiptAt(i int) Receipt {
	if b.Receipts == nil {
		return Receipt{Status: 1, GasUsed: evm.DefaultGasLimit}
	}
	return b.Receipts[i]
}

// NewestBlock returns the newest block of the node.
func (n *Node) NewestBlock(ctx context.Context) (*Block, error) {
	var block Block
	err := n.callMethod(ctx, &block, "eth_getBlockByNumber", "latest", false)
	return &block, err
}

// BlockAt returns the block at a height, or nil if the node does not have it yet.
func (n *Node) BlockAt(ctx context.Context, height uint64) (*Block, error) {
	var block *Block
	err := n.callMethod(ctx, &block, "eth_getBlockByNumber", hexutil.Uint64(height), false)
	return block, err
}

// BlockWithReceipts returns the block at a height with its receipts, or nil if the node does not have it yet.
func (n *Node) BlockWithReceipts(ctx context.Context, height uint64) (*Block, error) {
	block, err := n.BlockAt(ctx, height)
	if err != nil || block == nil || len(block.Transactions) == 0 {
		return block, err
	}
	block.SeenAt = time.Now()
	if err := n.callMethod(ctx, &block.Receipts, "eth_getBlockReceipts", block.Hash); err != nil {
		return nil, err
	}
	if len(block.Receipts) != len(block.Transactions) {
		return nil, fmt.Errorf("eth_getBlockReceipts on %s: %d receipts of %d transactions at height %d",
			n.Name, len(block.Receipts), len(block.Transactions), height)
	}
	return block, nil
}

// SubscribeBlocks sends on the channel whenever the node has a new block, until ctx ends. It closes the
// channel if the connection fails. It requires a WebSocket address.
func (n *Node) SubscribeBlocks(ctx context.Context, to chan<- struct{}) error {
	heads := make(chan *ignoredResult, 16)
	subscription, err := n.client.EthSubscribe(ctx, heads, "newHeads")
	if err != nil {
		return fmt.Errorf("subscribe to new blocks of %s: %w", n.Name, err)
	}
	go func() {
		for {
			select {
			case <-heads:
				select {
				case to <- struct{}{}:
				default:
				}
			case <-subscription.Err(): //nolint:errcheck // No block follows, whether it failed or the client was closed.
				close(to)
				return
			case <-ctx.Done():
				subscription.Unsubscribe()
				return
			}
		}
	}()
	return nil
}
