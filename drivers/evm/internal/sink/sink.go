// Package sink is a JSON-RPC endpoint that takes transactions without checking or executing them and makes blocks of them. It is
// what a sender can be measured against: it costs as little as can be, so that what is seen is the sender's own cost.
package sink

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
)

// Chain is the endpoint. Its zero value is not usable; see New.
type Chain struct {
	id uint64
	// Refuse is asked about every transaction, in the order of their arrival, from 0; not empty is the message of its refusal.
	Refuse  func(n int64) string
	mu      sync.Mutex
	pool    []common.Hash
	blocks  []*block
	place   map[common.Hash]int
	arrived int64
}

type block struct {
	Number       hexutil.Uint64 `json:"number"`
	Hash         common.Hash    `json:"hash"`
	Size         hexutil.Uint64 `json:"size"`
	Miner        common.Address `json:"miner"`
	BaseFee      hexutil.Uint64 `json:"baseFeePerGas"`
	GasLimit     hexutil.Uint64 `json:"gasLimit"`
	Time         hexutil.Uint64 `json:"timestamp"`
	Transactions []common.Hash  `json:"transactions"`
}

// New is a chain with its first block.
func New(chainID uint64) *Chain {
	c := &Chain{id: chainID, place: map[common.Hash]int{}}
	c.Seal()
	return c
}

// Seal makes a block of what the pool holds.
func (c *Chain) Seal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	number := len(c.blocks)
	for _, hash := range c.pool {
		c.place[hash] = number
	}
	if c.pool == nil {
		c.pool = []common.Hash{}
	}
	c.blocks = append(c.blocks, &block{Number: hexutil.Uint64(number), Hash: crypto.Keccak256Hash([]byte(fmt.Sprint("block ", number))),
		Size: hexutil.Uint64(600 + 113*len(c.pool)), Transactions: c.pool, BaseFee: 1, GasLimit: 1e9, Time: hexutil.Uint64(time.Now().Unix())})
	c.pool = nil
}

// Taken is how many transactions were taken.
func (c *Chain) Taken() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := int64(len(c.pool))
	for _, b := range c.blocks {
		n += int64(len(b.Transactions))
	}
	return n
}

type request struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *refusal        `json:"error,omitempty"`
}

type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (r *refusal) Error() string { return r.Message }

// ServeHTTP answers a call or a batch of calls.
func (c *Chain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	var batch []request
	var answer any
	if err := json.Unmarshal(body, &batch); err == nil {
		answers := make([]response, len(batch))
		for i := range batch {
			answers[i] = c.respond(&batch[i])
		}
		answer = answers
	} else {
		var single request
		if err := json.Unmarshal(body, &single); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer = c.respond(&single)
	}
	// Whoever does not wait for the answer does not get it.
	_ = json.NewEncoder(w).Encode(answer)
}

func (c *Chain) respond(r *request) response {
	result, err := c.call(r)
	if err != nil {
		return response{Version: "2.0", ID: r.ID, Error: err}
	}
	if result == nil {
		result = json.RawMessage("null")
	}
	return response{Version: "2.0", ID: r.ID, Result: result}
}

func (c *Chain) call(r *request) (any, *refusal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.Method {
	case "eth_sendRawTransaction":
		return c.take(r)
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
		return c.blockAt(r), nil
	case "eth_getTransactionReceipt":
		return c.receipt(r), nil
	}
	return nil, &refusal{-32601, "the method " + r.Method + " does not exist/is not available"}
}

func (c *Chain) take(r *request) (any, *refusal) {
	var raw hexutil.Bytes
	if len(r.Params) != 1 || json.Unmarshal(r.Params[0], &raw) != nil {
		return nil, &refusal{-32602, "invalid argument 0"}
	}
	n := c.arrived
	c.arrived++
	if c.Refuse != nil {
		if why := c.Refuse(n); why != "" {
			return nil, &refusal{-32000, why}
		}
	}
	hash := crypto.Keccak256Hash(raw)
	c.pool = append(c.pool, hash)
	return hash, nil
}

func (c *Chain) blockAt(r *request) any {
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

func (c *Chain) receipt(r *request) any {
	var hash common.Hash
	if len(r.Params) != 1 || json.Unmarshal(r.Params[0], &hash) != nil {
		return nil
	}
	number, in := c.place[hash]
	if !in {
		return nil
	}
	return map[string]any{"transactionHash": hash, "status": "0x1", "blockNumber": hexutil.Uint64(number), "blockHash": c.blocks[number].Hash,
		"transactionIndex": "0x0", "gasUsed": "0x5208", "cumulativeGasUsed": "0x5208", "effectiveGasPrice": "0x3b9aca00", "logs": []any{},
		"logsBloom": "0x", "type": "0x2"}
}
