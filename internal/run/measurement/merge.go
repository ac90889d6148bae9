package measurement

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

// Measurement is the merged measurement of all workers of a run.
type Measurement struct {
	// Start is the start of the window.
	Start         time.Time
	WindowSeconds int
	// WindowSelection says how the window was selected; nil with fixed times.
	WindowSelection *WindowSelection
	Histogram       *Histogram
	OutOfRange      OutOfRange
	// Completed and Failed count operations by the second of the window.
	Completed, Failed []int64
	// LatencyMicros sums the latencies of the requests that completed in each second; nil if it is unknown.
	LatencyMicros      []int64
	latencySumsUnknown bool
	intervals          intervalHistograms
	phases             phaseTotals
	operations         []operationStats
	// Errors counts the errors by kind, the most frequent first.
	Errors []ErrorCount
	// Labels counts the requests by the label of the sampler of a user's JMeter plan, or by the
	// kind of transaction of a mix, the most frequent first; nil without either.
	Labels   []LabelCount
	Schedule Schedule
	// Ledger is nil if no driver compares the ledger with the clients.
	Ledger *Ledger
	// Data is zero if the drivers take no values from a data file.
	Data DataFile
	// Unit is what an operation is, such as flows or transactions.
	Unit string
	// LatencyKind is empty if the network makes its own load, or if a user's own plan decides when requests start.
	LatencyKind LatencyKind
	// FinalityOf is empty if the time at which an operation becomes final is unknown.
	FinalityOf FinalityOf
	// Blocks are sorted by height. BlocksOmitted is the number of blocks that are not listed.
	Blocks        []Block
	BlocksOmitted int64
	// SeriesSeconds is how many seconds each value of Series and of the members' series covers; 0 means one.
	SeriesSeconds int
	Series        []NamedSeries
	Members       []MemberUsage
	Workers       []WorkerSummary
	// Calibration is empty without a calibration.
	Calibration []PodCalibration
	// Faults are the declared faults that the workers reported.
	Faults []FaultRecord
	// Segments are the parts of the window with results of their own; nil without any.
	Segments []SegmentMeasurement
	// machines describe the hosts by the member, database or worker that reported them.
	machines map[string]Machine
}

// WorkerSummary is one worker's share of the measurement.
type WorkerSummary struct {
	Worker    int   `json:"worker"`
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"`
	// MaxLagMicros is the largest lag behind the schedule of an open loop, in microseconds.
	MaxLagMicros int64 `json:"maxLagMicros"`
	// Silence is the longest time without a completion or failure; absent below two seconds.
	Silence *Silence     `json:"silence,omitempty"`
	Load    *WorkerUsage `json:"load,omitempty"`
	Clock   *WorkerClock `json:"clock,omitempty"`
}

// Merge merges the results of the workers of one run. Without workers the measurement is empty. It fails if a
// result is invalid, if two workers measured different windows or used different data, or if a worker occurs twice.
func Merge(workers []WorkerResult) (*Measurement, error) {
	merger := NewMerger()
	for _, w := range slices.SortedFunc(slices.Values(workers), func(a, b WorkerResult) int { return cmp.Compare(a.Worker, b.Worker) }) {
		if err := w.validate(); err != nil {
			return nil, fmt.Errorf("result of worker %d: %w", w.Worker, err)
		}
		if err := merger.AddWorker(&w); err != nil {
			return nil, err
		}
	}
	return merger.Measurement(), nil
}

// Merger merges the results of the workers of one run one by one, so that their reports need not be in memory
// at the same time. The merge is exact: counts are added, and series are averaged only if they are too long for
// a result. Its memory is bounded, whatever is added.
type Merger struct {
	measurement *Measurement
	errors      errorCounts
	labels      labelCounts
	// members and series map to positions in the measurement.
	members    map[string]int
	series     map[seriesKey]int
	segments   []segmentMerger
	lastWorker *WorkerResult
	// heights are the heights of all listed blocks, with duplicates. tails describe the ends of the workers'
	// lists.
	heights []int64
	tails   []blockTail
}

