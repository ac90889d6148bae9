package openloop

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// tryTimeout bounds the trial of a batch size.
const tryTimeout = 10 * time.Second

// FindBatchLimit returns the largest accepted size of at most wanted calls of a JSON-RPC batch. It halves the size until
// the member accepts what try sends, and fails if the member rejects a single call.
func FindBatchLimit(ctx context.Context, member string, wanted int, try func(ctx context.Context, size int) error) (int, error) {
	for size := wanted; ; size = (size + 1) / 2 {
		bounded, cancel := context.WithTimeout(ctx, tryTimeout)
		err := try(bounded, size)
		cancel()
		switch {
		case err == nil && size < wanted:
			slog.Info("JSON-RPC batches are split", "member", member, "calls", wanted, "limit", size)
			return size, nil
		case err == nil:
			return size, nil
		case size == 1 || ctx.Err() != nil:
			return size, fmt.Errorf("a batch of %d calls to %s: %w", size, member, err)
		}
	}
}
