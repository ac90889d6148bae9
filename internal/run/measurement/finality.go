package measurement

// FinalityOf says what becomes final.
type FinalityOf string

const (
	// FinalityOfOperation is the time from the instant at which an operation was due (open loop) or sent (closed loop) until its
	// driver learned that the network cannot undo it, by the driver's monotonic clock.
	FinalityOfOperation FinalityOf = "Operation"
	// FinalityOfBlock is the time from the start of a block's height to its decision, by the observed validator's monotonic clock.
	FinalityOfBlock FinalityOf = "Block"
)

// Finality describes the times until operations or blocks were final, in milliseconds.
type Finality struct {
	Of FinalityOf `json:"of"`
	// Count is the number of operations, or of listed blocks whose start the validator saw.
	Count int64 `json:"count"`
	Latency
}

// summarizeFinality returns the finality, or nil if there is none. That of operations is their latency, since drivers wait until an
// operation is final. Percentiles of too few operations or blocks are nil.
func (m *Measurement) summarizeFinality() *Finality {
	times := m.Histogram
	switch m.FinalityOf {
	case "":
		return nil
	case FinalityOfBlock:
		times = NewHistogram()
		for _, b := range m.Blocks {
			if b.ConsensusMicros > 0 {
				_ = times.Record(b.ConsensusMicros) // It clamps to its range, so it cannot fail.
			}
		}
	}
	if times.Count() == 0 {
		return nil
	}
	f := &Finality{Of: m.FinalityOf, Count: times.Count(), Latency: times.summarizeLatency()}
	f.DropUnsupported(f.Count)
	return f
}
