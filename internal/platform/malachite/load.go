package malachite

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// Names of the series recorded from the observed validator's own metrics.
const (
	seriesBlocks    = "blocksCounted"
	seriesHeights   = "heightsTimed"
	seriesConsensus = "consensusTime"
	seriesPeers     = "connectedPeers"
)

var validatorSeries = []protocol.ObservedSeries{
	{Name: seriesBlocks, Unit: "blocks/s", Metric: "malachite_bench_blocks_total", Kind: protocol.SeriesCounter},
	{Name: seriesHeights, Unit: "blocks/s", Metric: "malachite_bench_consensus_time_seconds_count", Kind: protocol.SeriesCounter},
	{Name: seriesConsensus, Unit: "s/s", Metric: "malachite_bench_consensus_time_seconds_sum", Kind: protocol.SeriesCounter},
	{Name: seriesPeers, Unit: "peers", Metric: "malachitebft_core_consensus_connected_peers", Kind: protocol.SeriesGauge},
}

// BuildDriver returns the block stream of one validator. There is no load driver because the network generates
// its own load.
func (Malachite) BuildDriver(in platform.Input, topology platform.Topology, workload *v1alpha1.Workload) (loadgen.Driver, error) {
	m, ok := topology.FindMember(workload.Malachite.Observe)
	if !ok {
		return loadgen.Driver{}, fmt.Errorf("workload %s: the network has no %s", workload.Name, workload.Malachite.Observe)
	}
	orders := loadgen.NewWorkloadFile(workload)
	orders.Unit = "blocks"
	for _, each := range topology.Members {
		orders.Observe = append(orders.Observe, members.AgentEndpoint(each, portAgent))
	}
	orders.Observe = append(
		orders.Observe,
		protocol.ObservedEndpoint{Member: m.Name + "/consensus", URL: members.MetricsURL(m, portMetrics), Series: validatorSeries},
	)
	return loadgen.Driver{
		Image:    in.Images.Image("agent", ""),
		Stream:   "http://" + members.HostPort(m.Host, portHTTP) + "/blocks",
		Workload: orders,
	}, nil
}
