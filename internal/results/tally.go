package results

import (
	"cmp"
	"slices"
	"time"
)

// lateAfter is the lag behind its instant from which on a request of an open loop counts as late.
const lateAfter = 100 * time.Millisecond

// maxExample bounds the example of an error, in characters.
const maxExample = 200

// Tally counts what happens to a worker's requests. All instants are counted from the start of the window; what lies outside of it is
// passed over. What belongs to a request (latency, error, plan) is kept by the interval in which the request starts, so that a
// part of the window can be cut out as if nothing else had been recorded. Not safe for use by several goroutines.
type Tally struct {
	interval          time.Duration
	completed, failed []int64
	parts             []part
	asked             int
}

// part is what belongs to the requests of one interval.
type part struct {
	latencies *Histogram
	errors    errorCounts
	schedule  Schedule
}

// NewTally is of a window of so many seconds, in intervals of so many, which divide it; 0 is the whole window in one.
func NewTally(seconds, intervalSeconds int) *Tally {
	each := cmp.Or(intervalSeconds, max(1, seconds))
	t := &Tally{interval: time.Duration(each) * time.Second, asked: intervalSeconds, completed: make([]int64, seconds), failed: make([]int64, seconds)}
	for range max(1, seconds/each) {
		t.parts = append(t.parts, part{latencies: NewHistogram(), errors: errorCounts{}})
	}
	return t
}

// Within tells whether an instant lies in the window.
func (t *Tally) Within(at time.Duration) bool {
	return at >= 0 && at < time.Duration(len(t.completed))*time.Second
}

func (t *Tally) part(of time.Duration) *part { return &t.parts[of/t.interval] }

// Completed counts n successes at an instant, whenever they had started.
func (t *Tally) Completed(at time.Duration, n int64) {
	if t.Within(at) {
		t.completed[at/time.Second] += n
	}
}

// Failed counts n failures at an instant, whenever they had started.
func (t *Tally) Failed(at time.Duration, n int64) {
	if t.Within(at) {
		t.failed[at/time.Second] += n
	}
}

// Latency is that of a success that started at of.
func (t *Tally) Latency(of, latency time.Duration) {
	if t.Within(of) {
		// Every latency is within the histogram's range once it is brought there, so this cannot fail.
		_ = t.part(of).latencies.Record(latency.Microseconds())
	}
}

// Error counts n requests that started at of and failed. The first example of a kind is kept, at most 200 characters of it.
func (t *Tally) Error(of time.Duration, n int64, kind, example string) {
	if t.Within(of) {
		t.part(of).errors.add(ErrorCount{Kind: kind, Count: n, Example: shorten(example)})
	}
}

// Planned says that n requests were due at an instant and began after a lag.
func (t *Tally) Planned(due time.Duration, n int64, lag time.Duration) {
	if !t.Within(due) {
		return
	}
	planned := Schedule{Planned: n, MaxLagMicros: lag.Microseconds()}
	if lag > lateAfter {
		planned.Late = n
	}
	t.part(due).schedule.add(planned)
}

// Completions are the successes of each of the first seconds of the window.
func (t *Tally) Completions(seconds int) []int64 {
	return slices.Clone(t.completed[:max(0, min(seconds, len(t.completed)))])
}

// Fill puts all that was counted into a worker's result.
func (t *Tally) Fill(w *Worker) error {
	w.WindowSeconds, w.CompletedPerSecond, w.FailedPerSecond = len(t.completed), slices.Clone(t.completed), slices.Clone(t.failed)
	w.IntervalSeconds, w.Intervals = t.asked, nil
	whole := part{latencies: NewHistogram(), errors: errorCounts{}}
	for _, p := range t.parts {
		if err := whole.add(p); err != nil {
			return err
		}
		if t.asked == 0 {
			continue
		}
		encoded, err := p.encode()
		if err != nil {
			return err
		}
		w.Intervals = append(w.Intervals, encoded)
	}
	return w.take(whole)
}

func (p *part) add(other part) error {
	for _, e := range other.errors {
		p.errors.add(*e)
	}
	p.schedule.add(other.schedule)
	return p.latencies.Add(other.latencies)
}

func (p *part) encode() (Interval, error) {
	encoded, err := p.latencies.Encode()
	return Interval{Histogram: encoded, Errors: p.errors.sorted(), Schedule: p.schedule}, err
}

func (w *Worker) take(whole part) error {
	i, err := whole.encode()
	w.Histogram, w.Errors, w.Schedule = i.Histogram, i.Errors, i.Schedule
	return err
}

func (s *Schedule) add(other Schedule) {
	s.Planned += other.Planned
	s.Late += other.Late
	s.MaxLagMicros = max(s.MaxLagMicros, other.MaxLagMicros)
}

// errorCounts are errors by kind.
type errorCounts map[string]*ErrorCount

// maxErrorKinds is how many kinds of errors are counted separately.
const maxErrorKinds = 1000

// OtherErrors is the kind under which errors of further kinds are counted.
const OtherErrors = "Other"

// add counts e; the first example is kept. Kinds and examples are shortened, since drivers may report texts of any length.
func (c errorCounts) add(e ErrorCount) {
	e.Kind, e.Example = shorten(e.Kind), shorten(e.Example)
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

// sorted has the most frequent kind first.
func (c errorCounts) sorted() []ErrorCount {
	all := make([]ErrorCount, 0, len(c))
	for _, e := range c {
		all = append(all, *e)
	}
	slices.SortFunc(all, func(a, b ErrorCount) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind)) })
	return all
}

func shorten(message string) string {
	if characters := []rune(message); len(characters) > maxExample {
		return string(characters[:maxExample])
	}
	return message
}
