package protocol

// Phase of a run, as a driver tells it.
type Phase string

// The phases.
const (
	PhaseWarmUp Phase = "WarmUp"
	PhaseWindow Phase = "Window"
	PhaseDrain  Phase = "Drain"
)

// Progress is the content of ProgressFile: the numbers of the warm-up while it lasts, and those of the window from then on.
type Progress struct {
	Phase          Phase   `json:"phase"`
	Completed      int64   `json:"completed"`
	Failed         int64   `json:"failed"`
	ElapsedSeconds float64 `json:"elapsedSeconds"`
	// Throughput is Completed / ElapsedSeconds.
	Throughput float64 `json:"throughput"`
	// CompletedPerSecond are the successes of each whole second of the window so far, where the orders have intervals.
	CompletedPerSecond []int64 `json:"completedPerSecond,omitempty"`
}
