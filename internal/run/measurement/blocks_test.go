package measurement

import (
	"reflect"
	"strings"
	"testing"
)

func newResultWithBlocks(t *testing.T, index int, blocks ...Block) WorkerResult {
	t.Helper()
	w := newWorkerResult(t, index, 10, 20, 30)
	w.Unit, w.Blocks = "blocks", blocks
	return w
}

// TestMergeDeduplicatesBlocks checks that each block that several workers list occurs once, in order.
func TestMergeDeduplicatesBlocks(t *testing.T) {
	a := newResultWithBlocks(t, 0, Block{Height: 7, Micros: 100, Proposer: "a"}, Block{Height: 9, Micros: 2_000_000})
	b := newResultWithBlocks(t, 1, Block{Height: 7, Micros: 130, Proposer: "b"}, Block{Height: 8, Micros: 1_000_000}, Block{Height: 10, Micros: 2_900_000})
	b.BlocksOmitted = 3
	m := mergeWorkers(t, a, b)
	var heights []int64
	for _, block := range m.Blocks {
		heights = append(heights, block.Height)
	}
	if want := []int64{7, 8, 9, 10}; !reflect.DeepEqual(heights, want) || m.Blocks[0].Proposer != "a" {
		t.Errorf("got blocks %+v, want heights %v, the first as worker 0 saw it", m.Blocks, want)
	}
	if m.BlocksOmitted != 3 || m.Unit != "blocks" || m.Summarize().Unit != "blocks" {
		t.Errorf("omitted %d, unit %q", m.BlocksOmitted, m.Unit)
	}
}

// TestBlocksAreOmittedOnce merges workers of a chain of 25,000 blocks that list at most 20,000 each.
func TestBlocksAreOmittedOnce(t *testing.T) {
	const total = 25_000
	list := func(index int, first, last, omitted int64) WorkerResult {
		w := newResultWithBlocks(t, index)
		for height := first; height <= last; height++ {
			w.Blocks = append(w.Blocks, Block{Height: height, Micros: height})
		}
		w.BlocksOmitted = omitted
		return w
	}
	for name, workers := range map[string][]WorkerResult{
		"all saw the same":                       {list(0, 1, MaxBlocks, 5000), list(1, 1, MaxBlocks, 5000)},
		"the second lists what the first omits":  {list(0, 1, MaxBlocks, 5000), list(1, 5001, total, 0)},
		"the first lists what the second omits":  {list(0, 5001, total, 0), list(1, 1, MaxBlocks, 5000)},
		"the third lists what was dropped":       {list(0, 1, MaxBlocks, 0), list(1, MaxBlocks+1, total, 0), list(2, MaxBlocks+1, total, 0)},
		"each lists another part":                {list(0, 1, 10_000, 0), list(1, 10_001, 22_000, 0), list(2, 22_001, total, 0)},
		"one lists nothing and omits everything": {list(0, 1, MaxBlocks, 5000), list(1, 1, 0, total)},
	} {
		t.Run(name, func(t *testing.T) {
			m := mergeWorkers(t, workers...)
			if len(m.Blocks) != MaxBlocks || m.BlocksOmitted != total-MaxBlocks {
				t.Errorf("%d blocks are listed and %d omitted, want %d and %d", len(m.Blocks), m.BlocksOmitted, MaxBlocks, total-MaxBlocks)
			}
		})
	}
}

func TestSeriesWithTheFewestGapsIsKept(t *testing.T) {
	a, b := newWorkerResult(t, 0, 10, 20, 30), newWorkerResult(t, 1, 10, 20, 30)
	a.Series = []NamedSeries{{Subject: "member-0", Name: "pending", Unit: "transactions", Values: Series{1, Missing, 3}}}
	b.Series = []NamedSeries{
		{Subject: "member-0", Name: "pending", Unit: "transactions", Values: Series{4, 5, 6}},
		{Subject: "member-1", Name: "pending", Unit: "transactions", Values: Series{7, 8, 9}},
	}
	got := mergeWorkers(t, a, b).SeriesByName("pending")
	if len(got) != 2 || got[0].Values[1] != 5 || got[1].Subject != "member-1" {
		t.Errorf("got %+v", got)
	}
}

func TestValidateBlocksAndSeries(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*WorkerResult)
		says   string
	}{
		"a block after the window":   {func(w *WorkerResult) { w.Blocks = []Block{{Height: 1, Micros: 3_000_000}} }, "blocks[0]: 3000000 µs is outside a window of 3 s"},
		"a height twice":             {func(w *WorkerResult) { w.Blocks = []Block{{Height: 1}, {Height: 1, Micros: 5}} }, "blocks[1]: height 1 after height 1"},
		"a series of another length": {func(w *WorkerResult) { w.Series = []NamedSeries{{Name: "pending", Values: Series{1}}} }, "1 values, want 3 for 3 seconds"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkerResult(t, 0, 10, 20, 30)
			row.change(&w)
			if err := w.validate(); err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("got %v, want %q", err, row.says)
			}
		})
	}
}
