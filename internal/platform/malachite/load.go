package malachite

import (
	"math"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/validators"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// Names of the series recorded from the observed validator's own metrics.
const (
	seriesBlocks = "blocksCounted"
	seriesPeers  = "connectedPeers"
)

var validatorSeries = []protocol.ObservedSeries{
	{Name: seriesBlocks, Unit: "blocks/s", Metric: "malachite_bench_blocks_total", Kind: protocol.SeriesCounter},
	{Name: seriesPeers, Unit: "peers", Metric: "malachitebft_core_consensus_connected_peers", Kind: protocol.SeriesGauge},
}

// BuildDriver returns the block stream of one validator.
func (Malachite) BuildDriver(in platform.Input, topology platform.Topology, workload *v1alpha1.Workload) (loadgen.Driver, error) {
	return validators.BuildBlockStream(in, topology, workload, validatorSeries)
}

// Reason codes of this platform.
const (
	// EmptyBlocks (note) means that blocks had no transactions although there were some.
	EmptyBlocks verdict.ReasonCode = "EmptyBlocks"
	// ExecutionErrors (note) means that a validator's execution client failed to answer.
	ExecutionErrors verdict.ReasonCode = "ExecutionErrors"
)

// Interpret returns what the observed blocks say.
func (Malachite) Interpret(
	spec *v1alpha1.BenchmarkNetworkSpec, workload *v1alpha1.Workload, measured *measurement.Measurement,
) verdict.Interpretation {
	return validators.InterpretBlocks(spec.Platform.Malachite.BlockSize, workload, measured)
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
