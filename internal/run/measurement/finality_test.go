package measurement

import "testing"

// TestFinality checks that finality is the latency of operations and the consensus time of listed blocks, and what is left out with few
// of them.
func TestFinality(t *testing.T) {
	m := &Measurement{Histogram: NewHistogram()}
	for i := range int64(100) {
		b := Block{Height: i, ConsensusMicros: 1000 * (i + 1)}
		if i < 50 {
			b.ConsensusMicros = 0 // The validator did not see the start of the height.
		}
		m.Blocks = append(m.Blocks, b)
		if err := m.Histogram.Record(5000); err != nil {
			t.Fatal(err)
		}
	}
	if f := m.Summarize().Finality; f != nil {
		t.Errorf("without a definition: got %+v", f)
	}
	m.FinalityOf = FinalityOfOperation
	if f := m.Summarize().Finality; f == nil || f.Of != FinalityOfOperation || f.Count != 100 || f.Mean != m.Summarize().Latency.Mean || f.P90 == nil || f.P95 != nil {
		t.Errorf("operations: got %+v, want their latency", f)
	}
	m.FinalityOf = FinalityOfBlock
	f := m.Summarize().Finality
	if f == nil || f.Count != 50 || f.P50 == nil || f.P95 != nil || !near(f.Mean, 75.5) || !near(*f.P50, 75) || !near(f.Max, 100) {
		t.Errorf("blocks: got %+v, want 50 of 51 to 100 ms", f)
	}
	m.Blocks = m.Blocks[:50]
	if f := m.Summarize().Finality; f != nil {
		t.Errorf("blocks without a start: got %+v", f)
	}
}

// near reports whether a value from a histogram is as wanted, to its three digits.
func near(got, want float64) bool { return got > want*0.999 && got < want*1.001 }
