// Package resilience scores what declared faults did to the throughput of a run. docs/faults.md states the definitions and their
// sources.
package resilience

// Score is the effect of one fault on the throughput. Times are in seconds from the injection.
type Score struct {
	// BaselinePerSecond is the mean throughput before the first fault of the window, in operations per second.
	BaselinePerSecond float64 `json:"baselinePerSecond"`
	// BaselineGapSeconds is the longest sequence of seconds without a completion before the first fault.
	BaselineGapSeconds int `json:"baselineGapSeconds"`
	// OutageSeconds is the longest sequence of whole seconds without a completion from the injection to 60 s after the heal. The time
	// without a completion is up to 2 s longer.
	OutageSeconds int `json:"outageSeconds"`
	// BinSeconds is the width of the bins in which the throughput is compared; 0 if it varies too much, and Problem says so. The
	// following fields are then empty.
	BinSeconds int    `json:"binSeconds"`
	Problem    string `json:"problem,omitempty"`
	// ImpactSeconds is the start of the first of two successive bins below the band of the baseline; nil if there is none.
	ImpactSeconds *float64 `json:"impactSeconds,omitempty"`
	// RecoverySeconds is the start of the first bin after the impact from which the throughput stays in the band for 10 s: 0 without an
	// impact, nil if it does not until CensoredSeconds, when the window or the time before the next fault ends.
	RecoverySeconds *float64 `json:"recoverySeconds,omitempty"`
	CensoredSeconds float64  `json:"censoredSeconds,omitempty"`
	// DegradationSeconds is the throughput that is missing from the impact to the recovery, in seconds of a whole outage. Operations
	// that complete later do not reduce it.
	DegradationSeconds float64 `json:"degradationSeconds"`
}
