package measurement

import (
	"cmp"
	"slices"
	"time"
)

// lateThreshold is the delay above which a request of an open loop counts as late or as having waited for a client.
const lateThreshold = 100 * time.Millisecond

// maxExampleChars bounds the example of an error, in characters.
const maxExampleChars = 200

// RequestRecorder counts the outcomes of a worker's requests. All instants are relative to the start of the
// window; instants outside of it are ignored. Latency, error and plan of a request are kept by the interval in
// which the request starts, so that a part of the window can be cut out as if nothing else had been recorded.
// It is not safe for concurrent use.
type RequestRecorder struct {
	interval          time.Duration
	completed, failed []int64
	latencyMicros     []int64 // nil before the first
	intervals         []requestStats
	intervalSeconds   int
	operations        []operationStats // nil without SeparateOperations
	segments          []Segment
}

// requestStats holds what was recorded about the requests of one interval.
type requestStats struct {
	latencies  *Histogram
	outOfRange OutOfRange
	errors     errorCounts
	labels     labelCounts
	schedule   Schedule
}

func newRequestStats() requestStats {
	return requestStats{latencies: NewHistogram(), errors: errorCounts{}, labels: labelCounts{}}
}

// NewRequestRecorder returns a recorder for a window of the given seconds, divided into intervals of
// intervalSeconds, which must divide the window. 0 means one interval for the whole window.
func NewRequestRecorder(seconds, intervalSeconds int) *RequestRecorder {
	each := cmp.Or(intervalSeconds, max(1, seconds))
	t := &RequestRecorder{
		interval:        time.Duration(each) * time.Second,
		intervalSeconds: intervalSeconds,
		completed:       make([]int64, seconds),
		failed:          make([]int64, seconds),
	}
	for range max(1, seconds/each) {
		t.intervals = append(t.intervals, newRequestStats())
	}
	return t
}

// InWindow reports whether an instant lies in the window.
func (t *RequestRecorder) InWindow(at time.Duration) bool {
	return at >= 0 && at < time.Duration(len(t.completed))*time.Second
}

func (t *RequestRecorder) intervalAt(of time.Duration) *requestStats {
	return &t.intervals[of/t.interval]
}

// RecordCompleted counts n requests that succeeded at an instant, whenever they started.
func (t *RequestRecorder) RecordCompleted(at time.Duration, n int64) {
	if t.InWindow(at) {
		t.completed[at/time.Second] += n
	}
}

// RecordFailed counts n requests that failed at an instant, whenever they started.
func (t *RequestRecorder) RecordFailed(at time.Duration, n int64) {
	if t.InWindow(at) {
		t.failed[at/time.Second] += n
	}
}

// RecordLatency records the latency of a successful request that started at of. It counts a latency below 0 or
// above the histogram's range.
func (t *RequestRecorder) RecordLatency(of, latency time.Duration) {
	if t.InWindow(of) {
		interval := t.intervalAt(of)
		interval.outOfRange.countLatency(latency)
		// Record clamps every latency to the histogram's range, so this cannot fail.
		_ = interval.latencies.Record(latency.Microseconds())
	}
}

// RecordError counts n failed requests that started at of. It keeps the first example of a kind, at most 200
// characters of it.
func (t *RequestRecorder) RecordError(of time.Duration, n int64, kind, example string) {
	if t.InWindow(of) {
		t.intervalAt(of).errors.addCount(ErrorCount{Kind: kind, Count: n, Example: truncateText(example)})
	}
}

// RecordLabel counts a request that started at of under its label.
func (t *RequestRecorder) RecordLabel(of time.Duration, label string, failed bool) {
	if t.InWindow(of) {
		count := LabelCount{Label: label, Requests: 1}
		if failed {
			count.Errors = 1
		}
		t.intervalAt(of).labels.addCount(count)
	}
}

// RecordPlanned counts n requests that were due at an instant. lag is the delay that the load generator caused
// although a client was free.
func (t *RequestRecorder) RecordPlanned(due time.Duration, n int64, lag time.Duration) {
	if !t.InWindow(due) {
		return
	}
	planned := Schedule{Planned: n, MaxLagMicros: lag.Microseconds()}
	if lag > lateThreshold {
		planned.Late = n
	}
	t.intervalAt(due).schedule.addSchedule(planned)
}

