package measurement

import (
	"cmp"
	"fmt"
	"strings"
)

// WorkerResult is the measurement of one worker of a run, stored as result.json.
type WorkerResult struct {
	// Worker is the index of the worker, from 0.
	Worker int `json:"worker"`
	// StartMillis is the start of the window in milliseconds of the Unix epoch. It is the same for all workers
	// of a run.
	StartMillis int64 `json:"startMillis"`
	// WindowSeconds is the length of the window.
	WindowSeconds int `json:"windowSeconds"`
	// Histogram holds the latencies, in microseconds, of the successful requests that started in the window:
	// HdrHistogram V2 compressed, base64.
	Histogram string `json:"histogram"`
	// OutOfRange counts the latencies that the histogram clamps; absent without any.
	OutOfRange OutOfRange `json:"outOfRange,omitzero"`
	// CompletedPerSecond counts successes by the second of the window in which they completed.
	CompletedPerSecond []int64 `json:"completedPerSecond"`
	// FailedPerSecond counts failures by the second of the window in which they happened.
	FailedPerSecond []int64 `json:"failedPerSecond"`
	// LatencyMicrosPerSecond sums the latencies, in microseconds, of the requests that completed in each second of
	// the window, whenever they started; absent if the driver does not record them.
	LatencyMicrosPerSecond []int64 `json:"latencyMicrosPerSecond,omitempty"`
	// Errors counts the errors of the requests that started in the window, by kind.
	Errors []ErrorCount `json:"errors"`
	// Labels counts the requests that started in the window by the label of the sampler of a user's JMeter plan, or by the
	// kind of transaction of a mix; absent without either.
	Labels   []LabelCount `json:"labels,omitempty"`
	Schedule Schedule     `json:"schedule"`
	// Operations are the kinds of operations of a mix, at most MaxOperations; absent unless it has two, and in a part of a window
	// that is no segment.
	Operations []OperationCounts `json:"operations,omitempty"`
	// IntervalSeconds is the length of Intervals; 0 without any.
	IntervalSeconds int `json:"intervalSeconds,omitempty"`
	// Intervals are the parts of the window. Together they hold the Histogram, OutOfRange, the Errors, the Labels
	// and the Schedule of the whole.
	Intervals []RecordedInterval `json:"intervals,omitempty"`
	// PhaseSamples is absent if the driver does not divide operations into phases.
	PhaseSamples *PhaseSamples `json:"phaseSamples,omitempty"`
	// Ledger is absent if the driver does not compare the ledger with the clients.
	Ledger *Ledger `json:"ledger,omitempty"`
	// Data is the data file that the driver took values from; absent without one.
	Data DataFile `json:"data,omitzero"`
	// Unit is what an operation is: flows, requests, blocks, transactions.
	Unit string `json:"unit,omitempty"`
	// Blocks lists the blocks that the worker saw decided in the window, by height; at most MaxBlocks.
	Blocks []Block `json:"blocks,omitempty"`
	// BlocksOmitted is how many more there were.
	BlocksOmitted int64 `json:"blocksOmitted,omitempty"`
	// SeriesSeconds is how many seconds each value of Series and of the members' series covers; absent for one.
	// It is a power of two.
	SeriesSeconds int `json:"seriesSeconds,omitempty"`
	// Series holds the further series that the worker recorded.
	Series []NamedSeries `json:"series,omitempty"`
	// Members holds the members that this worker observed. The agent adds them.
	Members []MemberUsage `json:"members,omitempty"`
	// Clock compares the worker's clock with the reference; absent if no member could serve as one. The agent
	// adds it.
	Clock *WorkerClock `json:"clock,omitempty"`
	// Load is the resource usage of the worker's own container during the window. The agent adds it.
	Load *WorkerUsage `json:"load,omitempty"`
	// Calibration holds the worker and the pods that it calibrated; absent without a calibration. The agent adds it.
	Calibration []PodCalibration `json:"calibration,omitempty"`
	// Faults are the faults that this worker had injected; absent without any. The agent adds them.
	Faults []FaultRecord `json:"faults,omitempty"`
}

// ErrorCount counts the errors of one kind.
type ErrorCount struct {
	// Kind is the class of the exception, or Unfinished.
	Kind  string `json:"kind"`
	Count int64  `json:"count"`
	// Example is the first message of the kind, at most 200 characters.
	Example string `json:"example,omitempty"`
}

// Unfinished is the error kind of a request that had not ended at the end of the drain.
const Unfinished = "Unfinished"

// Schedule says how well an open loop kept to its scheduled instants. All fields are zero in a closed loop.
// A request has two possible delays: it waits until a client is free, and then until that client starts it. The
// first is caused by the system or by too few clients, the second by the load generator.
type Schedule struct {
	// Planned is the number of requests that were due in the window, including those that never started.
	Planned int64 `json:"planned"`
	// ClientsBusy is the number of requests that waited more than 100 ms for a free client, or never got one.
	ClientsBusy int64 `json:"clientsBusy,omitempty"`
	// MaxWaitMicros is the longest wait for a free client, in microseconds.
	MaxWaitMicros int64 `json:"maxWaitMicros,omitempty"`
	// Late is the number of requests that a free client started more than 100 ms late.
	Late int64 `json:"late"`
	// MaxLagMicros is the largest delay of a free client, in microseconds.
	MaxLagMicros int64 `json:"maxLagMicros"`
}

