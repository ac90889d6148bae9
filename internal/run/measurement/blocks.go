package measurement

import (
	"cmp"
	"fmt"
	"slices"
)

// MaxBlocks is the number of blocks that a worker lists, so that its report fits into a ConfigMap. Further
// blocks are only counted.
const MaxBlocks = 20_000

// Block is a block that a worker saw decided.
type Block struct {
	Height int64 `json:"height"`
	// Micros is when the block was decided or seen, in microseconds since the start of the window.
	Micros int64 `json:"micros"`
	// ConsensusMicros is the time from the start of the height to the decision in microseconds; absent if the worker does not
	// know it.
	ConsensusMicros int64 `json:"consensusMicros,omitempty"`
	// Bytes is the size of the block.
	Bytes int64 `json:"bytes"`
	// Transactions is the number of transactions in the block; 0 where blocks hold none.
	Transactions int64 `json:"transactions"`
	// GasUsed is the gas that the transactions of the block used; absent on platforms without gas.
	GasUsed int64 `json:"gasUsed,omitempty"`
	// Round is the consensus round, from 0, in which the block was decided. A later round means that a proposer
	// failed or was slow.
	Round int32 `json:"round"`
	// Proposer is the name of the proposer on the platform.
	Proposer string `json:"proposer,omitempty"`
}

// NamedSeries is a series of values over the window, with its name and unit.
type NamedSeries struct {
	// Subject is the member that the series describes; empty for the whole network.
	Subject string `json:"subject,omitempty"`
	Name    string `json:"name"`
	Unit    string `json:"unit"`
	// Values are the values; null where nothing was measured.
	Values Series `json:"values"`
}

// validateSeries checks that each series is as long as the window and that the blocks lie in it, in the order
// of their heights.
func (w *WorkerResult) validateSeries() error {
	if err := CheckResolution(w.SeriesSeconds); err != nil {
		return err
	}
	want := seriesLength(w.WindowSeconds, w.SeriesSeconds)
	for i, s := range w.Series {
		if max(len(s.Subject), len(s.Name), len(s.Unit)) > maxNameBytes {
			return fmt.Errorf("series[%d]: a name is longer than %d bytes", i, maxNameBytes)
		}
		if s.Name == "" || len(s.Values) != want {
			return fmt.Errorf("series[%d] (%s %s): %d values, want %d for %d seconds", i, s.Subject, s.Name, len(s.Values), want, w.WindowSeconds)
		}
	}
	if len(w.Blocks) > MaxBlocks {
		return fmt.Errorf("blocks: %d are more than %d", len(w.Blocks), MaxBlocks)
	}
	for i, b := range w.Blocks {
		if len(b.Proposer) > maxNameBytes {
			return fmt.Errorf("blocks[%d]: the name of the proposer is longer than %d bytes", i, maxNameBytes)
		}
		if b.Micros < 0 || b.Micros >= int64(w.WindowSeconds)*1e6 {
			return fmt.Errorf("blocks[%d]: %d µs is outside a window of %d s", i, b.Micros, w.WindowSeconds)
		}
		if i > 0 && b.Height <= w.Blocks[i-1].Height {
			return fmt.Errorf("blocks[%d]: height %d after height %d", i, b.Height, w.Blocks[i-1].Height)
		}
	}
	return nil
}

// blockTail holds the height of the last block that a worker listed and the number of blocks that the worker
// omitted after it.
type blockTail struct{ height, omitted int64 }

// addBlocks keeps each height once, as the first worker saw it, and at most MaxBlocks of them.
func (m *Merger) addBlocks(w *WorkerResult) {
	tail := blockTail{omitted: w.BlocksOmitted}
	for _, b := range w.Blocks {
		m.heights = append(m.heights, b.Height)
		tail.height = b.Height
	}
	m.tails = append(m.tails, tail)
	all := slices.Concat(m.measurement.Blocks, w.Blocks)
	slices.SortStableFunc(all, func(a, b Block) int { return cmp.Compare(a.Height, b.Height) })
	all = slices.CompactFunc(all, func(a, b Block) bool { return a.Height == b.Height })
	m.measurement.Blocks = all[:min(len(all), MaxBlocks)]
}

// blocksOmitted returns how many blocks are not listed. Other workers may list the blocks that one worker
// omitted, and several workers may omit the same blocks.
func (m *Merger) blocksOmitted() int64 {
	slices.Sort(m.heights)
	m.heights = slices.Compact(m.heights)
	var unlisted int64
	for _, tail := range m.tails {
		next, _ := slices.BinarySearch(m.heights, tail.height+1)
		unlisted = max(unlisted, tail.omitted-int64(len(m.heights)-next))
	}
	return int64(len(m.heights)-len(m.measurement.Blocks)) + unlisted
}

// addSeries keeps the recording with the fewest gaps if several workers recorded the same series.
func (m *Merger) addSeries(s NamedSeries) {
	merged, key := m.measurement, seriesKey{s.Subject, s.Name}
	i, known := m.series[key]
	switch {
	case known && len(s.Values.Measured()) > len(merged.Series[i].Values.Measured()):
		merged.Series[i] = s
	case !known && len(merged.Series) < maxSeries:
		m.series[key] = len(merged.Series)
		merged.Series = append(merged.Series, s)
	}
}

// SeriesByName returns all series of that name, one for each subject.
func (m *Measurement) SeriesByName(name string) []NamedSeries {
	var all []NamedSeries
	for _, s := range m.Series {
		if s.Name == name {
			all = append(all, s)
		}
	}
	return all
}
