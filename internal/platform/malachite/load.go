package malachite

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/driver"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// The series that are recorded of the observed validator's own metrics.
const (
	seriesBlocks    = "blocksCounted"
	seriesHeights   = "heightsTimed"
	seriesConsensus = "consensusTime"
	seriesPeers     = "connectedPeers"
)

var validatorSeries = []driver.ObservedSeries{
	{Name: seriesBlocks, Unit: "blocks/s", Metric: "malachite_bench_blocks_total", Kind: driver.SeriesCounter},
	{Name: seriesHeights, Unit: "blocks/s", Metric: "malachite_bench_consensus_time_seconds_count", Kind: driver.SeriesCounter},
	{Name: seriesConsensus, Unit: "s/s", Metric: "malachite_bench_consensus_time_seconds_sum", Kind: driver.SeriesCounter},
	{Name: seriesPeers, Unit: "peers", Metric: "malachitebft_core_consensus_connected_peers", Kind: driver.SeriesGauge},
}

// BuildDriver is the stream of one validator's decisions: the network makes its own.
func (Malachite) BuildDriver(in platform.Input, topology platform.Topology, workload *v1alpha1.Workload) (driver.Driver, error) {
	m, ok := topology.FindMember(observedValidator(workload))
	if !ok {
		return driver.Driver{}, fmt.Errorf("workload %s: the network has no %s", workload.Name, observedValidator(workload))
	}
	orders := driver.NewWorkloadFile(workload)
	orders.Unit = "blocks"
	for _, each := range topology.Members {
		orders.Observe = append(orders.Observe, members.AgentEndpoint(each, portAgent))
	}
	orders.Observe = append(orders.Observe, driver.ObservedEndpoint{Member: m.Name + "/consensus", URL: members.MetricsURL(m, portMetrics), Series: validatorSeries})
	return driver.Driver{
		Image:    in.Images.Image("agent", ""),
		Stream:   "http://" + members.HostPort(m.Host, portHTTP) + "/blocks",
		Workload: orders,
	}, nil
}
