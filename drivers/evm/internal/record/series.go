package record

import (
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/evm"
	"github.com/benchnet/benchnet/internal/results"
)

// Target records series of one target over the window.
type Target struct {
	// Subject of the series.
	Subject string
	window  *protocol.Window
	mu      sync.Mutex
	sent, accepted, resent,
	answers, millis,
	pending, queued results.Series
}

// NewTarget records for subject.
func NewTarget(subject string, window *protocol.Window) *Target {
	seconds := window.Longest()
	zeros := func() results.Series { return make(results.Series, seconds) }
	t := &Target{Subject: subject, window: window, sent: zeros(), accepted: zeros(), resent: zeros(), answers: zeros(), millis: zeros(),
		pending: zeros(), queued: zeros()}
	for i := range seconds {
		t.pending[i], t.queued[i] = results.Missing, results.Missing
	}
	return t
}

// add to the value of the second that at lies in, if that is in the window.
func (t *Target) add(s results.Series, at time.Time, amount float64) {
	if of := at.Sub(t.window.From()); of >= 0 && of < time.Duration(len(s))*time.Second {
		s[of/time.Second] += amount
	}
}

// Sent counts transactions that are submitted at an instant.
func (t *Target) Sent(at time.Time, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(t.sent, at, float64(n))
}

// Resent counts transactions that are submitted once more.
func (t *Target) Resent(at time.Time, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(t.resent, at, float64(n))
}

// Answered counts a batch that was answered at an instant after took, and what of it the node accepted.
func (t *Target) Answered(at time.Time, took time.Duration, accepted int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(t.accepted, at, float64(accepted))
	t.add(t.answers, at, 1)
	t.add(t.millis, at, float64(took.Microseconds())/1000)
}

// Pool records the node's pool at the end of a second of the window.
func (t *Target) Pool(second int, pending, queued uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending[second], t.queued[second] = float64(pending), float64(queued)
}

// Series of the target.
func (t *Target) Series() []results.NamedSeries {
	t.mu.Lock()
	defer t.mu.Unlock()
	mean := make(results.Series, len(t.millis))
	for i := range mean {
		mean[i] = results.Missing
		if t.answers[i] > 0 {
			mean[i] = t.millis[i] / t.answers[i]
		}
	}
	named := func(name, unit string, values results.Series) results.NamedSeries {
		return results.NamedSeries{Subject: t.Subject, Name: name, Unit: unit, Values: values}
	}
	return []results.NamedSeries{
		named(evm.SeriesSent, "1/s", t.sent), named(evm.SeriesAccepted, "1/s", t.accepted), named(evm.SeriesResent, "1/s", t.resent),
		named(evm.SeriesRPC, "ms", mean),
		named(evm.SeriesPending, evm.Unit, t.pending), named(evm.SeriesQueued, evm.Unit, t.queued),
	}
}
