package load

import (
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/platform/evm"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// TargetSeries records series of one target over the window.
type TargetSeries struct {
	// Subject is the subject of the series.
	Subject string
	window  *protocol.Window
	mu      sync.Mutex
	sent, accepted, resent,
	answerCounts, answerMillis,
	pending, queued measurement.Series
}

// NewTargetSeries returns empty series for a subject.
func NewTargetSeries(subject string, window *protocol.Window) *TargetSeries {
	seconds := window.MaxSeconds()
	zeros := func() measurement.Series { return make(measurement.Series, seconds) }
	t := &TargetSeries{Subject: subject, window: window, sent: zeros(), accepted: zeros(), resent: zeros(), answerCounts: zeros(), answerMillis: zeros(),
		pending: zeros(), queued: zeros()}
	for i := range seconds {
		t.pending[i], t.queued[i] = measurement.Missing, measurement.Missing
	}
	return t
}

// addToSecond adds an amount to the second of a time if it is in the window.
func (t *TargetSeries) addToSecond(s measurement.Series, at time.Time, amount float64) {
	if of := at.Sub(t.window.From()); of >= 0 && of < time.Duration(len(s))*time.Second {
		s[of/time.Second] += amount
	}
}

// recordSent records n transactions that are submitted at a time.
func (t *TargetSeries) recordSent(at time.Time, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.addToSecond(t.sent, at, float64(n))
}

// recordResent records n transactions that are resubmitted at a time.
func (t *TargetSeries) recordResent(at time.Time, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.addToSecond(t.resent, at, float64(n))
}

// recordAnswer records the response to a batch: its time, its latency, and the number of accepted
// transactions.
func (t *TargetSeries) recordAnswer(at time.Time, took time.Duration, accepted int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.addToSecond(t.accepted, at, float64(accepted))
	t.addToSecond(t.answerCounts, at, 1)
	t.addToSecond(t.answerMillis, at, float64(took.Microseconds())/1000)
}

// RecordPool records the node's pool at the end of a second of the window.
func (t *TargetSeries) RecordPool(second int, pending, queued uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending[second], t.queued[second] = float64(pending), float64(queued)
}

// Series returns the series of the target.
func (t *TargetSeries) Series() []measurement.NamedSeries {
	t.mu.Lock()
	defer t.mu.Unlock()
	mean := make(measurement.Series, len(t.answerMillis))
	for i := range mean {
		mean[i] = measurement.Missing
		if t.answerCounts[i] > 0 {
			mean[i] = t.answerMillis[i] / t.answerCounts[i]
		}
	}
	named := func(name, unit string, values measurement.Series) measurement.NamedSeries {
		return measurement.NamedSeries{Subject: t.Subject, Name: name, Unit: unit, Values: values}
	}
	return []measurement.NamedSeries{
		named(evm.SeriesSent, "1/s", t.sent), named(evm.SeriesAccepted, "1/s", t.accepted), named(evm.SeriesResent, "1/s", t.resent),
		named(evm.SeriesRPC, "ms", mean),
		named(evm.SeriesPending, evm.OperationUnit, t.pending), named(evm.SeriesQueued, evm.OperationUnit, t.queued),
	}
}
