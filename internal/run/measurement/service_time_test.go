package measurement

import (
	"testing"
)

// TestCorrectionIsBounded corrects the largest histogram with the shortest interval.
func TestCorrectionIsBounded(t *testing.T) {
	h := NewHistogram()
	for latency := int64(1); latency < highestMicros; latency += 1 + latency/500 {
		_ = h.counts.RecordValues(latency, largestCount)
	}
	if c := h.correctForOmission(1); c.Count() < h.Count() {
		t.Errorf("%d corrected of %d latencies", c.Count(), h.Count())
	}
}