// Ledger compares the operations that the clients saw complete with those that the nodes recorded.
type Ledger struct {
	// Checked is false if the comparison could not be made; Reason then says why.
	Checked bool `json:"checked"`
	// Expected is the number that the clients saw complete, Recorded the number that the nodes hold.
	Expected int64  `json:"expected"`
	Recorded int64  `json:"recorded"`
	Reason   string `json:"reason"`
	// Violation describes transactions or value that appeared or vanished, or members that disagree, although the
	// numbers may be equal; empty without any. It makes the run invalid.
	Violation string `json:"violation,omitempty"`
	// Lost counts the operations that clients saw complete and the nodes lack, Doubled those that the nodes hold more than once, and Late
	// those that the nodes hold although their clients saw an error or no end. Each is absent unless the driver knows these operations by
	// an identity: equal numbers of them could hide each other.
	Lost    *int64 `json:"lost,omitempty"`
	Doubled *int64 `json:"doubled,omitempty"`
	Late    *int64 `json:"late,omitempty"`
}

// DataFile identifies a data file of a workload.
type DataFile struct {
	// SHA256 is the hash of the file, hexadecimal.
	SHA256 string `json:"sha256"`
	// Rows is the number of rows below the header.
	Rows int64 `json:"rows"`
}

// sha256Bytes is the length of a hexadecimal SHA-256.
const sha256Bytes = 64

// IsSHA256 reports whether a text is a hexadecimal SHA-256 in lower case.
func IsSHA256(text string) bool {
	return len(text) == sha256Bytes && strings.Trim(text, "0123456789abcdef") == ""
}

// validateHash rejects a hash that is not one. Without a file there is none.
func (f DataFile) validateHash() error {
	if f != (DataFile{}) && !IsSHA256(f.SHA256) {
		return fmt.Errorf("data.sha256: %.70q is not a hexadecimal SHA-256", f.SHA256)
	}
	return nil
}

// MemberUsage is the resource usage of a member's or database's container during the window.
type MemberUsage struct {
	Member string `json:"member"`
	// Kind is the kind of container; empty means a member.
	Kind MemberKind `json:"kind,omitempty"`
	// Role is the role in the network, in the platform's terms.
	Role string `json:"role,omitempty"`
	// CPUSeconds is the CPU time used in each second of the window; null where a scrape at either end of that
	// second was missed.
	CPUSeconds Series `json:"cpuSeconds"`
	// MemoryBytes is the working set at the end of each second; null where the scrape was missed.
	MemoryBytes Series `json:"memoryBytes"`
	// ThrottledPeriods is how many of all CPU quota Periods between the first and the last scrape were
	// throttled.
	ThrottledPeriods int64 `json:"throttledPeriods"`
	Periods          int64 `json:"periods"`
	// MissedScrapes is how many of the windowSeconds + 1 planned scrapes were missed.
	MissedScrapes int `json:"missedScrapes"`
	// Resets counts how often a counter decreased, which means that the container was restarted.
	Resets int `json:"resets"`
	Evidence
}

// WorkerUsage is the resource usage of a worker's own container during the window.
type WorkerUsage struct {
	CPUSeconds float64 `json:"cpuSeconds"`
	// Seconds is the length of time that the numbers cover: the window, or the whole recording if the window
	// was selected afterwards.
	Seconds          int   `json:"seconds,omitempty"`
	ThrottledPeriods int64 `json:"throttledPeriods"`
	Periods          int64 `json:"periods"`
	// CPULimit is the limit of the container in cores; absent without one.
	CPULimit float64 `json:"cpuLimit,omitempty"`
	// GarbageCollection is the work of the garbage collectors of the worker's JVM; absent without one.
	GarbageCollection *GarbageCollection `json:"garbageCollection,omitempty"`
	// Host is the CPU usage of the worker's host; absent if the worker does not report it.
	Host *Host `json:"host,omitempty"`
	// Machine describes the host in a worker's report. The result has it in Environment.Hosts.
	Machine *Machine `json:"machine,omitempty"`
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
	if err := w.validateLatencySums(); err != nil {
		return err
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
	if err := cmp.Or(w.OutOfRange.validateCounts(), w.Data.validateHash()); err != nil {
		return err
	}
	if err := w.PhaseSamples.validatePhaseSamples(w.WindowSeconds); err != nil {
		return err
	}
	if w.Clock != nil && len(w.Clock.Reference) > maxNameBytes {
		return fmt.Errorf("clock.reference: longer than %d bytes", maxNameBytes)
	}
	histogram, err := DecodeHistogram(w.Histogram)
	if err != nil {
		return err
	}
	return cmp.Or(w.validateOperations(histogram), w.validateIntervals(histogram))
}

// validateMembers checks that the series are as long as the window and that names are short, also those of calibrated
// pods.
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
	return w.validateCalibration()
}

// MeanCores returns the mean number of cores that a worker used, over Seconds or else over the window.
func (l *WorkerUsage) MeanCores(window int) float64 {
	return l.CPUSeconds / float64(cmp.Or(l.Seconds, window))
}
