package measurement

import (
	"fmt"
	"slices"
	"time"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

const (
	// MaxOperations bounds the kinds of operations that are measured separately. Each takes 200 kB of memory.
	MaxOperations = 8
	// MaxRecordings bounds the kinds of operations times the segments in which they are measured separately.
	MaxRecordings = 96
)

// OperationCounts is what a worker measured of one kind of operation of a mix.
type OperationCounts struct {
	// Name is the kind, such as Mint; empty in Segments.
	Name string `json:"name,omitempty"`
	// Completed counts successes in the window, whenever they started.
	Completed int64 `json:"completed"`
	// Failed counts the requests that started in the window and failed.
	Failed int64 `json:"failed"`
	// Histogram holds the latencies, as in WorkerResult.
	Histogram string `json:"histogram"`
	// Segments are the parts of these numbers in the segments of the window, in their order; absent without segments.
	Segments []OperationCounts `json:"segments,omitempty"`
}

// operationStats is what was recorded of one kind of operation.
type operationStats struct {
	name              string
	completed, failed int64
	latencies         *Histogram
	segments          []operationStats
}

// newOperationStats returns the stats of a kind without operations, also in a number of segments.
func newOperationStats(name string, segments int) operationStats {
	o := operationStats{name: name, latencies: NewHistogram()}
	for range segments {
		o.segments = append(o.segments, operationStats{latencies: NewHistogram()})
	}
	return o
}

// SeparateOperations makes the recorder measure each of the named kinds of operations separately, also in each of the segments, which
// follow one another from the start of the window. Call it before recording.
func (t *RequestRecorder) SeparateOperations(names []string, segments []Segment) {
	t.segments = segments
	for _, name := range names[:min(len(names), MaxOperations)] {
		t.operations = append(t.operations, newOperationStats(name, len(segments)))
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
		if s := t.segmentAt(o, at); s != nil {
			s.completed++
		}
	}
	if t.InWindow(of) {
		o.recordEnd(at-of, failed)
		if s := t.segmentAt(o, of); s != nil {
			s.recordEnd(at-of, failed)
		}
	}
}

// segmentAt returns the stats of the segment at an instant of the window, or nil without segments.
func (t *RequestRecorder) segmentAt(o *operationStats, at time.Duration) *operationStats {
	for i, s := range t.segments {
		if at < time.Duration(s.FromSeconds+s.Seconds)*time.Second {
			return &o.segments[i]
		}
	}
	return nil
}

func (o *operationStats) recordEnd(latency time.Duration, failed bool) {
	if failed {
		o.failed++
		return
	}
	// Record clamps every latency to the histogram's range, so this cannot fail.
	_ = o.latencies.Record(latency.Microseconds())
}

func encodeOperations(all []operationStats) ([]OperationCounts, error) {
	var encoded []OperationCounts
	for _, o := range all {
		histogram, err := o.latencies.Encode()
		if err != nil {
			return nil, err
		}
		segments, err := encodeOperations(o.segments)
		if err != nil {
			return nil, err
		}
		encoded = append(encoded, OperationCounts{o.name, o.completed, o.failed, histogram, segments})
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
		if err := o.validateSegments(MaxRecordings/len(w.Operations), h.Count()); err != nil {
			return fmt.Errorf("operations[%d].%w", i, err)
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

// validateSegments checks that the segments of a kind, if there are any, are at most a number and make up the kind with its latencies.
func (o *OperationCounts) validateSegments(most int, latencies int64) error {
	if len(o.Segments) > most {
		return fmt.Errorf("segments: %d, at most %d", len(o.Segments), most)
	}
	completed, failed := o.Completed, o.Failed
	for i, s := range o.Segments {
		h, err := DecodeHistogram(s.Histogram)
		if err != nil {
			return fmt.Errorf("segments[%d]: %w", i, err)
		}
		if min(s.Completed, s.Failed) < 0 || s.Completed > completed || s.Failed > failed {
			return fmt.Errorf("segments[%d]: %d completed or %d failed is not between 0 and %d or %d", i, s.Completed, s.Failed, completed, failed)
		}
		completed, failed, latencies = completed-s.Completed, failed-s.Failed, latencies-h.Count()
	}
	if len(o.Segments) > 0 && (completed != 0 || failed != 0 || latencies != 0) {
		return fmt.Errorf("segments: %d completions, %d failures and %d latencies of the kind are missing", completed, failed, latencies)
	}
	return nil
}

// operationsIn returns the kinds of operations in a segment, or nil unless the worker measured each in all segments.
func (w *WorkerResult) operationsIn(segment, segments int) []OperationCounts {
	var all []OperationCounts
	for _, o := range w.Operations {
		if len(o.Segments) != segments {
			return nil
		}
		part := o.Segments[segment]
		part.Name = o.Name
		all = append(all, part)
	}
	return all
}

// addOperations adds the kinds of a worker. They are unknown if a worker does not report the same kinds as the first.
func (m *Measurement) addOperations(w *WorkerResult) error {
	if len(m.Workers) == 0 {
		for _, o := range w.Operations {
			m.operations = append(m.operations, newOperationStats(o.Name, 0))
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
