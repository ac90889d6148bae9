package measurement

import (
	"fmt"
	"time"
)

// maxLatency is the longest latency that a histogram holds.
const maxLatency = highestMicros * time.Microsecond

// OutOfRange counts the latencies that a recorder could not keep: below 0, or above 1 h. The histogram holds the
// nearest value that it can, so that it still counts all requests, but its numbers are wrong.
type OutOfRange struct {
	// Negative is the number of latencies below 0, which a clock that was set back causes.
	Negative int64 `json:"negative"`
	// TooLong is the number of latencies above 1 h.
	TooLong int64 `json:"tooLong"`
}

// countLatency counts a latency that is out of range.
func (o *OutOfRange) countLatency(latency time.Duration) {
	switch {
	case latency < 0:
		o.Negative++
	case latency > maxLatency:
		o.TooLong++
	}
}

func (o *OutOfRange) addCounts(other OutOfRange) {
	o.Negative += other.Negative
	o.TooLong += other.TooLong
}

// CountAll returns the number of latencies out of range.
func (o OutOfRange) CountAll() int64 { return o.Negative + o.TooLong }

func (o OutOfRange) validateCounts() error {
	if min(o.Negative, o.TooLong) < 0 || max(o.Negative, o.TooLong) > largestCount {
		return fmt.Errorf("outOfRange: %d and %d are not between 0 and %d", o.Negative, o.TooLong, largestCount)
	}
	return nil
}
