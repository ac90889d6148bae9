package calibrate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// dialTimeout bounds one connection attempt.
const dialTimeout = 30 * time.Second

// RoundTrips measures round trips as the time that a TCP connect takes. It connects to address count times in sequence, pausing after
// each connection.
// A refused connection counts as a round trip, because the peer answered. Any other error aborts the measurement.
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
