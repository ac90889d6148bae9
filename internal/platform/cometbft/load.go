package cometbft

import (
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/cometbft/transactions"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/submission"
	"github.com/benchnet/benchnet/internal/platform/validators"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// validatorSeries are the metrics of a validator that become series of the result.
var validatorSeries = []protocol.ObservedSeries{
	{Name: "blocksCounted", Unit: "blocks/s", Metric: "cometbft_bench_blocks_total", Kind: protocol.SeriesCounter},
	{Name: submission.SeriesHeight, Unit: "blocks", Metric: "cometbft_bench_height", Kind: protocol.SeriesGauge},
	{Name: validators.SeriesLaterRounds, Unit: "blocks/s", Metric: "cometbft_bench_rounds_above_zero_total", Kind: protocol.SeriesCounter},
	{Name: "connectedPeers", Unit: "peers", Metric: "cometbft_p2p_peers", Kind: protocol.SeriesGauge},
}

// BuildDriver returns the block stream of one validator, or the driver that sends transactions to members.
func (CometBFT) BuildDriver(in platform.Input, topology platform.Topology, workload *v1alpha1.Workload) (loadgen.Driver, error) {
	if workload.Blocks != nil {
		return validators.BuildBlockStream(in, topology, workload, validatorSeries)
	}
	w := workload.CometBFT
	orders := loadgen.NewWorkloadFile(workload)
	orders.Unit = transactions.OperationUnit
	for _, m := range topology.Members {
		orders.Observe = append(orders.Observe, members.AgentEndpoint(m, validators.PortAgent), protocol.ObservedEndpoint{
			Member: m.Name + submission.ConsensusSuffix, URL: members.MetricsURL(m, validators.PortMetrics), Series: validatorSeries})
	}
	operation := transactions.Operation{TransactionBytes: int(w.TransactionBytes), Method: transactions.Method(strings.ToLower(string(w.Method)))}
	operation.BatchSize, operation.BatchIntervalMillis = submission.BatchFields(&w.Batches)
	orders.Operation = operation
	var err error
	orders.Targets, err = submission.BuildTargets(&in.Network.Spec, topology, workload, &w.Batches,
		func(m platform.Member) string { return "http://" + members.HostPort(m.Host, portRPC) })
	return loadgen.Driver{Image: in.Images.Image("cometbft-client", ""), Command: []string{"/cometbft", "drive"}, Workload: orders}, err
}

// Interpret returns what the observed blocks say, or the blocks with the transactions of clients.
func (CometBFT) Interpret(
	spec *v1alpha1.BenchmarkNetworkSpec, workload *v1alpha1.Workload, measured *measurement.Measurement,
) verdict.Interpretation {
	if workload.Blocks != nil {
		return validators.InterpretBlocks(blockSizeOf(spec.Platform.CometBFT), workload, measured)
	}
	i := submission.Interpret(workload, measured)
	i.Notes = append(i.Notes, validators.NoteLaterRounds(measured)...)
	return i
}
