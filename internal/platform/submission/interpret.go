// Package submission shares what platforms have in common whose workloads submit transactions, which blocks include: which members
// receive them, in which batches, and what the blocks of the window say.
package submission

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/statistics"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

const (
	// sustainedSpanSeconds is the length of the spans of the sustained rate. sustainedShare is the share of
	// all spans that must reach it.
	sustainedSpanSeconds = 10
	sustainedShare       = 0.8
	// A validator may lag behind by the blocks of behindSeconds plus behindBlocks, because it is sampled once
	// per second.
	behindSeconds = 5
	behindBlocks  = 5
)

// Names of the series of a validator's height that Interpret reads, and the suffix of its subjects.
const (
	SeriesHeight    = "height"
	ConsensusSuffix = "/consensus"
)

// Reason codes of workloads that submit transactions.
const (
	// reasonNoBlocks means that the network decided no block in the window.
	reasonNoBlocks verdict.ReasonCode = "NoBlocks"
	// reasonMemberBehind means that a validator was far behind the others and so did not take part in
	// consensus.
	reasonMemberBehind verdict.ReasonCode = "MemberBehind"
)

// Interpret derives block times, block sizes, and throughput from the blocks. The throughput counts the
// transactions in blocks, not the responses of the nodes.
func Interpret(workload *v1alpha1.Workload, measured *measurement.Measurement) verdict.Interpretation {
	if len(measured.Blocks) == 0 {
		return verdict.Interpretation{Reasons: []verdict.Reason{{Code: reasonNoBlocks, Message: "no block was seen in the window"}}}
	}
	measures := slices.Concat(blockTimeMeasures(measured), blockContentMeasures(measured), throughputMeasures(measured))
	if rate := workload.Load.Rate(); rate > 0 {
		measures = append(measures, measurement.PlatformMetric{Name: "offeredRate", Unit: "tx/s",
			Value: rate, Source: "load.ratePerSecond"})
	}
	return verdict.Interpretation{Measures: measures, Reasons: memberBehindReasons(measured)}
}

// blockTimeMeasures returns the times between consecutive blocks, as one client saw them. Gaps in the list are
// skipped, and percentiles of too few blocks are left out.
func blockTimeMeasures(m *measurement.Measurement) []measurement.PlatformMetric {
	var times []float64
	for i := 1; i < len(m.Blocks); i++ {
		if m.Blocks[i].Height == m.Blocks[i-1].Height+1 {
			times = append(times, float64(m.Blocks[i].Micros-m.Blocks[i-1].Micros)/1000)
		}
	}
	blocks := measurement.PlatformMetric{Name: "blocks", Value: float64(int64(len(m.Blocks)) + m.BlocksOmitted), Source: "seen in the window"}
	if len(times) == 0 {
		return []measurement.PlatformMetric{blocks}
	}
	slices.Sort(times)
	const source = "from one new head to the next, as seen by the driver"
	measures := []measurement.PlatformMetric{blocks, {Name: "blockTimeMean", Unit: "ms", Value: statistics.Mean(times), Source: source}}
	for _, percent := range []float64{50, 99} {
		if int64(len(times)) >= measurement.SamplesForPercentile(percent) {
			measures = append(measures, measurement.PlatformMetric{Name: fmt.Sprintf("blockTimeP%.0f", percent), Unit: "ms",
				Value: nearestRank(times, percent/100), Source: source})
		}
	}
	return append(measures, measurement.PlatformMetric{Name: "blockTimeMax", Unit: "ms", Value: times[len(times)-1], Source: source})
}

