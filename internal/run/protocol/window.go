package protocol

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Window is the measured time of a run. Its end may be brought forward while it lasts, where the orders have intervals.
// It is safe for use by several goroutines.
type Window struct {
	measure MeasureTimes
	start   time.Time
	lock    sync.Mutex
	seconds int
	// endMoved is closed when the end is brought forward, and made anew.
	endMoved chan struct{}
}

// NewWindow is that of a run that starts at start.
func (m MeasureTimes) NewWindow(start time.Time) *Window {
	return &Window{measure: m, start: start, seconds: m.WindowSeconds, endMoved: make(chan struct{})}
}

// LoadStart of the run's load.
func (w *Window) LoadStart() time.Time { return w.start }

// From is when the window opens.
func (w *Window) From() time.Time { return w.measure.WindowStart(w.start) }

// To is when the window closes, as far as is known by now.
func (w *Window) To() time.Time { return w.From().Add(time.Duration(w.Seconds()) * time.Second) }

// DrainEnd is when nothing is waited for any more.
func (w *Window) DrainEnd() time.Time {
	return w.To().Add(time.Duration(w.measure.DrainSeconds) * time.Second)
}

// Seconds is the window's length, as far as is known by now.
func (w *Window) Seconds() int {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.seconds
}

// MaxSeconds is the length that was ordered, and IntervalSeconds that of the intervals to record it in, 0 for none.
func (w *Window) MaxSeconds() int { return w.measure.WindowSeconds }

// IntervalSeconds of the orders.
func (w *Window) IntervalSeconds() int { return w.measure.IntervalSeconds }

// StopAt brings the end forward to an instant that has whole intervals before it. One that was set does not change any more.
func (w *Window) StopAt(at time.Time) error {
	w.lock.Lock()
	defer w.lock.Unlock()
	interval := time.Duration(w.measure.IntervalSeconds) * time.Second
	length := at.Sub(w.From())
	if interval == 0 || length <= 0 || length%interval != 0 || length > time.Duration(w.measure.WindowSeconds)*time.Second {
		return fmt.Errorf("stop at %s: want 1 to %d s after %s, in steps of measure.intervalSeconds (%d)",
			at.Format(time.RFC3339Nano), w.measure.WindowSeconds, w.From().Format(time.RFC3339Nano), w.measure.IntervalSeconds)
	}
	if w.seconds < w.measure.WindowSeconds {
		return nil
	}
	w.seconds = int(length / time.Second)
	close(w.endMoved)
	w.endMoved = make(chan struct{})
	return nil
}

// WaitUntilClosed returns when the window has closed, wherever its end is by then, or ctx ends.
func (w *Window) WaitUntilClosed(ctx context.Context) error {
	for {
		w.lock.Lock()
		moved := w.endMoved
		w.lock.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-moved:
		case <-time.After(time.Until(w.To())):
			return nil
		}
	}
}
