// Package clocktest imitates steps of the wall clock in tests.
package clocktest

import (
	"time"
	"unsafe"
)

// wallSecond is a second in the wall reading of a time.Time with a monotonic reading.
const wallSecond = 1 << 30

// SetWallClock returns what time.Now would have returned instead of now, had the wall clock been set forward by whole
// seconds, or backward if they are negative: another wall reading with the same monotonic reading.
func SetWallClock(now time.Time, seconds int) time.Time {
	// The first word of a time.Time is its wall reading. The standard library has no way to set the two apart.
	wall := (*uint64)(unsafe.Pointer(&now))
	*wall += uint64(int64(seconds) * wallSecond)
	return now
}