// RecordClientWait records that n planned requests waited for a free client. Those that never got one have waited
// until the end of the drain.
func (t *RequestRecorder) RecordClientWait(due time.Duration, n int64, wait time.Duration) {
	if !t.InWindow(due) {
		return
	}
	waited := Schedule{MaxWaitMicros: wait.Microseconds()}
	if wait > lateThreshold {
		waited.ClientsBusy = n
	}
	t.intervalAt(due).schedule.addSchedule(waited)
}

// FillResult sets all recorded fields of a worker's result.
func (t *RequestRecorder) FillResult(w *WorkerResult) error {
	w.WindowSeconds, w.CompletedPerSecond, w.FailedPerSecond = len(t.completed), slices.Clone(t.completed), slices.Clone(t.failed)
	w.LatencyMicrosPerSecond = slices.Clone(t.latencyMicros)
	w.IntervalSeconds, w.Intervals = t.intervalSeconds, nil
	operations, err := encodeOperations(t.operations)
	if err != nil {
		return err
	}
	w.Operations = operations
	whole := newRequestStats()
	for _, p := range t.intervals {
		if err := whole.addStats(p); err != nil {
			return err
		}
		if t.intervalSeconds == 0 {
			continue
		}
		encoded, err := p.encodeInterval()
		if err != nil {
			return err
		}
		w.Intervals = append(w.Intervals, encoded)
	}
	return w.setRequestStats(whole)
}

func (p *requestStats) addStats(other requestStats) error {
	for _, e := range other.errors {
		p.errors.addCount(*e)
	}
	for _, l := range other.labels {
		p.labels.addCount(*l)
	}
	p.schedule.addSchedule(other.schedule)
	p.outOfRange.addCounts(other.outOfRange)
	return p.latencies.Merge(other.latencies)
}

func (p *requestStats) encodeInterval() (RecordedInterval, error) {
	encoded, err := p.latencies.Encode()
	return RecordedInterval{Histogram: encoded, OutOfRange: p.outOfRange, Errors: p.errors.sortedByCount(),
		Labels: p.labels.sortedByCount(), Schedule: p.schedule}, err
}

func (w *WorkerResult) setRequestStats(whole requestStats) error {
	i, err := whole.encodeInterval()
	w.Histogram, w.OutOfRange, w.Errors, w.Labels, w.Schedule = i.Histogram, i.OutOfRange, i.Errors, i.Labels, i.Schedule
	return err
}

func (s *Schedule) addSchedule(other Schedule) {
	s.Planned += other.Planned
	s.ClientsBusy += other.ClientsBusy
	s.MaxWaitMicros = max(s.MaxWaitMicros, other.MaxWaitMicros)
	s.Late += other.Late
	s.MaxLagMicros = max(s.MaxLagMicros, other.MaxLagMicros)
}

// errorCounts holds the errors by kind.
type errorCounts map[string]*ErrorCount

// maxErrorKinds is the number of error kinds that are counted separately.
const maxErrorKinds = 1000

// OtherErrors is the kind that counts the errors of all further kinds.
const OtherErrors = "Other"

// addCount adds the count of e and keeps the first example. It truncates kinds and examples, since drivers may
// report texts of any length.
func (c errorCounts) addCount(e ErrorCount) {
	e.Kind, e.Example = truncateText(e.Kind), truncateText(e.Example)
	if c[e.Kind] == nil && len(c) >= maxErrorKinds {
		e.Kind = OtherErrors
	}
	known := c[e.Kind]
	if known == nil {
		c[e.Kind] = &e
		return
	}
	known.Count += e.Count
	known.Example = cmp.Or(known.Example, e.Example)
}

// sortedByCount returns the counts, the most frequent kind first.
func (c errorCounts) sortedByCount() []ErrorCount {
	all := make([]ErrorCount, 0, len(c))
	for _, e := range c {
		all = append(all, *e)
	}
	slices.SortFunc(all, func(a, b ErrorCount) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind)) })
	return all
}

func truncateText(message string) string {
	if characters := []rune(message); len(characters) > maxExampleChars {
		return string(characters[:maxExampleChars])
	}
	return message
}
