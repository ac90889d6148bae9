package drive

import (
	"math/big"
	"sync"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/transfer"
	"github.com/benchnet/benchnet/drivers/internal/openloop"
	"github.com/benchnet/benchnet/internal/platform/evm"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// blockLog passes blocks to the recorder, once it is set. It keeps the newest block, and what the worker's transfers in
// the blocks since the last reset cost.
type blockLog struct {
	signer   *transfer.Signer
	mu       sync.Mutex
	recorder *openloop.Recorder
	newest   *member.Block
	// included is the number of the worker's transfers since the reset, and spent their value and fees.
	included int64
	spent    *big.Int
}

// addBlock adds the next block, which was seen at a time and holds a number of the worker's transfers.
func (l *blockLog) addBlock(b *member.Block, transfers int64, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.newest = b
	l.included += transfers
	cost := l.signer.Cost(evm.DefaultGasLimit, b.BaseFee.ToInt())
	l.spent.Add(l.spent, cost.Mul(cost, big.NewInt(transfers)))
	if l.recorder != nil {
		l.recorder.RecordBlock(measurement.Block{Height: int64(b.Height), Bytes: int64(b.Size), Transactions: int64(len(b.Transactions)),
			Proposer: b.Proposer.Hex()}, at)
	}
}

func (l *blockLog) setRecorder(r *openloop.Recorder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recorder = r
}

func (l *blockLog) newestBlock() *member.Block {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.newest
}

// resetTotals sets the totals to zero and returns the newest block: they cover the blocks after it.
func (l *blockLog) resetTotals() *member.Block {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.included, l.spent = 0, new(big.Int)
	return l.newest
}

// totals returns the number of the worker's transfers since the reset, and their value and fees.
func (l *blockLog) totals() (included int64, spent *big.Int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.included, new(big.Int).Set(l.spent)
}
