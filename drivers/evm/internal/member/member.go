// Package member is a client for one node of the network over Ethereum's JSON-RPC, with HTTP or WebSocket.
package member

import (
	"context"
	"fmt"
	"math/big"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
	"github.com/benchnet/benchnet/drivers/internal/openloop"
)

const (
	// callTimeout bounds a call that is not a batch of transactions.
	callTimeout = 10 * time.Second
	// redialInterval is the pause between attempts to reach a node that does not respond yet.
	redialInterval = 500 * time.Millisecond
	// callsPerBatch is the size of a batch; public endpoints often accept no more.
	callsPerBatch = 100
)

// Node is the JSON-RPC endpoint of a member.
type Node struct {
	Name, Address string
	client        *rpc.Client
}

// Dial connects to a node and returns it with its chain ID. It retries failed attempts for the duration
// patience.
func Dial(ctx context.Context, name, address string, connections int, patience time.Duration) (*Node, uint64, error) {
	deadline := time.Now().Add(patience)
	for {
		node, chain, err := dialOnce(ctx, name, address, connections)
		if err == nil {
			return node, chain, nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return nil, 0, fmt.Errorf("%s does not respond at %s: %w", name, address, err)
		}
		sleepContext(ctx, redialInterval)
	}
}

func dialOnce(ctx context.Context, name, address string, connections int) (*Node, uint64, error) {
	// Responses are not compressed, because compression would cost the node more than it saves on the network.
	transport := &http.Transport{MaxIdleConnsPerHost: connections, MaxIdleConns: connections, IdleConnTimeout: time.Minute, DisableCompression: true}
	client, err := rpc.DialOptions(ctx, address, rpc.WithHTTPClient(&http.Client{Transport: transport}))
	if err != nil {
		return nil, 0, err
	}
	n := &Node{Name: name, Address: address, client: client}
	var chain hexutil.Uint64
	if err := n.callMethod(ctx, &chain, "eth_chainId"); err != nil {
		client.Close()
		return nil, 0, err
	}
	return n, uint64(chain), nil
}

// Close closes the connections.
func (n *Node) Close() { n.client.Close() }

