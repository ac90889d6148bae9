package openloop

import (
	"context"
	"time"
)

// retryInterval is the time between two attempts of RetryUntil.
const retryInterval = 200 * time.Millisecond

// SleepUntil returns at an instant, or when ctx ends.
func SleepUntil(ctx context.Context, instant time.Time) {
	timer := time.NewTimer(time.Until(instant))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// RetryUntil calls an attempt until it succeeds, or ctx or the timeout ends, and returns its last error.
func RetryUntil(ctx context.Context, timeout time.Duration, attempt func() error) error {
	deadline := time.Now().Add(timeout)
	for {
		err := attempt()
		if err == nil || ctx.Err() != nil || time.Now().After(deadline) {
			return err
		}
		SleepUntil(ctx, time.Now().Add(retryInterval))
	}
}

// CallPeriodically calls a function after each interval until ctx ends.
func CallPeriodically(ctx context.Context, interval time.Duration, do func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			do()
		}
	}
}
