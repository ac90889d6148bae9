// Package ping measures round trips between pods as TCP sees them: the time that it takes to connect is one.
package ping

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"syscall"
	"time"
)

// dialTimeout of one connection.
const dialTimeout = 30 * time.Second

// RoundTrips connects to an address so many times, one after the other with a pause between. A peer that refuses has answered, too.
func RoundTrips(ctx context.Context, address string, count int, pause time.Duration) ([]time.Duration, error) {
	all := make([]time.Duration, 0, count)
	dialer := net.Dialer{Timeout: dialTimeout}
	for range count {
		began := time.Now()
		c, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil && !errors.Is(err, syscall.ECONNREFUSED) {
			return nil, fmt.Errorf("connect to %s: %w", address, err)
		}
		all = append(all, time.Since(began))
		if err == nil {
			_ = c.Close()
		}
		time.Sleep(pause)
	}
	return all, nil
}

// Median of durations, of which there must be some.
func Median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
