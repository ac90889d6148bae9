package clocktest

import (
	"testing"
	"time"
)

func TestSetWallClock(t *testing.T) {
	before := time.Now()
	for _, seconds := range []int{-3600, -1, 1, 3600} {
		after := SetWallClock(before, seconds)
		if wall := after.Round(0).Sub(before.Round(0)); after.Sub(before) != 0 || wall != time.Duration(seconds)*time.Second {
			t.Errorf("%d s: the wall clock moved by %s, the monotonic clock by %s", seconds, wall, after.Sub(before))
		}
	}
}