func sleepContext(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (n *Node) callMethod(ctx context.Context, result any, method string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := n.client.CallContext(ctx, result, method, args...); err != nil {
		return fmt.Errorf("%s on %s: %w", method, n.Name, err)
	}
	return nil
}

// ignoredResult accepts any response and discards it.
type ignoredResult struct{}

func (*ignoredResult) UnmarshalJSON([]byte) error { return nil }

// Submit sends transactions as one JSON-RPC batch. The returned slice has an error for each transaction that the
// node rejected. If the whole batch fails, Submit returns an error and the fate of the transactions is unknown.
func (n *Node) Submit(ctx context.Context, transactions []*transaction.Transaction) ([]error, error) {
	var answer ignoredResult
	batch := make([]rpc.BatchElem, len(transactions))
	for i, t := range transactions {
		batch[i] = rpc.BatchElem{Method: "eth_sendRawTransaction", Args: []any{hexutil.Bytes(t.Raw)}, Result: &answer}
	}
	if err := n.client.BatchCallContext(ctx, batch); err != nil {
		return nil, err
	}
	refused := make([]error, len(transactions))
	for i := range batch {
		refused[i] = batch[i].Error
	}
	return refused, nil
}

// BatchLimit returns the largest accepted batch size of at most wanted calls.
func (n *Node) BatchLimit(ctx context.Context, wanted int) (int, error) {
	return openloop.FindBatchLimit(ctx, n.Name, wanted, n.tryBatch)
}

func (n *Node) tryBatch(ctx context.Context, size int) error {
	var chain hexutil.Uint64
	batch := make([]rpc.BatchElem, size)
	for i := range batch {
		batch[i] = rpc.BatchElem{Method: "eth_chainId", Result: &chain}
	}
	if err := n.client.BatchCallContext(ctx, batch); err != nil {
		return err
	}
	for i := range batch {
		if batch[i].Error != nil {
			return batch[i].Error
		}
	}
	return nil
}

// Blocks whose state can be read, besides a height in hexadecimal. PendingBlock includes the node's transaction pool.
const (
	LatestBlock  = "latest"
	PendingBlock = "pending"
)

// Balances returns the balances of the addresses at a block.
func (n *Node) Balances(ctx context.Context, addresses []common.Address, block string) ([]*big.Int, error) {
	balances, err := callPerAddress[hexutil.Big](ctx, n, "eth_getBalance", addresses, block)
	converted := make([]*big.Int, len(balances))
	for i := range balances {
		converted[i] = balances[i].ToInt()
	}
	return converted, err
}

// Nonces returns the next nonces of the addresses at a block.
func (n *Node) Nonces(ctx context.Context, addresses []common.Address, block string) ([]uint64, error) {
	nonces, err := callPerAddress[hexutil.Uint64](ctx, n, "eth_getTransactionCount", addresses, block)
	converted := make([]uint64, len(nonces))
	for i := range nonces {
		converted[i] = uint64(nonces[i])
	}
	return converted, err
}

// Codes returns the code at the addresses at a block.
func (n *Node) Codes(ctx context.Context, addresses []common.Address, block string) ([]hexutil.Bytes, error) {
	return callPerAddress[hexutil.Bytes](ctx, n, "eth_getCode", addresses, block)
}

// CallContract calls a contract at a block with each of the inputs, and returns the numbers that it returns.
func (n *Node) CallContract(ctx context.Context, contract common.Address, inputs [][]byte, block string) ([]*big.Int, error) {
	outputs, err := callEach[hexutil.Bytes](ctx, n, "eth_call", inputs, func(input []byte) []any {
		return []any{map[string]any{"to": contract, "input": hexutil.Bytes(input)}, block}
	})
	numbers := make([]*big.Int, len(outputs))
	for i := range outputs {
		numbers[i] = new(big.Int).SetBytes(outputs[i])
	}
	return numbers, err
}

// callPerAddress calls a method for each address, in batches.
func callPerAddress[T any](ctx context.Context, n *Node, method string, addresses []common.Address, block string) ([]T, error) {
	return callEach[T](ctx, n, method, addresses, func(a common.Address) []any { return []any{a, block} })
}

// callEach calls a method for each item with the arguments of the item, in batches.
func callEach[T, I any](ctx context.Context, n *Node, method string, items []I, arguments func(I) []any) ([]T, error) {
	found := make([]T, len(items))
	for from := 0; from < len(items); from += callsPerBatch {
		to := min(from+callsPerBatch, len(items))
		batch := make([]rpc.BatchElem, to-from)
		for i := range batch {
			batch[i] = rpc.BatchElem{Method: method, Args: arguments(items[from+i]), Result: &found[from+i]}
		}
		bounded, cancel := context.WithTimeout(ctx, callTimeout)
		err := n.client.BatchCallContext(bounded, batch)
		cancel()
		if err != nil {
			return nil, fmt.Errorf("%s on %s: %w", method, n.Name, err)
		}
		for i := range batch {
			if batch[i].Error != nil {
				return nil, fmt.Errorf("%s of %v on %s: %w", method, items[from+i], n.Name, batch[i].Error)
			}
		}
	}
	return found, nil
}

// PoolStatus returns how many transactions in the node's pool can go into the next block, and how many wait
// for an earlier nonce.
func (n *Node) PoolStatus(ctx context.Context) (pending, queued uint64, err error) {
	var status struct{ Pending, Queued hexutil.Uint64 }
	err = n.callMethod(ctx, &status, "txpool_status")
	return uint64(status.Pending), uint64(status.Queued), err
}

// Receipt is the outcome of an included transaction.
type Receipt struct {
	Status  hexutil.Uint64 `json:"status"`
	GasUsed hexutil.Uint64 `json:"gasUsed"`
}

// IsReverted reports whether the transaction was reverted.
func (r *Receipt) IsReverted() bool { return r.Status == 0 }

// ReceiptOf returns the receipt of a transaction, or nil if the node has none.
func (n *Node) ReceiptOf(ctx context.Context, hash common.Hash) (*Receipt, error) {
	var receipt *Receipt
	err := n.callMethod(ctx, &receipt, "eth_getTransactionReceipt", hash)
	return receipt, err
}
