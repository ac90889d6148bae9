package malachite

import (
	"github.com/benchnet/benchnet/internal/platform/execution"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// executedRequest is a kind of request of a validator to its execution client.
type executedRequest struct{ name, metric, source string }

func (r executedRequest) sumSeries() string   { return r.name + "Time" }
func (r executedRequest) countSeries() string { return r.name + "s" }

var executedRequests = []executedRequest{
	{"build", "malachite_bench_build_seconds", "geth built a block (testing_buildBlockV1)"},
	{"execute", "malachite_bench_execute_seconds", "geth executed a block (engine_newPayload)"},
	{"finalize", "malachite_bench_finalize_seconds", "geth made a block its head (engine_forkchoiceUpdated)"},
}

// Names of series with events of a validator.
const (
	seriesLaterRounds     = "laterRounds"
	seriesExecutionErrors = "executionErrors"
)

// executedSeries are the metrics of a validator with an execution client that become series of the result.
var executedSeries = listExecutedSeries()

func listExecutedSeries() []protocol.ObservedSeries {
	all := []protocol.ObservedSeries{
		{Name: execution.SeriesHeight, Unit: "blocks", Metric: "malachite_bench_height", Kind: protocol.SeriesGauge},
		{Name: seriesLaterRounds, Unit: "blocks/s", Metric: "malachite_bench_rounds_above_zero_total", Kind: protocol.SeriesCounter},
		{Name: seriesExecutionErrors, Unit: "errors/s", Metric: "malachite_bench_execution_errors_total", Kind: protocol.SeriesCounter},
		{Name: seriesPeers, Unit: "peers", Metric: "malachitebft_core_consensus_connected_peers", Kind: protocol.SeriesGauge},
	}
	for _, r := range executedRequests {
		all = append(all,
			protocol.ObservedSeries{Name: r.sumSeries(), Unit: "s/s", Metric: r.metric + "_sum", Kind: protocol.SeriesCounter},
			protocol.ObservedSeries{Name: r.countSeries(), Unit: "requests/s", Metric: r.metric + "_count", Kind: protocol.SeriesCounter})
	}
	return all
}
