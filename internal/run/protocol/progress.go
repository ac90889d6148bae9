package protocol

import "time"

// Phase is the phase of a run, as a driver reports it.
type Phase string

// The phases of a run.
const (
	PhaseWarmUp Phase = "WarmUp"
	PhaseWindow Phase = "Window"
	PhaseDrain  Phase = "Drain"
)

// Progress is the content of ProgressFile. During the warm-up it holds the counts of the warm-up, afterwards
// those of the window.
type Progress struct {
	Phase          Phase   `json:"phase"`
	Completed      int64   `json:"completed"`
	Failed         int64   `json:"failed"`
	ElapsedSeconds float64 `json:"elapsedSeconds"`
	// Throughput is Completed / ElapsedSeconds.
	Throughput float64 `json:"throughput"`
	// CompletedPerSecond holds the successes in each whole second of the window so far. It is set if
	// MeasureTimes.StopsEarly; otherwise the agent drops what a driver sets.
	CompletedPerSecond []int64 `json:"completedPerSecond,omitempty"`
	// LatencyMicrosPerSecond sums the latencies of these successes in microseconds; absent if the driver does not
	// record them.
	LatencyMicrosPerSecond []int64 `json:"latencyMicrosPerSecond,omitempty"`
	// Totals counts what has ended since the start of the load; nil if the driver does not record it. The agent
	// serves it as metrics and does not report it to the operator.
	Totals *LoadTotals `json:"totals,omitempty"`
	// Recent lists the latest steps of the load, the newest last; at most MaxRecent. The agent adds it to the driver's
	// progress when it reports to the operator.
	Recent []RecentLoad `json:"recent,omitempty"`
}

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
