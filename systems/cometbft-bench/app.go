package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"

	"github.com/cometbft/cometbft/abci/example/kvstore"
	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/cometbft/cometbft/state"
)

// blocksApp fills each block with bytes. It has no state of its own: the hash of the application is the hash of the last
// block, and the height is what CometBFT stored. So a killed validator continues without replaying more than a block.
type blocksApp struct {
	abci.BaseApplication
	settings     ApplicationConfig
	keptHeights  int64
	loadState    func() (state.State, error)
	finalized    int64
	proposals    uint64
	proposalsFor int64
}

// Info returns the last height and hash that CometBFT stored.
func (a *blocksApp) Info(context.Context, *abci.RequestInfo) (*abci.ResponseInfo, error) {
	s, err := a.loadState()
	if err != nil {
		return nil, fmt.Errorf("load the state: %w", err)
	}
	return &abci.ResponseInfo{LastBlockHeight: s.LastBlockHeight, LastBlockAppHash: s.AppHash}, nil
}

// PrepareProposal makes a block of exactly the configured size.
func (a *blocksApp) PrepareProposal(_ context.Context, r *abci.RequestPrepareProposal) (*abci.ResponsePrepareProposal, error) {
	if r.Height != a.proposalsFor {
		a.proposals, a.proposalsFor = 0, r.Height
	}
	a.proposals++
	return &abci.ResponsePrepareProposal{Txs: a.settings.newBlock(r.ProposerAddress, r.Height, a.proposals)}, nil
}

// ProcessProposal accepts blocks of exactly the configured size.
func (a *blocksApp) ProcessProposal(_ context.Context, r *abci.RequestProcessProposal) (*abci.ResponseProcessProposal, error) {
	status := abci.ResponseProcessProposal_ACCEPT
	if totalSize(r.Txs) != int64(a.settings.BlockSize) {
		status = abci.ResponseProcessProposal_REJECT
	}
	return &abci.ResponseProcessProposal{Status: status}, nil
}

// FinalizeBlock accepts all transactions.
func (a *blocksApp) FinalizeBlock(_ context.Context, r *abci.RequestFinalizeBlock) (*abci.ResponseFinalizeBlock, error) {
	a.finalized = r.Height
	results := make([]*abci.ExecTxResult, len(r.Txs))
	for i := range results {
		results[i] = &abci.ExecTxResult{}
	}
	return &abci.ResponseFinalizeBlock{TxResults: results, AppHash: r.Hash}, nil
}

// Commit returns the lowest height whose block CometBFT keeps.
func (a *blocksApp) Commit(context.Context, *abci.RequestCommit) (*abci.ResponseCommit, error) {
	return &abci.ResponseCommit{RetainHeight: max(a.finalized-a.keptHeights+1, 0)}, nil
}

// newBlock returns the transactions of a block. Random content depends on proposer, height and attempt, the number of
// blocks that the proposer made for the height.
func (s ApplicationConfig) newBlock(proposer []byte, height int64, attempt uint64) [][]byte {
	seed := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64([]byte(nil), uint64(height)), attempt)
	seeded := sha256.Sum256(append(seed, proposer...))
	block := make([]byte, s.BlockSize)
	if s.Content == contentRandom {
		_, _ = rand.NewChaCha8(seeded).Read(block) // It never fails.
	} else {
		copy(block, seeded[:])
	}
	transactions := make([][]byte, 0, (len(block)+s.TransactionSize-1)/s.TransactionSize)
	for rest := block; len(rest) > 0; {
		size := min(s.TransactionSize, len(rest))
		transactions = append(transactions, rest[:size:size])
		rest = rest[size:]
	}
	return transactions
}

func totalSize(transactions [][]byte) int64 {
	var size int64
	for _, t := range transactions {
		size += int64(len(t))
	}
	return size
}

// keyValueApp is CometBFT's kvstore without the transactions that change validators and those of another form than
// "key=value".
type keyValueApp struct{ *kvstore.Application }

// CheckTx admits transactions of the form "key=value" whose key is not "val".
func (a keyValueApp) CheckTx(ctx context.Context, r *abci.RequestCheckTx) (*abci.ResponseCheckTx, error) {
	if text := string(r.Tx); strings.HasPrefix(text, kvstore.ValidatorPrefix) || strings.Contains(text, ":") {
		return &abci.ResponseCheckTx{Code: kvstore.CodeTypeInvalidTxFormat}, nil
	}
	return a.Application.CheckTx(ctx, r)
}

// recordingApp records the decisions of an application.
type recordingApp struct {
	abci.Application
	// recorder is set once the node has replayed the blocks of its store.
	recorder atomic.Pointer[recorder]
}

// FinalizeBlock records the decision at its entry.
func (a *recordingApp) FinalizeBlock(ctx context.Context, r *abci.RequestFinalizeBlock) (*abci.ResponseFinalizeBlock, error) {
	if recorder := a.recorder.Load(); recorder != nil {
		recorder.recordDecision(r)
	}
	return a.Application.FinalizeBlock(ctx, r)
}
