// Package member is a client for the RPC of one CometBFT node.
package member

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/websocket"

	"github.com/benchnet/benchnet/drivers/internal/openloop"
	"github.com/benchnet/benchnet/internal/httpclient"
)

const (
	// callTimeout bounds a call that is not a batch of transactions.
	callTimeout = 10 * time.Second
	// dialTimeout is how long a node may take to respond for the first time.
	dialTimeout = 10 * time.Second
	// idleTimeout is below the 10 s after which a node closes an idle connection.
	idleTimeout = 5 * time.Second
)

// Hash is the SHA-256 of a transaction, which identifies it.
type Hash [sha256.Size]byte

// String returns the hash as CometBFT writes it.
func (h Hash) String() string { return strings.ToUpper(hex.EncodeToString(h[:])) }

// Node is the RPC endpoint of a member.
type Node struct {
	Name, Address string
	client        *http.Client
}

// Status is the state of a node.
type Status struct {
	// Network is the chain ID.
	Network string
	// Height is that of the newest block, or 0.
	Height uint64
}

// Block holds the fields of a block that the driver uses.
type Block struct {
	Height         uint64
	Hash, Proposer string
	Transactions   []Hash
	// Bytes is the size of all transactions.
	Bytes int64
}

// Dial returns a node that keeps a number of connections, and its status. It retries failed attempts for 10 s.
func Dial(ctx context.Context, name, address string, connections int) (*Node, Status, error) {
	transport := &http.Transport{MaxIdleConnsPerHost: connections, IdleConnTimeout: idleTimeout, DisableCompression: true}
	n := &Node{Name: name, Address: address, client: &http.Client{Transport: transport, CheckRedirect: httpclient.RefuseRedirects}}
	var status Status
	err := openloop.RetryUntil(ctx, dialTimeout, func() (err error) {
		status, err = n.readStatus(ctx)
		return err
	})
	if err != nil {
		return nil, status, fmt.Errorf("%s does not respond at %s: %w", name, address, err)
	}
	return n, status, nil
}

// Close closes the idle connections.
func (n *Node) Close() { n.client.CloseIdleConnections() }

// callMethod calls one method and decodes its result.
func callMethod[Result any](ctx context.Context, n *Node, method string, params map[string]string) (*Result, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	answers, err := n.postCalls(ctx, []call{{Method: method, Params: params}})
	if err == nil && answers[0].Error != nil {
		err = answers[0].Error
	}
	var result Result
	if err == nil {
		err = json.Unmarshal(answers[0].Result, &result)
	}
	if err != nil {
		return nil, fmt.Errorf("%s on %s: %w", method, n.Name, err)
	}
	return &result, nil
}

func (n *Node) readStatus(ctx context.Context) (Status, error) {
	type result struct {
		NodeInfo struct {
			Network string `json:"network"`
		} `json:"node_info"`
		SyncInfo struct {
			Height uint64 `json:"latest_block_height,string"`
		} `json:"sync_info"`
	}
	r, err := callMethod[result](ctx, n, "status", nil)
	if err != nil {
		return Status{}, err
	}
	return Status{Network: r.NodeInfo.Network, Height: r.SyncInfo.Height}, nil
}

// MempoolSize returns the number of transactions in the node's mempool.
func (n *Node) MempoolSize(ctx context.Context) (uint64, error) {
	type result struct {
		Total uint64 `json:"total,string"`
	}
	r, err := callMethod[result](ctx, n, "num_unconfirmed_txs", nil)
	if err != nil {
		return 0, err
	}
	return r.Total, nil
}

