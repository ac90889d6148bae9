package drive

import (
	"math/big"
	"sync"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/load"
	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
	"github.com/benchnet/benchnet/drivers/internal/openloop"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// blockLog passes blocks to the recorder, once it is set. It keeps the newest block, and what the worker's
// transactions in the blocks since the last reset cost.
type blockLog struct {
	signer   *transaction.Signer
	mu       sync.Mutex
	recorder *openloop.Recorder
	newest   *member.Block
	// included sums up the worker's transactions since the reset, and spent is their value and fees.
	included load.Inclusion
	spent    *big.Int
}

// addBlock adds the next block, which was seen at a time and holds some of the worker's transactions.
func (l *blockLog) addBlock(b *member.Block, in load.Inclusion, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.newest = b
	l.included.Flights += in.Flights
	l.included.Payments += in.Payments
	fees := l.signer.Price(b.BaseFee.ToInt())
	l.spent.Add(l.spent, fees.Mul(fees, new(big.Int).SetUint64(in.Gas)))
	l.spent.Add(l.spent, l.signer.PaidBy(in.Payments))
	if l.recorder != nil {
		l.recorder.RecordBlock(measurement.Block{Height: int64(b.Height), Bytes: int64(b.Size), Transactions: int64(len(b.Transactions)),
			GasUsed: int64(b.GasUsed), Proposer: b.Proposer.Hex()}, at)
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
	l.included, l.spent = load.Inclusion{}, new(big.Int)
	return l.newest
}

// readTotals sums up the worker's transactions since the reset, and returns their value and fees.
func (l *blockLog) readTotals() (included load.Inclusion, spent *big.Int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.included, new(big.Int).Set(l.spent)
}