// seriesKey identifies a series of a measurement.
type seriesKey struct{ subject, name string }

// NewMerger returns a Merger without workers, which measures the segments apart too.
func NewMerger(segments ...Segment) *Merger {
	m := &Merger{measurement: &Measurement{Histogram: NewHistogram(), Members: []MemberUsage{}, Workers: []WorkerSummary{}},
		errors: errorCounts{}, labels: labelCounts{}, members: map[string]int{}, series: map[seriesKey]int{}}
	for _, s := range segments {
		m.segments = append(m.segments, segmentMerger{s, NewMerger()})
	}
	return m
}

// AddWorker adds a worker's result, which must have been validated when it was decoded. It fails and adds
// nothing if the worker measured another window than the others, used other data, or was added already.
func (m *Merger) AddWorker(w *WorkerResult) error {
	if m.lastWorker == nil {
		m.measurement.initWindow(w)
	} else if err := checkComparable(m.lastWorker, w); err != nil {
		return err
	}
	if slices.ContainsFunc(m.measurement.Workers, func(s WorkerSummary) bool { return s.Worker == w.Worker }) {
		return fmt.Errorf("two results of worker %d", w.Worker)
	}
	parts, err := cutParts(w, m.segments)
	if err != nil {
		return err
	}
	histogram, err := DecodeHistogram(w.Histogram)
	if err != nil {
		return fmt.Errorf("result of worker %d: %w", w.Worker, err)
	}
	if err := m.measurement.Histogram.Merge(histogram); err != nil {
		return fmt.Errorf("result of worker %d: %w", w.Worker, err)
	}
	if err := m.measurement.intervals.addIntervals(w, histogram.Count()); err != nil {
		return fmt.Errorf("result of worker %d: %w", w.Worker, err)
	}
	if err := cmp.Or(m.measurement.phases.addPhaseSamples(w.PhaseSamples), m.measurement.addOperations(w)); err != nil {
		return fmt.Errorf("result of worker %d: %w", w.Worker, err)
	}
	m.measurement.Data = w.Data
	m.lastWorker = &WorkerResult{Worker: w.Worker, Unit: w.Unit, StartMillis: w.StartMillis, WindowSeconds: w.WindowSeconds, Data: w.Data}
	m.measurement.alignSeries(w)
	for _, member := range w.Members {
		m.addMember(member)
	}
	for _, s := range w.Series {
		m.addSeries(s)
	}
	m.addBlocks(w)
	m.measurement.addCounts(w)
	for _, e := range w.Errors {
		m.errors.addCount(e)
	}
	for _, l := range w.Labels {
		m.labels.addCount(l)
	}
	for i, part := range parts {
		if err := m.segments[i].merger.AddWorker(part); err != nil {
			return err
		}
	}
	return nil
}

// Measurement returns the merged measurement.
func (m *Merger) Measurement() *Measurement {
	merged := m.measurement
	merged.Errors, merged.Labels, merged.BlocksOmitted = m.errors.sortedByCount(), m.labels.sortedByCount(), m.blocksOmitted()
	slices.SortStableFunc(merged.Series, func(a, b NamedSeries) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Subject, b.Subject))
	})
	slices.SortStableFunc(merged.Members, func(a, b MemberUsage) int { return cmp.Compare(a.Member, b.Member) })
	merged.Segments = nil
	for _, s := range m.segments {
		merged.Segments = append(merged.Segments, SegmentMeasurement{s.Segment, s.merger.Measurement()})
	}
	return merged
}