// BlockAt returns the block at a height, or nil if the node does not have it yet.
func (n *Node) BlockAt(ctx context.Context, height uint64) (*Block, error) {
	type result struct {
		BlockID struct{ Hash string } `json:"block_id"`
		Block   *struct {
			Header struct {
				Proposer string `json:"proposer_address"`
			}
			Data struct{ Txs [][]byte }
		}
	}
	r, err := callMethod[result](ctx, n, "block", map[string]string{"height": fmt.Sprint(height)})
	switch {
	case err != nil && strings.Contains(err.Error(), "must be less than or equal to the current blockchain height"):
		return nil, nil
	case err != nil || r.Block == nil:
		return nil, err
	}
	b := &Block{Height: height, Hash: r.BlockID.Hash, Proposer: r.Block.Header.Proposer}
	for _, tx := range r.Block.Data.Txs {
		b.Transactions = append(b.Transactions, sha256.Sum256(tx))
		b.Bytes += int64(len(tx))
	}
	return b, nil
}

// SubscribeBlocks sends on the channel whenever the node has committed a block, until ctx ends. It closes the channel if
// the subscription fails. The event has only the header: that of the whole block would include the results of all
// transactions, which are several times as large as what BlockAt reads.
func (n *Node) SubscribeBlocks(ctx context.Context, to chan<- struct{}) error {
	config, err := websocket.NewConfig("ws"+strings.TrimPrefix(strings.TrimSuffix(n.Address, "/"), "http")+"/websocket", n.Address)
	if err != nil {
		return fmt.Errorf("subscribe to new blocks of %s: %w", n.Name, err)
	}
	bounded, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	connection, err := config.DialContext(bounded)
	if err != nil {
		return fmt.Errorf("subscribe to new blocks of %s: %w", n.Name, err)
	}
	context.AfterFunc(ctx, func() { _ = connection.Close() })
	subscribe := call{Version: "2.0", Method: "subscribe", Params: map[string]string{"query": "tm.event='NewBlockHeader'"}}
	if err := websocket.JSON.Send(connection, subscribe); err != nil {
		return fmt.Errorf("subscribe to new blocks of %s: %w", n.Name, err)
	}
	go func() {
		defer close(to)
		for {
			// The first is the response to the subscription.
			var event answer
			if err := websocket.JSON.Receive(connection, &event); err != nil {
				return
			}
			if event.Error != nil {
				slog.Warn("subscription to new blocks failed", "member", n.Name, "err", event.Error)
				return
			}
			select {
			case to <- struct{}{}:
			default:
			}
		}
	}()
	return nil
}

// Submit sends transactions as one batch of calls of a method. The returned slice has an error for each transaction that
// the node rejected. If the whole batch fails, Submit returns an error and the fate of the transactions is unknown.
func (n *Node) Submit(ctx context.Context, method string, transactions [][]byte) ([]error, error) {
	answers, err := n.postCalls(ctx, newBatch(method, transactions))
	if err != nil {
		return nil, err
	}
	refusals := make([]error, len(answers))
	for i, a := range answers {
		var result codeError
		switch {
		case a.Error != nil:
			refusals[i] = a.Error
		case json.Unmarshal(a.Result, &result) != nil:
			refusals[i] = fmt.Errorf("not the result of %s", method)
		case result.Code != 0:
			refusals[i] = &result
		}
	}
	return refusals, nil
}

func newBatch(method string, transactions [][]byte) []call {
	calls := make([]call, len(transactions))
	for i, tx := range transactions {
		calls[i] = call{Method: method, Params: map[string][]byte{"tx": tx}}
	}
	return calls
}

// BatchLimit returns how many transactions of a size fit into one batch, at most wanted. The calls of its trials have no
// effect.
func (n *Node) BatchLimit(ctx context.Context, wanted, transactionBytes int) (int, error) {
	transactions := slices.Repeat([][]byte{make([]byte, transactionBytes)}, wanted)
	return openloop.FindBatchLimit(ctx, n.Name, wanted, func(ctx context.Context, size int) error {
		// A node ignores parameters that a method does not have.
		answers, err := n.postCalls(ctx, newBatch("health", transactions[:size]))
		for _, a := range answers {
			if a.Error != nil {
				err = a.Error
			}
		}
		return err
	})
}
