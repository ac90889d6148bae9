// Package testchain provides a chain of fake CometBFT nodes for tests.
package testchain

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/websocket"
)

// Refusal is the rejection of a transaction: a code of the application, or else an error of the node.
type Refusal struct {
	Code  int
	Error string
}

// Chain is a chain that its nodes share. Set the fields before the first request.
type Chain struct {
	// MaxBatch is the maximum number of calls in a batch, and MaxBody the maximum size of a request; 0 means no limit.
	MaxBatch, MaxBody int
	// Refuse returns the rejection of transaction n, counted from 0 in the order of arrival, or nil.
	Refuse func(n int) *Refusal
	// Copies returns in how many blocks transaction n appears. Default: 1.
	Copies func(n int) int

	mu          sync.Mutex
	arrived     int
	mempool     [][]byte
	again       [][]byte
	blocks      [][][]byte
	subscribers map[*websocket.Conn]struct{}
}

// Node is a node of a chain. Set the fields before the first request.
type Node struct {
	URL string
	// Network is the chain ID. Default: fake.
	Network string
	// HashSuffix is appended to the hashes of all blocks.
	HashSuffix string
	// Answers reports whether batch n of transactions, counted from 0, is answered at once. Without an answer it is not
	// processed. Default: all are.
	Answers func(n int) bool
	// IsDown reports whether the node, which has got the given number of batches of transactions, is down: it closes all
	// connections. Default: it never is.
	IsDown  func(batches int) bool
	chain   *Chain
	mu      sync.Mutex
	batches int
}

// Start makes a block after each interval until the test ends.
func (c *Chain) Start(t *testing.T, interval time.Duration) {
	ticker, done := time.NewTicker(interval), make(chan struct{})
	t.Cleanup(func() {
		ticker.Stop()
		close(done)
	})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				c.SealBlock()
			}
		}
	}()
}

// SealBlock makes a block of the transactions in the mempool.
func (c *Chain) SealBlock() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blocks = append(c.blocks, c.mempool)
	c.mempool, c.again = c.again, nil
	for connection := range c.subscribers {
		_ = websocket.JSON.Send(connection, map[string]any{"id": 0, "result": map[string]any{}})
	}
}

// Blocks returns the transactions of all blocks.
func (c *Chain) Blocks() [][][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.blocks[:len(c.blocks):len(c.blocks)]
}

// StartNode starts a node that runs until the test ends. The function set sets its fields.
func (c *Chain) StartNode(t *testing.T, set func(*Node)) *Node {
	t.Helper()
	n := &Node{Network: "fake", chain: c, Answers: func(int) bool { return true }, IsDown: func(int) bool { return false }}
	if set != nil {
		set(n)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/", n.serveCalls)
	mux.Handle("/websocket", websocket.Handler(n.serveEvents))
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		c.closeSubscribers()
		server.CloseClientConnections()
		server.Close()
	})
	n.URL = server.URL
	return n
}

func (c *Chain) closeSubscribers() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for connection := range c.subscribers {
		_ = connection.Close()
		delete(c.subscribers, connection)
	}
}

// serveEvents answers one subscription. The events come from SealBlock.
func (n *Node) serveEvents(connection *websocket.Conn) {
	var subscribe map[string]any
	if websocket.JSON.Receive(connection, &subscribe) != nil || n.isDown() {
		return
	}
	n.chain.mu.Lock()
	if n.chain.subscribers == nil {
		n.chain.subscribers = map[*websocket.Conn]struct{}{}
	}
	_ = websocket.JSON.Send(connection, map[string]any{"id": 0, "result": map[string]any{}})
	n.chain.subscribers[connection] = struct{}{}
	n.chain.mu.Unlock()
	_, _ = io.Copy(io.Discard, connection)
	n.chain.mu.Lock()
	delete(n.chain.subscribers, connection)
	n.chain.mu.Unlock()
}

func (n *Node) isDown() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.IsDown(n.batches)
}

// enterBatch counts a batch of transactions and reports whether it is answered.
func (n *Node) enterBatch() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.batches++
	return n.Answers(n.batches - 1)
}

type call struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

func (n *Node) serveCalls(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var calls []call
	if err == nil {
		err = json.Unmarshal(body, &calls)
	}
	switch c := n.chain; {
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	case c.MaxBody > 0 && len(body) > c.MaxBody:
		http.Error(w, "too large", http.StatusBadRequest)
		return
	case c.MaxBatch > 0 && len(calls) > c.MaxBatch:
		_ = json.NewEncoder(w).Encode(newError(nil, "batch request exceeds maximum"))
		return
	}
	if strings.HasPrefix(calls[0].Method, "broadcast_tx_") && !n.enterBatch() {
		<-r.Context().Done()
	}
	if n.isDown() {
		n.chain.closeSubscribers()
		panic(http.ErrAbortHandler)
	}
	var answers []any
	for _, call := range calls {
		answers = append(answers, n.answerCall(call))
	}
	if len(answers) == 1 {
		_ = json.NewEncoder(w).Encode(answers[0])
		return
	}
	_ = json.NewEncoder(w).Encode(answers)
}

func newError(id any, text string) any {
	return map[string]any{"id": id, "error": map[string]any{"code": -32603, "message": "Internal error", "data": text}}
}

func (n *Node) answerCall(call call) any {
	c := n.chain
	c.mu.Lock()
	defer c.mu.Unlock()
	var params struct {
		Height string
		Tx     []byte
	}
	_ = json.Unmarshal(call.Params, &params)
	var result any
	switch call.Method {
	case "health":
		result = map[string]any{}
	case "status":
		result = map[string]any{"node_info": map[string]any{"network": n.Network}, "sync_info": map[string]any{"latest_block_height": strconv.Itoa(len(c.blocks))}}
	case "num_unconfirmed_txs":
		result = map[string]any{"total": strconv.Itoa(len(c.mempool))}
	case "block":
		height, _ := strconv.Atoi(params.Height)
		if height > len(c.blocks) {
			return newError(call.ID, fmt.Sprintf("height %d must be less than or equal to the current blockchain height %d", height, len(c.blocks)))
		}
		hash := sha256.Sum256(bytes.Join(c.blocks[height-1], nil))
		result = map[string]any{"block_id": map[string]any{"hash": fmt.Sprintf("%X%s", hash, n.HashSuffix)},
			"block": map[string]any{"header": map[string]any{"proposer_address": "AB"}, "data": map[string]any{"txs": c.blocks[height-1]}}}
	case "broadcast_tx_sync", "broadcast_tx_async":
		refusal := c.addTransaction(params.Tx)
		if refusal.Error != "" {
			return newError(call.ID, refusal.Error)
		}
		result = map[string]any{"code": refusal.Code, "log": "not valid: 7"}
	default:
		return newError(call.ID, "Method not found")
	}
	return map[string]any{"id": call.ID, "result": result}
}

// addTransaction adds a transaction to the mempool, or to the mempools of two blocks, unless it is refused.
func (c *Chain) addTransaction(tx []byte) Refusal {
	n := c.arrived
	c.arrived++
	if c.Refuse != nil {
		if refusal := c.Refuse(n); refusal != nil {
			return *refusal
		}
	}
	copies := 1
	if c.Copies != nil {
		copies = c.Copies(n)
	}
	if copies > 0 {
		c.mempool = append(c.mempool, tx)
	}
	if copies > 1 {
		c.again = append(c.again, tx)
	}
	return Refusal{}
}
