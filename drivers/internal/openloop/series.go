package openloop

import (
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/run/batches"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// TargetSeries records series of one target over the window.
type TargetSeries struct {
	subject string
	window  *protocol.Window
	mu      sync.Mutex
	sent, accepted,
	answerCounts, answerMillis measurement.Series
	// added are the series of NewCounter and NewGauge.
	added []measurement.NamedSeries
}

// NewTargetSeries returns empty series for a subject.
func NewTargetSeries(subject string, window *protocol.Window) *TargetSeries {
	zeros := func() measurement.Series { return make(measurement.Series, window.MaxSeconds()) }
	return &TargetSeries{subject: subject, window: window, sent: zeros(), accepted: zeros(), answerCounts: zeros(), answerMillis: zeros()}
}

// NewCounter adds a series that counts per second. The function that it returns counts n at a time.
func (t *TargetSeries) NewCounter(name, unit string) func(at time.Time, n int) {
	values := make(measurement.Series, t.window.MaxSeconds())
	t.added = append(t.added, t.nameSeries(name, unit, values))
	return func(at time.Time, n int) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.addToSecond(values, at, float64(n))
	}
}

// NewGauge adds a series of values. The function that it returns records the value at the end of a second of the
// window.
func (t *TargetSeries) NewGauge(name, unit string) func(second int, value float64) {
	values := make(measurement.Series, t.window.MaxSeconds())
	for i := range values {
		values[i] = measurement.Missing
	}
	t.added = append(t.added, t.nameSeries(name, unit, values))
	return func(second int, value float64) {
		t.mu.Lock()
		defer t.mu.Unlock()
		values[second] = value
	}
}

func (t *TargetSeries) nameSeries(name, unit string, values measurement.Series) measurement.NamedSeries {
	return measurement.NamedSeries{Subject: t.subject, Name: name, Unit: unit, Values: values}
}

// addToSecond adds an amount to the second of a time if it is in the window.
func (t *TargetSeries) addToSecond(s measurement.Series, at time.Time, amount float64) {
	if of := at.Sub(t.window.From()); of >= 0 && of < time.Duration(len(s))*time.Second {
		s[of/time.Second] += amount
	}
}

// recordSent records n operations that are submitted at a time.
func (t *TargetSeries) recordSent(at time.Time, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.addToSecond(t.sent, at, float64(n))
}

// recordAnswer records the response to a batch: its time, its latency, and the number of accepted operations.
func (t *TargetSeries) recordAnswer(at time.Time, took time.Duration, accepted int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.addToSecond(t.accepted, at, float64(accepted))
	t.addToSecond(t.answerCounts, at, 1)
	t.addToSecond(t.answerMillis, at, float64(took.Microseconds())/1000)
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
	return append([]measurement.NamedSeries{t.nameSeries(batches.SeriesSent, "1/s", t.sent), t.nameSeries(batches.SeriesAccepted, "1/s", t.accepted),
		t.nameSeries(batches.SeriesRPC, "ms", mean)}, t.added...)
}