// checkComparable fails if two workers measured different windows, counted different units or took their values from
// different data.
func checkComparable(a, b *WorkerResult) error {
	if a.StartMillis != b.StartMillis || a.WindowSeconds != b.WindowSeconds {
		return fmt.Errorf("worker %d measured %d s from %d, worker %d %d s from %d: not the same window",
			a.Worker, a.WindowSeconds, a.StartMillis, b.Worker, b.WindowSeconds, b.StartMillis)
	}
	if a.Unit != b.Unit {
		return fmt.Errorf("worker %d counted %q, worker %d %q: their operations cannot be added", a.Worker, truncateText(a.Unit), b.Worker, truncateText(b.Unit))
	}
	if a.Data != b.Data {
		return fmt.Errorf("worker %d used data with the hash %q, worker %d %q: the ConfigMap changed while the run started",
			a.Worker, a.Data.SHA256, b.Worker, b.Data.SHA256)
	}
	return nil
}

// initWindow sets the window to that of the first worker.
func (m *Measurement) initWindow(w *WorkerResult) {
	m.Start = time.UnixMilli(w.StartMillis).UTC()
	m.WindowSeconds = w.WindowSeconds
	m.Completed = make([]int64, w.WindowSeconds)
	m.Failed = make([]int64, w.WindowSeconds)
	m.Unit = truncateText(w.Unit)
}

// addCounts adds the counts per second and per worker.
func (m *Measurement) addCounts(w *WorkerResult) {
	for i := range m.WindowSeconds {
		m.Completed[i] += w.CompletedPerSecond[i]
		m.Failed[i] += w.FailedPerSecond[i]
	}
	m.OutOfRange.addCounts(w.OutOfRange)
	m.addLatencySums(w)
	m.Schedule.addSchedule(w.Schedule)
	m.addLedger(w.Ledger)
	m.addCalibration(w.Calibration)
	m.Faults = append(m.Faults, w.Faults[:min(len(w.Faults), MaxFaults-len(m.Faults))]...)
	if w.Load != nil {
		m.addMachine(WorkerSubject(w.Worker), w.Load.Machine)
	}
	m.Workers = append(m.Workers, WorkerSummary{
		Worker: w.Worker, Completed: statistics.Sum(w.CompletedPerSecond), Failed: statistics.Sum(w.FailedPerSecond),
		MaxLagMicros: w.Schedule.MaxLagMicros, Silence: w.longestSilence(), Load: w.Load.withoutMachine(), Clock: w.Clock,
	})
	for m.countSeriesValues() > maxSeriesValues && m.coarsenOnce() {
	}
}

// addMember keeps the observation that missed the fewest scrapes if several workers observed the same member.
func (m *Merger) addMember(member MemberUsage) {
	merged := m.measurement
	i, known := m.members[member.Member]
	if known || len(merged.Members) < maxMembers {
		merged.addMachine(member.Member, member.Machine)
	}
	member.Machine = nil
	switch {
	case known && member.MissedScrapes < merged.Members[i].MissedScrapes:
		merged.Members[i] = member
	case !known && len(merged.Members) < maxMembers:
		m.members[member.Member] = len(merged.Members)
		merged.Members = append(merged.Members, member)
	}
}

// addLedger adds the counts of another ledger. The sum is checked only if every part is. The first reason and
// the first violation are kept.
func (m *Measurement) addLedger(other *Ledger) {
	if other == nil {
		return
	}
	if m.Ledger == nil {
		m.Ledger = &Ledger{Checked: true, Lost: new(int64), Doubled: new(int64), Late: new(int64)}
	}
	l := m.Ledger
	l.Checked = l.Checked && other.Checked
	l.Expected += other.Expected
	l.Recorded += other.Recorded
	l.Lost, l.Doubled, l.Late = addKnown(l.Lost, other.Lost), addKnown(l.Doubled, other.Doubled), addKnown(l.Late, other.Late)
	l.Reason = cmp.Or(l.Reason, truncateText(other.Reason))
	l.Violation = cmp.Or(l.Violation, truncateText(other.Violation))
}

// addKnown returns the sum of two counts, or nil if one is unknown or the worker's is no count.
func addKnown(sum, ofWorker *int64) *int64 {
	if sum == nil || ofWorker == nil || *ofWorker < 0 || *ofWorker > largestCount {
		return nil
	}
	return new(*sum + *ofWorker)
}
