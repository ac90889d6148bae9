package measurement

import (
	"fmt"
	"slices"
	"time"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

// MaxOperations bounds the kinds of operations that are measured separately. Each takes 200 kB of memory.
const MaxOperations = 8

// OperationCounts is what a worker measured of one kind of operation of a mix.
type OperationCounts struct {
	// Name is the kind, such as Mint.
	Name string `json:"name"`
	// Completed counts successes in the window, whenever they started.
	Completed int64 `json:"completed"`
	// Failed counts the requests that started in the window and failed.
	Failed int64 `json:"failed"`
	// Histogram holds the latencies, as in WorkerResult.
	Histogram string `json:"histogram"`
}

// operationStats is what was recorded of one kind of operation.
type operationStats struct {
	name              string
	completed, failed int64
	latencies         *Histogram
}

// SeparateOperations makes the recorder measure each of the named kinds of operations separately. Call it before recording.
func (t *RequestRecorder) SeparateOperations(names []string) {
	for _, name := range names[:min(len(names), MaxOperations)] {
		t.operations = append(t.operations, operationStats{name: name, latencies: NewHistogram()})
	}
}

// RecordOperation records that a request of a kind, which started at of, ended at an instant. It ignores kinds that are not
// measured separately.
func (t *RequestRecorder) RecordOperation(of, at time.Duration, name string, failed bool) {
	i := slices.IndexFunc(t.operations, func(o operationStats) bool { return o.name == name })
	if i < 0 {
		return
	}
	o := &t.operations[i]
	if !failed && t.InWindow(at) {
		o.completed++
	}
	switch {
	case !t.InWindow(of):
	case failed:
		o.failed++
	default:
		// Record clamps every latency to the histogram's range, so this cannot fail.
		_ = o.latencies.Record((at - of).Microseconds())
	}
}

func encodeOperations(all []operationStats) ([]OperationCounts, error) {
	var encoded []OperationCounts
	for _, o := range all {
		histogram, err := o.latencies.Encode()
		if err != nil {
			return nil, err
		}
		encoded = append(encoded, OperationCounts{o.name, o.completed, o.failed, histogram})
	}
	return encoded, nil
}

// validateOperations checks that the kinds of operations, if there are any, have different names and make up the whole. Failures
// may be fewer, since a request that was never sent has no kind.
func (w *WorkerResult) validateOperations(whole *Histogram) error {
	if len(w.Operations) == 0 {
		return nil
	}
	if len(w.Operations) > MaxOperations {
		return fmt.Errorf("operations: %d, at most %d", len(w.Operations), MaxOperations)
	}
	completed, failed, latencies := statistics.Sum(w.CompletedPerSecond), countErrors(w.Errors), whole.Count()
	for i, o := range w.Operations {
		named := func(other OperationCounts) bool { return other.Name == o.Name }
		if o.Name == "" || len(o.Name) > maxNameBytes || slices.ContainsFunc(w.Operations[:i], named) {
			return fmt.Errorf("operations[%d].name: %.40q is empty, repeated or longer than %d bytes", i, o.Name, maxNameBytes)
		}
		if min(o.Completed, o.Failed) < 0 || max(o.Completed, o.Failed) > largestCount {
			return fmt.Errorf("operations[%d]: %d completed or %d failed is not between 0 and %d", i, o.Completed, o.Failed, largestCount)
		}
		h, err := DecodeHistogram(o.Histogram)
		if err != nil {
			return fmt.Errorf("operations[%d]: %w", i, err)
		}
		completed, failed, latencies = completed-o.Completed, failed-o.Failed, latencies-h.Count()
		if min(completed, failed, latencies) < 0 {
			return fmt.Errorf("operations[%d]: together they have more requests than the whole", i)
		}
	}
	if completed != 0 || latencies != 0 {
		return fmt.Errorf("operations: %d completions and %d latencies of the whole are missing", completed, latencies)
	}
	return nil
}

// addOperations adds the kinds of a worker. They are unknown if a worker does not report the same kinds as the first.
func (m *Measurement) addOperations(w *WorkerResult) error {
	if len(m.Workers) == 0 {
		for _, o := range w.Operations {
			m.operations = append(m.operations, operationStats{name: o.Name, latencies: NewHistogram()})
		}
	}
	if !slices.EqualFunc(m.operations, w.Operations, func(a operationStats, b OperationCounts) bool { return a.name == b.Name }) {
		m.operations = nil
		return nil
	}
	for i, o := range w.Operations {
		latencies, err := DecodeHistogram(o.Histogram)
		if err != nil {
			return fmt.Errorf("operations[%d]: %w", i, err)
		}
		sum := &m.operations[i]
		sum.completed, sum.failed = sum.completed+o.Completed, sum.failed+o.Failed
		if err := sum.latencies.Merge(latencies); err != nil {
			return fmt.Errorf("operations[%d]: %w", i, err)
		}
	}
	return nil
}

// OperationSummary describes one kind of operation of a mix. Completed, throughput, errors and latency are defined as in Summary.
type OperationSummary struct {
	Name      string `json:"name"`
	Completed int64  `json:"completed"`
	// Failed is the number of failed requests that started in the window.
	Failed int64 `json:"failed"`
	// Share is the kind's share of the requests of all kinds that started in the window, 0 to 1.
	Share float64 `json:"share"`
	// ErrorShare is the share of failed requests, 0 to 1.
	ErrorShare          float64 `json:"errorShare"`
	ThroughputPerSecond float64 `json:"throughputPerSecond"`
	Latency             Latency `json:"latency"`
}

// Operations returns the kinds of operations in the order of the mix; nil without at least two, or if they are unknown.
func (m *Measurement) Operations() []OperationSummary {
	var requests int64
	for _, o := range m.operations {
		requests += o.latencies.Count() + o.failed
	}
	var all []OperationSummary
	for _, o := range m.operations {
		n := o.latencies.Count()
		s := OperationSummary{Name: o.name, Completed: o.completed, Failed: o.failed, Share: statistics.Ratio(n+o.failed, requests),
			ErrorShare: statistics.Ratio(o.failed, n+o.failed), ThroughputPerSecond: float64(o.completed) / float64(m.WindowSeconds),
			Latency: o.latencies.summarizeLatency()}
		s.Latency.DropUnsupported(n)
		all = append(all, s)
	}
	return all
}
