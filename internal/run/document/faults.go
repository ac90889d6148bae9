package document

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/resilience"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// FaultResult is a declared fault with its evidence and its effects.
type FaultResult struct {
	Name string                `json:"name"`
	Type measurement.FaultType `json:"type"`
	// Description is the type with the fault's strength, and the other side of a partition or of links. Documents of older versions lack it.
	Description string `json:"description,omitempty"`
	// AtSeconds is when the fault was due, in seconds of the window, and DurationSeconds how long it was to last.
	AtSeconds       int `json:"atSeconds"`
	DurationSeconds int `json:"durationSeconds"`
	// Targets are the containers of the fault.
	Targets []FaultTarget `json:"targets"`
	// Score is absent unless the fault is proved on every target.
	Score *resilience.Score `json:"score,omitempty"`
}

// FaultTarget is a container of a fault with what its agent observed. Its instants are in seconds of the window.
type FaultTarget struct {
	Member string                 `json:"member"`
	Kind   measurement.MemberKind `json:"kind,omitempty"`
	measurement.FaultEffect
}

// AddFaults adds the faults of a measurement with their scores, and the availability since the first. due holds the operations that were due
// in each second of an open load; it is nil in closed loops, and where the network makes its own load.
func (r *RunResult) AddFaults(m *measurement.Measurement, due []float64) {
	var spans []resilience.Span
	var scored []int
	for _, f := range m.Faults {
		last := len(r.Faults) - 1
		if last < 0 || r.Faults[last].Name != f.Name {
			r.Faults = append(r.Faults, FaultResult{Name: f.Name, Type: f.Type, Description: f.Describe(), AtSeconds: f.AtSeconds, DurationSeconds: f.DurationSeconds})
			last++
		}
		r.Faults[last].Targets = append(r.Faults[last].Targets, FaultTarget{f.Member, f.Kind, f.FaultEffect})
	}
	for i := range r.Faults {
		if span, ok := r.Faults[i].Span(); ok {
			spans, scored = append(spans, span), append(scored, i)
		}
	}
	window := resilience.Window{Completed: m.Completed, Due: due}
	window.LatencySeconds, window.Latencies = m.IntervalLatencies()
	for i, score := range resilience.ScoreFaults(window, spans) {
		r.Faults[scored[i]].Score = &score
	}
	if first, ok := m.FirstFaultSeconds(); ok {
		r.Availability = new(window.MeasureAvailability(first))
	}
}

// ResilienceColumns are the headings of the cells that DescribeResilience returns.
var ResilienceColumns = slices.Concat(resilience.AvailabilityColumns, []string{"Lost", "Doubled", "Late", "Problem"})

// DescribeResilience returns the availability since the first fault, and the numbers of lost, doubled and late operations as in Ledger, as
// cells of a table. A cell without a value is empty. It returns nil for a run without faults.
func (r *RunResult) DescribeResilience() []string {
	if r.Availability == nil {
		return nil
	}
	cells, ledger := r.Availability.Describe(), cmp.Or(r.Ledger, &measurement.Ledger{})
	for _, n := range []*int64{ledger.Lost, ledger.Doubled, ledger.Late} {
		cell := ""
		if n != nil {
			cell = strconv.FormatInt(*n, 10)
		}
		cells = append(cells, cell)
	}
	return append(cells, r.Availability.Problem)
}

// Describe returns what the fault does.
func (f *FaultResult) Describe() string { return cmp.Or(f.Description, string(f.Type)) }

// Subject names the container as findings do.
func (t *FaultTarget) Subject() string { return verdict.FaultSubject(t.Member, t.Kind) }

// DescribeEvidence returns what proves the fault, or why it is not proved, in one line.
func (t *FaultTarget) DescribeEvidence() string {
	if t.Problem != "" {
		return t.Problem
	}
	return fmt.Sprintf("before: %s; during: %s; after: %s", t.Before, t.During, t.After)
}

// Span returns the time from the first injection to the last heal, and whether the fault is proved on every target.
func (f *FaultResult) Span() (resilience.Span, bool) {
	s := resilience.Span{Name: f.Name, FromSeconds: math.Inf(1)}
	for _, t := range f.Targets {
		if !t.IsProved() {
			return s, false
		}
		s.FromSeconds, s.HealedSeconds = min(s.FromSeconds, t.Injected.FromSeconds), max(s.HealedSeconds, t.Healed.ToSeconds)
	}
	return s, len(f.Targets) > 0
}
