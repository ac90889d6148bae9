package malachite

import (
	"github.com/benchnet/benchnet/internal/platform/submission"
	"github.com/benchnet/benchnet/internal/platform/validators"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// gethRequest is a kind of request of a validator to its execution client.
type gethRequest struct{ name, metric, source string }

func (r gethRequest) sumSeries() string   { return r.name + "Time" }
func (r gethRequest) countSeries() string { return r.name + "s" }

var gethRequests = []gethRequest{
	{"build", "malachite_bench_build_seconds", "geth built a block (testing_buildBlockV1)"},
	{"execute", "malachite_bench_execute_seconds", "geth executed a block (engine_newPayload)"},
	{"finalize", "malachite_bench_finalize_seconds", "geth made a block its head (engine_forkchoiceUpdated)"},
}

// seriesExecutionErrors is the name of the series with the failed requests of a validator to its execution client.
const seriesExecutionErrors = "executionErrors"

// evmSeries are the metrics of a validator with an execution client that become series of the result.
var evmSeries = listEVMSeries()

func listEVMSeries() []protocol.ObservedSeries {
	all := []protocol.ObservedSeries{
		{Name: submission.SeriesHeight, Unit: "blocks", Metric: "malachite_bench_height", Kind: protocol.SeriesGauge},
		{Name: validators.SeriesLaterRounds, Unit: "blocks/s", Metric: "malachite_bench_rounds_above_zero_total", Kind: protocol.SeriesCounter},
		{Name: seriesExecutionErrors, Unit: "errors/s", Metric: "malachite_bench_execution_errors_total", Kind: protocol.SeriesCounter},
		{Name: seriesPeers, Unit: "peers", Metric: "malachitebft_core_consensus_connected_peers", Kind: protocol.SeriesGauge},
	}
	for _, r := range gethRequests {
		all = append(all,
			protocol.ObservedSeries{Name: r.sumSeries(), Unit: "s/s", Metric: r.metric + "_sum", Kind: protocol.SeriesCounter},
			protocol.ObservedSeries{Name: r.countSeries(), Unit: "requests/s", Metric: r.metric + "_count", Kind: protocol.SeriesCounter})
	}
	return all
}
