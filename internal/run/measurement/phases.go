package measurement

import (
	"fmt"
	"slices"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

const (
	// maxPhaseOperations is the number of operations whose phases a worker may report.
	maxPhaseOperations = 1000
	// maxPhases is the number of phases that a worker may report and a measurement keeps. Each takes 200 kB of memory.
	maxPhases = 24
	// otherPhases is the name of the phases beyond maxPhases together.
	otherPhases = "Other"
)

// PhaseSamples holds the phases of a random sample of the successful operations that started in the window.
type PhaseSamples struct {
	// Names are the names of the phases in the order in which they first occurred.
	Names []string `json:"names"`
	// Operations has a row for each operation: the second of the window in which it started, and the duration of
	// each phase in microseconds. 0 means that the operation did not have the phase.
	Operations [][]int64 `json:"operations"`
}

// validatePhaseSamples checks the bounds of the samples of a window.
func (p *PhaseSamples) validatePhaseSamples(windowSeconds int) error {
	if p == nil {
		return nil
	}
	if len(p.Names) > maxPhases || len(p.Operations) > maxPhaseOperations {
		return fmt.Errorf("phaseSamples: %d phases of %d operations, at most %d of %d", len(p.Names), len(p.Operations), maxPhases, maxPhaseOperations)
	}
	for i, name := range p.Names {
		if name == "" || len(name) > maxNameBytes || slices.Contains(p.Names[:i], name) {
			return fmt.Errorf("phaseSamples.names[%d]: %.40q is empty, repeated or longer than %d bytes", i, name, maxNameBytes)
		}
	}
	for i, row := range p.Operations {
		if len(row) != 1+len(p.Names) {
			return fmt.Errorf("phaseSamples.operations[%d]: %d values, want a second and %d durations", i, len(row), len(p.Names))
		}
		if row[0] < 0 || row[0] >= int64(windowSeconds) {
			return fmt.Errorf("phaseSamples.operations[%d]: second %d is not in the window of %d s", i, row[0], windowSeconds)
		}
		if slices.Min(row) < 0 || slices.Max(row) > highestMicros {
			return fmt.Errorf("phaseSamples.operations[%d]: a duration is negative or above %d µs", i, int64(highestMicros))
		}
	}
	return nil
}

// slicePhaseSamples returns the operations that started in the seconds [from, to) of the window.
func (p *PhaseSamples) slicePhaseSamples(from, to int64) *PhaseSamples {
	if p == nil {
		return nil
	}
	cut := &PhaseSamples{Names: p.Names}
	for _, row := range p.Operations {
		if row[0] >= from && row[0] < to {
			row = slices.Clone(row)
			row[0] -= from
			cut.Operations = append(cut.Operations, row)
		}
	}
	return cut
}

// OperationPhases says where the latency of sampled operations was spent.
type OperationPhases struct {
	// Operations is the number of sampled operations.
	Operations int64 `json:"operations"`
	// MeanMillis is the mean latency of the sampled operations.
	MeanMillis float64 `json:"meanMillis"`
	// Phases are in the order in which they first occurred.
	Phases []Phase `json:"phases"`
}

// Phase is a phase of the sampled operations.
type Phase struct {
	Name string `json:"name"`
	// Operations is the number of sampled operations that had the phase. Durations are those of these operations.
	Operations int64 `json:"operations"`
	// Share is the share of the time of all sampled operations, 0 to 1.
	Share float64 `json:"share"`
	// Latency describes the durations.
	Latency
}

// phaseTotals sums the phases of the workers' samples.
type phaseTotals struct {
	operations int64
	names      []string
	histograms []*Histogram
	sumMicros  []int64
}

// addPhaseSamples adds the samples of a worker, which must be valid.
func (t *phaseTotals) addPhaseSamples(p *PhaseSamples) error {
	if p == nil || len(p.Operations) == 0 {
		return nil
	}
	positions := make([]int, len(p.Names))
	for i, name := range p.Names {
		positions[i] = t.findOrAdd(name)
	}
	t.operations += int64(len(p.Operations))
	for _, row := range p.Operations {
		for i, micros := range row[1:] {
			if micros == 0 {
				continue
			}
			at := positions[i]
			t.sumMicros[at] += micros
			if err := t.histograms[at].Record(micros); err != nil {
				return fmt.Errorf("phase %q: %w", t.names[at], err)
			}
		}
	}
	return nil
}

// findOrAdd returns the position of a phase, which it adds if it is new, or that of otherPhases if there are too many.
func (t *phaseTotals) findOrAdd(name string) int {
	if i := slices.Index(t.names, name); i >= 0 {
		return i
	}
	if len(t.names) >= maxPhases-1 && name != otherPhases {
		return t.findOrAdd(otherPhases)
	}
	t.names, t.histograms, t.sumMicros = append(t.names, name), append(t.histograms, NewHistogram()), append(t.sumMicros, 0)
	return len(t.names) - 1
}

// Phases returns the phases, or nil without samples.
func (m *Measurement) Phases() *OperationPhases {
	t := &m.phases
	if t.operations == 0 {
		return nil
	}
	total := float64(max(1, statistics.Sum(t.sumMicros)))
	all := &OperationPhases{Operations: t.operations, MeanMillis: float64(statistics.Sum(t.sumMicros)) / float64(t.operations) / 1000}
	for i, name := range t.names {
		h := t.histograms[i]
		if h.Count() == 0 {
			continue
		}
		p := Phase{Name: name, Operations: h.Count(), Share: float64(t.sumMicros[i]) / total, Latency: h.summarizeLatency()}
		p.DropUnsupported(h.Count())
		all.Phases = append(all.Phases, p)
	}
	return all
}