func blockContentMeasures(m *measurement.Measurement) []measurement.PlatformMetric {
	var transactions, bytes []float64
	empty := 0
	for _, b := range m.Blocks {
		transactions, bytes = append(transactions, float64(b.Transactions)), append(bytes, float64(b.Bytes))
		if b.Transactions == 0 {
			empty++
		}
	}
	const source = "blocks of the window"
	return []measurement.PlatformMetric{
		{Name: "transactionsPerBlockMean", Value: statistics.Mean(transactions), Source: source},
		{Name: "transactionsPerBlockMax", Value: slices.Max(transactions), Source: source},
		{Name: "blockBytesMean", Unit: "B", Value: statistics.Mean(bytes), Source: source},
		{Name: "blockBytesMax", Unit: "B", Value: slices.Max(bytes), Source: source},
		{Name: "emptyBlocks", Value: float64(empty), Source: source},
	}
}

// countBySecond returns the number of transactions in blocks for each second of the window, by when their block was seen.
func countBySecond(m *measurement.Measurement) []float64 {
	seconds := make([]float64, m.WindowSeconds)
	for _, b := range m.Blocks {
		if second := b.Micros / 1_000_000; second < int64(len(seconds)) {
			seconds[second] += float64(b.Transactions)
		}
	}
	return seconds
}

func throughputMeasures(m *measurement.Measurement) []measurement.PlatformMetric {
	seconds := countBySecond(m)
	all := []measurement.PlatformMetric{
		{Name: "throughputMean", Unit: "tx/s", Value: statistics.Mean(seconds), Source: "transactions in the window's blocks over its length"},
		{Name: "throughputPeak1s", Unit: "tx/s", Value: slices.Max(seconds), Source: "best second of the window"},
	}
	if len(seconds) < sustainedSpanSeconds {
		return all
	}
	spans := spanRates(seconds)
	slices.Sort(spans)
	return append(all,
		measurement.PlatformMetric{Name: "throughputPeak10s", Unit: "tx/s", Value: spans[len(spans)-1], Source: "best 10 s of the window"},
		measurement.PlatformMetric{Name: "throughputSustained", Unit: "tx/s", Value: sustainedRate(spans, sustainedShare),
			Source: "the highest rate that at least 80 % of all spans of 10 s held; one begins with every second"})
}

// spanRates returns the mean rates of all spans of sustainedSpanSeconds. A span begins at every second.
func spanRates(seconds []float64) []float64 {
	var rates []float64
	for i := sustainedSpanSeconds; i <= len(seconds); i++ {
		rates = append(rates, statistics.Mean(seconds[i-sustainedSpanSeconds:i]))
	}
	return rates
}

// memberBehindReasons compares the heights of the validators at the end of the window.
func memberBehindReasons(m *measurement.Measurement) []verdict.Reason {
	heights := m.SeriesByName(SeriesHeight)
	tip := 0.0
	for _, s := range heights {
		tip = max(tip, lastKnownValue(s.Values))
	}
	limit := behindBlocks + math.Ceil(behindSeconds*float64(len(m.Blocks))/float64(m.WindowSeconds))
	var behind []verdict.Reason
	for _, s := range heights {
		last := lastKnownValue(s.Values)
		if lag := tip - last; last > 0 && lag > limit {
			behind = append(behind, verdict.Reason{Code: reasonMemberBehind, Subject: strings.TrimSuffix(s.Subject, ConsensusSuffix), Value: lag, Limit: limit,
				Message: fmt.Sprintf("%.0f blocks behind the others at the end of the window: it took no part in consensus", lag)})
		}
	}
	return behind
}

// lastKnownValue returns the last known value of a series, or 0.
func lastKnownValue(s measurement.Series) float64 {
	for _, v := range slices.Backward(s) {
		if !math.IsNaN(v) {
			return v
		}
	}
	return 0
}

// nearestRank returns the nearest-rank quantile: the smallest of the sorted values such that at least the
// given share of the values is not above it.
func nearestRank(sorted []float64, share float64) float64 {
	at := int(math.Ceil(share*float64(len(sorted))-1e-9)) - 1
	return sorted[max(0, at)]
}

// sustainedRate returns the highest of the sorted values that at least the given share of the values reaches.
func sustainedRate(sorted []float64, share float64) float64 {
	return sorted[len(sorted)-int(math.Ceil(share*float64(len(sorted))-1e-9))]
}
