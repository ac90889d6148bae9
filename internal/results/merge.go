package results

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Measurement is what all workers of a run measured together.
type Measurement struct {
	// Start of the window.
	Start         time.Time
	WindowSeconds int
	// Steady is what chose the window; nil with fixed times.
	Steady    *Steady
	Histogram *Histogram
	// Completed and Failed count by the second of the window.
	Completed, Failed []int64
	// Errors by kind, the most frequent first.
	Errors   []ErrorCount
	Schedule Schedule
	// Ledger is nil where the drivers had no such comparison to make.
	Ledger *Ledger
	// Unit is what an operation is.
	Unit string
	// Blocks by height, and how many are not listed.
	Blocks        []Block
	BlocksOmitted int64
	Series        []NamedSeries
	Members       []Member
	Workers       []WorkerSummary
}

// WorkerSummary is one worker's share.
type WorkerSummary struct {
	Worker    int   `json:"worker"`
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"`
	// MaxLagMicros behind the schedule of an open loop, in microseconds.
	MaxLagMicros int64 `json:"maxLagMicros"`
	Load         *Load `json:"load,omitempty"`
}

// Merge puts the workers of one run together, exactly: counts are added, nothing is averaged.
// Without a worker the measurement is empty. Workers that did not measure the same window are an error.
func Merge(workers []Worker) (*Measurement, error) {
	m := &Measurement{Histogram: NewHistogram(), Members: []Member{}, Workers: []WorkerSummary{}}
	ordered := slices.SortedFunc(slices.Values(workers), func(a, b Worker) int { return cmp.Compare(a.Worker, b.Worker) })
	errors := errorCounts{}
	for i, w := range ordered {
		if err := w.check(); err != nil {
			return nil, fmt.Errorf("result of worker %d: %w", w.Worker, err)
		}
		if i == 0 {
			m.open(w)
		} else if err := sameWindow(ordered[i-1], w); err != nil {
			return nil, err
		}
		if err := m.add(w); err != nil {
			return nil, fmt.Errorf("result of worker %d: %w", w.Worker, err)
		}
		for _, e := range w.Errors {
			errors.add(e)
		}
	}
	m.Errors = errors.sorted()
	slices.SortStableFunc(m.Series, func(a, b NamedSeries) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Subject, b.Subject))
	})
	slices.SortStableFunc(m.Members, func(a, b Member) int { return cmp.Compare(a.Member, b.Member) })
	return m, nil
}

func sameWindow(a, b Worker) error {
	switch {
	case a.Worker == b.Worker:
		return fmt.Errorf("two results of worker %d", a.Worker)
	case a.StartMillis != b.StartMillis || a.WindowSeconds != b.WindowSeconds:
		return fmt.Errorf("worker %d measured %d s from %d, worker %d %d s from %d: not the same window",
			a.Worker, a.WindowSeconds, a.StartMillis, b.Worker, b.WindowSeconds, b.StartMillis)
	}
	return nil
}

// open takes the window from the first worker.
func (m *Measurement) open(w Worker) {
	m.Start = time.UnixMilli(w.StartMillis).UTC()
	m.WindowSeconds = w.WindowSeconds
	m.Completed = make([]int64, w.WindowSeconds)
	m.Failed = make([]int64, w.WindowSeconds)
	m.Unit = w.Unit
}

func (m *Measurement) add(w Worker) error {
	histogram, err := decodeHistogram(w.Histogram)
	if err != nil {
		return err
	}
	if err := m.Histogram.Add(histogram); err != nil {
		return err
	}
	for i := range m.WindowSeconds {
		m.Completed[i] += w.CompletedPerSecond[i]
		m.Failed[i] += w.FailedPerSecond[i]
	}
	for _, member := range w.Members {
		m.addMember(member)
	}
	m.Schedule.add(w.Schedule)
	m.addLedger(w.Ledger)
	m.addBlocks(w)
	for _, s := range w.Series {
		m.addSeries(s)
	}
	m.Workers = append(m.Workers, WorkerSummary{
		Worker: w.Worker, Completed: sum(w.CompletedPerSecond), Failed: sum(w.FailedPerSecond),
		MaxLagMicros: w.Schedule.MaxLagMicros, Load: w.Load,
	})
	return nil
}

// addMember keeps, of several observations of a member, the one that missed the fewest scrapes.
func (m *Measurement) addMember(member Member) {
	i := slices.IndexFunc(m.Members, func(known Member) bool { return known.Member == member.Member })
	switch {
	case i < 0:
		m.Members = append(m.Members, member)
	case member.MissedScrapes < m.Members[i].MissedScrapes:
		m.Members[i] = member
	}
}

// addLedger makes the sum, which is checked only if every part is; the first reason is kept.
func (m *Measurement) addLedger(other *Ledger) {
	if other == nil {
		return
	}
	if m.Ledger == nil {
		m.Ledger = &Ledger{Checked: true}
	}
	l := m.Ledger
	l.Checked = l.Checked && other.Checked
	l.Expected += other.Expected
	l.Recorded += other.Recorded
	l.Reason = cmp.Or(l.Reason, other.Reason)
}

func sum(values []int64) int64 {
	var total int64
	for _, v := range values {
		total += v
	}
	return total
}
