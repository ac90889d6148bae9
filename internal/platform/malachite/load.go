package malachite

import (
	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/validators"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/protocol"
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
