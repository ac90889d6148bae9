// Package testchain provides chains for tests and benchmarks of the sender: a sink that accepts every transaction, and a real geth.
package testchain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
)

// Sink is a JSON-RPC endpoint that puts transactions into blocks without checking or executing them. Its cost is minimal, so that a
// measurement against it shows the cost of the sender. Its zero value is not usable; use NewSink.
type Sink struct {
	id uint64
	// Refuse is called for every transaction, numbered from 0 in the order of arrival. A non-empty result
	// rejects the transaction with that message.
	Refuse func(n int64) string
	// Answered is the number of transactions that are answered; requests with a later one get no answer. 0 means no
	// limit. Set it before the first request.
	Answered int64
	mu       sync.Mutex
	pool     []common.Hash
	// arrivals are those of the transactions in the pool, and waits how long the transactions in blocks were in it.
	arrivals     []time.Time
	waits        []time.Duration
	blocks       []*sinkBlock
	blockNumbers map[common.Hash]int
	arrivedCount int64
}

type sinkBlock struct {
	Number       hexutil.Uint64 `json:"number"`
	Hash         common.Hash    `json:"hash"`
	Size         hexutil.Uint64 `json:"size"`
	Miner        common.Address `json:"miner"`
	BaseFee      hexutil.Uint64 `json:"baseFeePerGas"`
	GasLimit     hexutil.Uint64 `json:"gasLimit"`
	Time         hexutil.Uint64 `json:"timestamp"`
	Transactions []common.Hash  `json:"transactions"`
}

// NewSink returns a chain with its first block.
func NewSink(chainID uint64) *Sink {
	c := &Sink{id: chainID, blockNumbers: map[common.Hash]int{}}
	c.SealBlock()
	return c
}

// SealBlock makes a block of the transactions in the pool.
func (c *Sink) SealBlock() {
	c.mu.Lock()
	defer c.mu.Unlock()
	number := len(c.blocks)
	for i, hash := range c.pool {
		c.blockNumbers[hash] = number
		c.waits = append(c.waits, time.Since(c.arrivals[i]))
	}
	c.arrivals = nil
	if c.pool == nil {
		c.pool = []common.Hash{}
	}
	c.blocks = append(c.blocks, &sinkBlock{Number: hexutil.Uint64(number), Hash: crypto.Keccak256Hash([]byte(fmt.Sprint("block ", number))),
		Size: hexutil.Uint64(600 + 113*len(c.pool)), Transactions: c.pool, BaseFee: 1, GasLimit: 1e9, Time: hexutil.Uint64(time.Now().Unix())})
	c.pool = nil
}

// AcceptedCount returns the number of accepted transactions.
func (c *Sink) AcceptedCount() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := int64(len(c.pool))
	for _, b := range c.blocks {
		n += int64(len(b.Transactions))
	}
	return n
}

// Waits returns how long each transaction in a block was in the pool, in the order of their arrival.
func (c *Sink) Waits() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.waits)
}

type rpcRequest struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

type rpcResponse struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (r *rpcError) Error() string { return r.Message }

// ServeHTTP responds to a call or a batch of calls.
func (c *Sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if bytes.Contains(body, []byte("eth_sendRawTransaction")) && c.isStalled() {
		<-r.Context().Done()
		return
	}
	var batch []rpcRequest
	var answer any
	if err := json.Unmarshal(body, &batch); err == nil {
		answers := make([]rpcResponse, len(batch))
		for i := range batch {
			answers[i] = c.handleRequest(&batch[i])
		}
		answer = answers
	} else {
		var single rpcRequest
		if err := json.Unmarshal(body, &single); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer = c.handleRequest(&single)
	}
	// A client that has disconnected does not get the response.
	_ = json.NewEncoder(w).Encode(answer)
}

func (c *Sink) isStalled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Answered > 0 && c.arrivedCount >= c.Answered
}

func (c *Sink) handleRequest(r *rpcRequest) rpcResponse {
	result, err := c.callMethod(r)
	if err != nil {
		return rpcResponse{Version: "2.0", ID: r.ID, Error: err}
	}
	if result == nil {
		result = json.RawMessage("null")
	}
	return rpcResponse{Version: "2.0", ID: r.ID, Result: result}
}

func (c *Sink) callMethod(r *rpcRequest) (any, *rpcError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.Method {
	case "eth_sendRawTransaction":
		return c.acceptTransaction(r)
	case "eth_chainId":
		return hexutil.Uint64(c.id), nil
	case "net_version":
		return fmt.Sprint(c.id), nil
	case "eth_blockNumber":
		return hexutil.Uint64(len(c.blocks) - 1), nil
	case "eth_getBalance":
		return "0xffffffffffffffffffffffffffff", nil
	case "eth_getTransactionCount":
		return "0x0", nil
	case "eth_gasPrice", "eth_maxPriorityFeePerGas":
		return "0x3b9aca00", nil
	case "eth_estimateGas":
		return "0x5208", nil
	case "eth_getBlockByNumber":
		return c.getBlock(r), nil
	case "eth_getTransactionReceipt":
		return c.getReceipt(r), nil
	}
	return nil, &rpcError{-32601, "the method " + r.Method + " does not exist/is not available"}
}

func (c *Sink) acceptTransaction(r *rpcRequest) (any, *rpcError) {
	var raw hexutil.Bytes
	if len(r.Params) != 1 || json.Unmarshal(r.Params[0], &raw) != nil {
		return nil, &rpcError{-32602, "invalid argument 0"}
	}
	n := c.arrivedCount
	c.arrivedCount++
	if c.Refuse != nil {
		if why := c.Refuse(n); why != "" {
			return nil, &rpcError{-32000, why}
		}
	}
	hash := crypto.Keccak256Hash(raw)
	c.pool, c.arrivals = append(c.pool, hash), append(c.arrivals, time.Now())
	return hash, nil
}

func (c *Sink) getBlock(r *rpcRequest) any {
	var number hexutil.Uint64
	if len(r.Params) == 0 {
		return nil
	}
	if json.Unmarshal(r.Params[0], &number) != nil {
		number = hexutil.Uint64(len(c.blocks) - 1)
	}
	if number >= hexutil.Uint64(len(c.blocks)) {
		return nil
	}
	return c.blocks[number]
}

func (c *Sink) getReceipt(r *rpcRequest) any {
	var hash common.Hash
	if len(r.Params) != 1 || json.Unmarshal(r.Params[0], &hash) != nil {
		return nil
	}
	number, in := c.blockNumbers[hash]
	if !in {
		return nil
	}
	return map[string]any{"transactionHash": hash, "status": "0x1", "blockNumber": hexutil.Uint64(number), "blockHash": c.blocks[number].Hash,
		"transactionIndex": "0x0", "gasUsed": "0x5208", "cumulativeGasUsed": "0x5208", "effectiveGasPrice": "0x3b9aca00", "logs": []any{},
		"logsBloom": "0x", "type": "0x2"}
}
