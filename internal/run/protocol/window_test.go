package protocol

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestWindowStopsOnce(t *testing.T) {
	start := time.Unix(1000, 500)
	w := MeasureTimes{WarmUpSeconds: 2, WindowSeconds: 60, DrainSeconds: 3, IntervalSeconds: 5}.NewWindow(start)
	for _, wrong := range []int{2, 0, 9, 67, 62 + 5} {
		if err := w.StopAt(start.Add(time.Duration(wrong) * time.Second)); err == nil {
			t.Errorf("a stop %d s after the start was taken", wrong)
		}
	}
	if w.Seconds() != 60 || w.To() != start.Add(62*time.Second) {
		t.Fatalf("what makes no sense changed the window to %d s", w.Seconds())
	}
	for _, at := range []int{42, 22} {
		if err := w.StopAt(start.Add(time.Duration(at) * time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if w.Seconds() != 40 || w.To() != start.Add(42*time.Second) || w.DrainEnd() != start.Add(45*time.Second) || w.MaxSeconds() != 60 {
		t.Errorf("the window lasts %d s, to %v; want the 40 s of the first stop", w.Seconds(), w.To())
	}
}

func TestFixedWindowCannotStop(t *testing.T) {
	start := time.Unix(1000, 0)
	w := MeasureTimes{WindowSeconds: 10}.NewWindow(start)
	if err := w.StopAt(start.Add(5 * time.Second)); err == nil || w.Seconds() != 10 {
		t.Errorf("got %v, and a window of %d s", err, w.Seconds())
	}
}

func TestWaitUntilClosedFollowsStop(t *testing.T) {
	began := time.Now()
	w := MeasureTimes{WindowSeconds: 60, IntervalSeconds: 1}.NewWindow(began)
	time.AfterFunc(100*time.Millisecond, func() {
		if err := w.StopAt(began.Add(time.Second)); err != nil {
			t.Error(err)
		}
	})
	if err := w.WaitUntilClosed(t.Context()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < time.Second || took > 50*time.Second {
		t.Errorf("waited %s for a window of a second", took)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (MeasureTimes{WindowSeconds: 60}).NewWindow(began).WaitUntilClosed(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
