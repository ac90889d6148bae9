package supervise

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// slowCommand stops all processes for a part of each second of the duration.
func (f *fault) slowCommand(ctx context.Context) error {
	began, pause := time.Now(), time.Duration(f.SlowDatabase.PauseMicros)*time.Microsecond
	var first *measurement.Bracket
	stopped := 0.0
	for second := range f.DurationSeconds {
		if err := f.waitUntil(ctx, began.Add(time.Duration(second)*checkInterval)); err != nil {
			return err
		}
		err := f.pauseCommand(ctx, pause)
		from, to := f.effect.Injected, f.effect.Healed
		stopped += (to.FromSeconds + to.ToSeconds - from.FromSeconds - from.ToSeconds) / 2
		first = cmp.Or(first, from)
		f.effect.Injected = first
		if err != nil {
			return fmt.Errorf("pause %d: %w", second+1, err)
		}
	}
	mean := time.Duration(stopped / float64(f.DurationSeconds) * float64(time.Second)).Round(time.Millisecond)
	f.effect.During = fmt.Sprintf("all threads were stopped %d times, for %v on average", f.DurationSeconds, mean)
	return provePauses(mean, pause)
}

// provePauses fails if the pauses of each second took another time than asked, by more than a fifth and 20 ms.
func provePauses(mean, asked time.Duration) error {
	if off := mean - asked; max(off, -off) > max(asked/5, 20*time.Millisecond) {
		return fmt.Errorf("all threads were stopped for %v of each second instead of %v", mean, asked)
	}
	return nil
}
