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

// checkSeries wants series as long as the window, and blocks in their order within it.
func (w *Worker) checkSeries() error {
	for i, s := range w.Series {
		if s.Name == "" || len(s.Values) != w.WindowSeconds {
			return fmt.Errorf("series[%d] (%s %s): %d values for %d seconds", i, s.Subject, s.Name, len(s.Values), w.WindowSeconds)
		}
	}
	if len(w.Blocks) > MaxBlocks {
		return fmt.Errorf("blocks: %d are more than %d", len(w.Blocks), MaxBlocks)
	}
	for i, b := range w.Blocks {
		if b.Micros < 0 || b.Micros >= int64(w.WindowSeconds)*1e6 {
			return fmt.Errorf("blocks[%d]: %d µs do not lie in a window of %d s", i, b.Micros, w.WindowSeconds)
		}
		if i > 0 && b.Height <= w.Blocks[i-1].Height {
			return fmt.Errorf("blocks[%d]: height %d after height %d", i, b.Height, w.Blocks[i-1].Height)
		}
	}
	return nil
}

// addBlocks keeps every height once, as the first worker saw it.
func (m *Measurement) addBlocks(w Worker) {
	m.BlocksOmitted = max(m.BlocksOmitted, w.BlocksOmitted)
	byHeight := func(b Block, height int64) int { return cmp.Compare(b.Height, height) }
	for _, b := range w.Blocks {
		if at, found := slices.BinarySearchFunc(m.Blocks, b.Height, byHeight); !found {
			m.Blocks = slices.Insert(m.Blocks, at, b)
		}
	}
}

// addSeries keeps, of several recordings of the same thing, the one with the fewest gaps.
func (m *Measurement) addSeries(s NamedSeries) {
	i := slices.IndexFunc(m.Series, func(known NamedSeries) bool { return known.Subject == s.Subject && known.Name == s.Name })
	switch {
	case i < 0:
		m.Series = append(m.Series, s)
	case len(s.Values.known()) > len(m.Series[i].Values.known()):
		m.Series[i] = s
	}
}

// SeriesNamed are all series of that name, by subject.
func (m *Measurement) SeriesNamed(name string) []NamedSeries {
	var all []NamedSeries
	for _, s := range m.Series {
		if s.Name == name {
			all = append(all, s)
		}
	}
	return all
}
