package protocol

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
	// MeasureTimes has an interval.
	CompletedPerSecond []int64 `json:"completedPerSecond,omitempty"`
	// LatencyMicrosPerSecond sums the latencies of these successes in microseconds; absent if the driver does not
	// record them.
	LatencyMicrosPerSecond []int64 `json:"latencyMicrosPerSecond,omitempty"`
}
