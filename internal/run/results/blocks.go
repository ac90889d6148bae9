package results

import (
	"cmp"
	"fmt"
	"slices"
)

// MaxBlocks that a worker lists, so that its report fits into a ConfigMap; more are only counted.
const MaxBlocks = 20_000

// Block is a block as a worker saw it decided.
type Block struct {
	Height int64 `json:"height"`
	// Micros since the start of the window at which it was decided, or seen.
	Micros int64 `json:"micros"`
	// Bytes of the block.
	Bytes int64 `json:"bytes"`
	// Transactions in it; 0 where blocks hold none.
	Transactions int64 `json:"transactions"`
	// Round in which it was decided, from 0; a later one means that a proposer failed or was slow.
	Round int32 `json:"round"`
	// Proposer under the name that the platform knows it by.
	Proposer string `json:"proposer,omitempty"`
}

// NamedSeries is one value per second of the window.
type NamedSeries struct {
	// Subject is the member that it is about; empty for the whole network.
	Subject string `json:"subject,omitempty"`
	Name    string `json:"name"`
	Unit    string `json:"unit"`
	// Values, null where nothing was measured.
	Values Series `json:"values"`
}

// validateSeries wants series as long as the window, and blocks in their order within it.
func (w *WorkerResult) validateSeries() error {
	if err := checkResolution(w.SeriesSeconds); err != nil {
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
			return fmt.Errorf("blocks[%d]: %d µs do not lie in a window of %d s", i, b.Micros, w.WindowSeconds)
		}
		if i > 0 && b.Height <= w.Blocks[i-1].Height {
			return fmt.Errorf("blocks[%d]: height %d after height %d", i, b.Height, w.Blocks[i-1].Height)
		}
	}
	return nil
}

// blockTail is the height of the last block that a worker listed, and how many it omitted after that.
type blockTail struct{ height, omitted int64 }

// addBlocks keeps every height once, as the first worker saw it, and at most MaxBlocks of them.
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

// blocksOmitted returns how many blocks are not listed. What one worker omitted may be listed by others, and they may have omitted the same.
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

// addSeries keeps, of several recordings of the same thing, the one with the fewest gaps.
func (m *Merger) addSeries(s NamedSeries) {
	merged, key := m.measurement, seriesKey{s.Subject, s.Name}
	i, known := m.series[key]
	switch {
	case known && len(s.Values.measuredValues()) > len(merged.Series[i].Values.measuredValues()):
		merged.Series[i] = s
	case !known && len(merged.Series) < maxSeries:
		m.series[key] = len(merged.Series)
		merged.Series = append(merged.Series, s)
	}
}

// SeriesByName are all series of that name, by subject.
func (m *Measurement) SeriesByName(name string) []NamedSeries {
	var all []NamedSeries
	for _, s := range m.Series {
		if s.Name == name {
			all = append(all, s)
		}
	}
	return all
}
