package protocol

import "time"

const (
	// RecentStep is the length of a step of RecentLoad.
	RecentStep = 5 * time.Second
	// MaxRecent bounds the steps that a worker reports: those of five minutes.
	MaxRecent = 60
)

// RecentLoad counts the successes of one step. Ends are multiples of RecentStep, so that the operator can add up
// workers. A step begins at the end of the previous one in the list.
type RecentLoad struct {
	// Seconds is the end of the step, in seconds since the start of the load.
	Seconds int32 `json:"seconds"`
	// Completed is the number of successes.
	Completed int64 `json:"completed"`
	// P95Micros is the 95th percentile of their latencies in microseconds, estimated from buckets; 0 without successes.
	P95Micros int64 `json:"p95Micros,omitempty"`
}
