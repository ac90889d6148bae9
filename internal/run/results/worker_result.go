package results

import "fmt"

// WorkerResult is result.json, what one worker of a run measured.
type WorkerResult struct {
	// WorkerResult is the index of the worker, from 0.
	Worker int `json:"worker"`
	// StartMillis is when the window began, as Unix epoch milliseconds; the same for all workers of a run.
	StartMillis int64 `json:"startMillis"`
	// WindowSeconds is the length of the window.
	WindowSeconds int `json:"windowSeconds"`
	// Histogram of the latencies of the requests that started in the window and succeeded: microseconds,
	// HdrHistogram V2 compressed, base64.
	Histogram string `json:"histogram"`
	// CompletedPerSecond counts successes by the second of the window in which they completed.
	CompletedPerSecond []int64 `json:"completedPerSecond"`
	// FailedPerSecond counts failures by the second of the window in which they happened.
	FailedPerSecond []int64 `json:"failedPerSecond"`
	// Errors of the requests that started in the window, by kind.
	Errors   []ErrorCount `json:"errors"`
	Schedule Schedule     `json:"schedule"`
	// IntervalSeconds divide the window where its steady part is found afterwards; else 0.
	IntervalSeconds int `json:"intervalSeconds,omitempty"`
	// Intervals of the window; together they have the Histogram, the Errors and the Schedule of the whole.
	Intervals []RecordedInterval `json:"intervals,omitempty"`
	// Ledger is absent where the driver has no such comparison to make.
	Ledger *Ledger `json:"ledger,omitempty"`
	// Unit is what an operation is: flows, requests, blocks, transactions.
	Unit string `json:"unit,omitempty"`
	// Blocks that the worker saw decided in the window, by height; at most MaxBlocks.
	Blocks []Block `json:"blocks,omitempty"`
	// BlocksOmitted is how many more there were.
	BlocksOmitted int64 `json:"blocksOmitted,omitempty"`
	// SeriesSeconds is how many seconds each value of Series and of the members' series covers; absent for one. It is a power of two.
	SeriesSeconds int `json:"seriesSeconds,omitempty"`
	// Series that the worker recorded besides.
	Series []NamedSeries `json:"series,omitempty"`
	// Members are those that this worker observed, added by the agent.
	Members []MemberUsage `json:"members,omitempty"`
	// WorkerUsage is what the worker's own container used during the window, added by the agent.
	Load *WorkerUsage `json:"load,omitempty"`
}

// ErrorCount counts the errors of one kind.
type ErrorCount struct {
	// Kind is the class of the exception, or Unfinished.
	Kind  string `json:"kind"`
	Count int64  `json:"count"`
	// Example is the first message of the kind, at most 200 characters.
	Example string `json:"example,omitempty"`
}

// Unfinished is the kind of error of a request that had not ended when the drain did.
const Unfinished = "Unfinished"

// Schedule says how well an open loop kept to its intended instants. All zero in a closed loop.
type Schedule struct {
	// Planned requests in the window.
	Planned int64 `json:"planned"`
	// Late are those that started more than 100 ms after their instant.
	Late int64 `json:"late"`
	// MaxLagMicros is the largest lag, in microseconds.
	MaxLagMicros int64 `json:"maxLagMicros"`
}

// Ledger compares what the clients saw complete with what the nodes recorded.
type Ledger struct {
	// Checked is false if the comparison could not be made; Reason then says why.
	Checked bool `json:"checked"`
	// Expected is what the clients saw complete, Recorded what the nodes hold.
	Expected int64  `json:"expected"`
	Recorded int64  `json:"recorded"`
	Reason   string `json:"reason"`
}

// MemberUsage is what the container of a member or of a database used during the window.
type MemberUsage struct {
	Member string `json:"member"`
	// Kind of what it is; empty is a member.
	Kind MemberKind `json:"kind,omitempty"`
	// Role in the network; the platform's own word.
	Role string `json:"role,omitempty"`
	// CPUSeconds used in each second of the window; null where a scrape at either end of that second was missed.
	CPUSeconds Series `json:"cpuSeconds"`
	// MemoryBytes is the working set at the end of each second; null where the scrape was missed.
	MemoryBytes Series `json:"memoryBytes"`
	// ThrottledPeriods of all CPU quota Periods between the first and the last scrape.
	ThrottledPeriods int64 `json:"throttledPeriods"`
	Periods          int64 `json:"periods"`
	// MissedScrapes of the windowSeconds + 1 that were planned.
	MissedScrapes int `json:"missedScrapes"`
	// Resets counts how often a counter went back: the container was restarted.
	Resets int `json:"resets"`
	Evidence
}

// WorkerUsage is what a worker's own container used during the window.
type WorkerUsage struct {
	CPUSeconds float64 `json:"cpuSeconds"`
	// Seconds that the numbers are of: the window, or all that was recorded where the window was cut out of it afterwards.
	Seconds          int   `json:"seconds,omitempty"`
	ThrottledPeriods int64 `json:"throttledPeriods"`
	Periods          int64 `json:"periods"`
	// CPULimit of the container in cores; absent without one.
	CPULimit float64 `json:"cpuLimit,omitempty"`
	// Host of the worker; absent where it does not tell.
	Host *Host `json:"host,omitempty"`
}

// ParseWorkerResult reads a result.json and checks that it is whole.
func ParseWorkerResult(content []byte) (*WorkerResult, error) {
	var w WorkerResult
	if err := decodeWithinBounds(content, &w); err != nil {
		return nil, fmt.Errorf("worker result: %w", err)
	}
	if err := w.validate(); err != nil {
		return nil, fmt.Errorf("result of worker %d: %w", w.Worker, err)
	}
	return &w, nil
}

func (w *WorkerResult) validate() error {
	switch {
	case w.Worker < 0:
		return fmt.Errorf("worker: %d is negative", w.Worker)
	case w.WindowSeconds <= 0:
		return fmt.Errorf("windowSeconds: %d is not positive", w.WindowSeconds)
	case w.StartMillis <= 0:
		return fmt.Errorf("startMillis: %d is not an instant", w.StartMillis)
	case len(w.CompletedPerSecond) != w.WindowSeconds:
		return fmt.Errorf("completedPerSecond: %d values for %d seconds", len(w.CompletedPerSecond), w.WindowSeconds)
	case len(w.FailedPerSecond) != w.WindowSeconds:
		return fmt.Errorf("failedPerSecond: %d values for %d seconds", len(w.FailedPerSecond), w.WindowSeconds)
	}
	if err := w.validateSeries(); err != nil {
		return err
	}
	if err := w.validateMembers(); err != nil {
		return err
	}
	if err := w.validateNumbers(); err != nil {
		return err
	}
	histogram, err := decodeHistogram(w.Histogram)
	if err != nil {
		return err
	}
	return w.validateIntervals(histogram)
}

// validateMembers checks that series are as long as the window, and that names are short.
func (w *WorkerResult) validateMembers() error {
	want := seriesLength(w.WindowSeconds, w.SeriesSeconds)
	for i, m := range w.Members {
		if len(m.CPUSeconds) != want || len(m.MemoryBytes) != want {
			return fmt.Errorf("members[%d]: %d CPU and %d memory values, want %d for %d seconds",
				i, len(m.CPUSeconds), len(m.MemoryBytes), want, w.WindowSeconds)
		}
		if max(len(m.Member), len(m.Kind), len(m.Role)) > maxNameBytes {
			return fmt.Errorf("members[%d]: a name is longer than %d bytes", i, maxNameBytes)
		}
	}
	return nil
}
