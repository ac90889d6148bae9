package member

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
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
