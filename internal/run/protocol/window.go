package protocol

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Window is the measured time of a run. If the measure has an interval, StopAt can move its end to an earlier
// time while the run lasts. It is safe for concurrent use.
type Window struct {
	measure MeasureTimes
	start   time.Time
	lock    sync.Mutex
	seconds int
	// endMoved is closed and replaced when the end moves.
	endMoved chan struct{}
}

// AnchorInstant returns an instant of the wall clock with the monotonic clock reading of now. Instants derived from
// it keep their distance to time.Now when the wall clock is set later.
func AnchorInstant(at, now time.Time) time.Time { return now.Add(at.Sub(now)) }

// NewWindow returns the window of a run that starts at start.
func (m MeasureTimes) NewWindow(start time.Time) *Window {
	return &Window{measure: m, start: start, seconds: m.WindowSeconds, endMoved: make(chan struct{})}
}

// LoadStart returns when the load of the run starts.
func (w *Window) LoadStart() time.Time { return w.start }

// From returns when the window opens.
func (w *Window) From() time.Time { return w.measure.WindowStart(w.start) }

// To returns when the window closes, as currently known.
func (w *Window) To() time.Time { return w.From().Add(time.Duration(w.Seconds()) * time.Second) }

// DrainEnd returns when the wait for unfinished operations ends.
func (w *Window) DrainEnd() time.Time {
	return w.To().Add(time.Duration(w.measure.DrainSeconds) * time.Second)
}

// Seconds returns the length of the window, as currently known.
func (w *Window) Seconds() int {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.seconds
}

// MaxSeconds returns the configured length of the window, before any stop.
func (w *Window) MaxSeconds() int { return w.measure.WindowSeconds }

// IntervalSeconds returns the length of the recording intervals, or 0 if there are none.
func (w *Window) IntervalSeconds() int { return w.measure.IntervalSeconds }

// StopsEarly reports whether the operator may end the window early.
func (w *Window) StopsEarly() bool { return w.measure.StopsEarly }

// StopAt moves the end of the window to an earlier time. It fails unless at is a whole number of intervals
// after the start and within the window. A stop that was set before stays unchanged.
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

// WaitUntilClosed waits until the window has closed, at its current end, or until ctx ends.
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
