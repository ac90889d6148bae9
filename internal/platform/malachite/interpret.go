package malachite

import (
	"fmt"
	"math"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// Reason codes of this platform.
const (
	// RoundsAboveZero (note) means that blocks took more than one round. Between two rounds the validators
	// wait for a timeout.
	RoundsAboveZero verdict.ReasonCode = "RoundsAboveZero"
	// BlockSizeDiffers means that a block did not have the configured size, so the run measured something
	// else.
	BlockSizeDiffers verdict.ReasonCode = "BlockSizeDiffers"
	// EmptyBlocks (note) means that blocks had no transactions although there were some.
	EmptyBlocks verdict.ReasonCode = "EmptyBlocks"
	// ExecutionErrors (note) means that a validator's execution client failed to answer.
	ExecutionErrors verdict.ReasonCode = "ExecutionErrors"
)

// blockTally holds the totals over the blocks of a window.
type blockTally struct {
	blocks, bytes, laterRounds, otherSizes float64
}

func tallyBlocks(blocks []measurement.Block, size int64) blockTally {
	var t blockTally
	for _, b := range blocks {
		t.blocks++
		t.bytes += float64(b.Bytes)
		if b.Round > 0 {
			t.laterRounds++
		}
		if b.Bytes != size {
			t.otherSizes++
		}
	}
	return t
}

// Interpret returns block times, rates of blocks, bytes and transactions, and the rounds of the observed
// blocks.
func (Malachite) Interpret(
	spec *v1alpha1.BenchmarkNetworkSpec, workload *v1alpha1.Workload, measured *measurement.Measurement,
) verdict.Interpretation {
	size := spec.Platform.Malachite.BlockSize
	t := tallyBlocks(measured.Blocks, size.Value())
	if t.blocks == 0 || measured.WindowSeconds == 0 {
		return verdict.Interpretation{}
	}
	i := verdict.Interpretation{Measures: append(blockTimeMeasures(measured, workload.Malachite.Observe), t.rateMeasures(measured, workload.Malachite)...)}
	if mean, known := meanMillis(measured, seriesConsensus, seriesHeights); known {
		i.Measures = append(i.Measures, measurement.PlatformMetric{Name: "consensusTimeMean", Value: mean, Unit: "ms",
			Source: "start of a height to its decision, by the observed validator's own histogram"})
	}
	if t.laterRounds > 0 {
		i.Notes = append(i.Notes, verdict.Reason{Code: RoundsAboveZero, Subject: workload.Malachite.Observe, Value: t.laterRounds,
			Message: laterRoundsMessage(t.laterRounds, t.blocks)})
	}
	if t.otherSizes > 0 {
		i.Reasons = append(i.Reasons, verdict.Reason{Code: BlockSizeDiffers, Subject: workload.Malachite.Observe, Value: t.otherSizes,
			Message: fmt.Sprintf("%.0f of %.0f blocks did not have the requested size of %s", t.otherSizes, t.blocks, size.String())})
	}
	return i
}

func laterRoundsMessage(later, blocks float64) string {
	return fmt.Sprintf("%.0f of %.0f blocks were decided in a later round than the first: a proposal was missing or late, "+
		"so their times include timeouts", later, blocks)
}

// blockTimeMeasures returns the block times from the histogram. It holds all intervals that end in the window,
// to three digits. Percentiles of too few blocks are left out.
func blockTimeMeasures(m *measurement.Measurement, observed string) []measurement.PlatformMetric {
	source := "time from decision to decision as " + observed + " saw them"
	l := m.Summarize().Latency
	measures := []measurement.PlatformMetric{{Name: "blockTimeMean", Value: l.Mean, Unit: "ms", Source: source}}
	if l.P50 != nil {
		measures = append(measures, measurement.PlatformMetric{Name: "blockTimeP50", Value: *l.P50, Unit: "ms", Source: source})
	}
	if l.P99 != nil {
		measures = append(measures, measurement.PlatformMetric{Name: "blockTimeP99", Value: *l.P99, Unit: "ms", Source: source})
	}
	return append(measures, measurement.PlatformMetric{Name: "blockTimeMax", Value: l.Max, Unit: "ms", Source: source})
}

// rateMeasures returns the rates over the window. If there were too many blocks to list, the listed ones serve
// as a sample.
func (t blockTally) rateMeasures(m *measurement.Measurement, w *v1alpha1.MalachiteWorkload) []measurement.PlatformMetric {
	perSecond := (t.blocks + float64(m.BlocksOmitted)) / float64(m.WindowSeconds)
	bytes := perSecond * t.bytes / t.blocks
	return []measurement.PlatformMetric{
		{Name: "blocksPerSecond", Value: perSecond, Unit: "blocks/s", Source: "blocks decided in the window / its length"},
		{Name: "bytesPerSecond", Value: bytes, Unit: "B/s", Source: "bytes of those blocks / the window's length"},
		{Name: "transactionsPerSecond", Value: bytes / float64(w.TransactionBytes), Unit: "transactions/s",
			Source: fmt.Sprintf("bytesPerSecond / %d bytes of a transaction (workload.malachite.transactionBytes)", w.TransactionBytes)},
		{Name: "roundsAboveZero", Value: t.laterRounds, Unit: "blocks", Source: "blocks decided in a later round than the first"},
		{Name: "roundsAboveZeroShare", Value: 100 * t.laterRounds / t.blocks, Unit: "%", Source: "roundsAboveZero / blocks"},
	}
}

// meanMillis returns the mean over the window in milliseconds, from the rates of the sums and counts of the validators' histograms.
// Only seconds with both rates count, weighted by their counts.
func meanMillis(m *measurement.Measurement, sumSeries, countSeries string) (millis float64, known bool) {
	counts := map[string]measurement.Series{}
	for _, s := range m.SeriesByName(countSeries) {
		counts[s.Subject] = s.Values
	}
	var sum, count float64
	for _, seconds := range m.SeriesByName(sumSeries) {
		for i, n := range counts[seconds.Subject] {
			if s := seconds.Values[i]; !math.IsNaN(n) && !math.IsNaN(s) {
				sum, count = sum+s, count+n
			}
		}
	}
	if count == 0 {
		return 0, false
	}
	return 1000 * sum / count, true
}
