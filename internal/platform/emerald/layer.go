package emerald

import (
	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/execution"
	"github.com/benchnet/benchnet/internal/platform/submission"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// validatorSeries are the metrics of a validator that become series of the result.
var validatorSeries = []protocol.ObservedSeries{
	{Name: submission.SeriesHeight, Unit: "blocks", Metric: "malachitebft_core_consensus_height", Kind: protocol.SeriesGauge},
	{Name: "round", Metric: "malachitebft_core_consensus_round", Kind: protocol.SeriesGauge},
	{Name: "consensusPeers", Metric: "malachitebft_core_consensus_connected_peers", Kind: protocol.SeriesGauge},
	{Name: "chainBytes", Unit: "B/s", Metric: "app_channel_chain_bytes_total", Kind: protocol.SeriesCounter},
}

func layerOf(spec *v1alpha1.BenchmarkNetworkSpec) *execution.Layer {
	e := spec.Platform.Emerald
	return &execution.Layer{
		Platform: Emerald{}, Field: "emerald", Client: e.Execution, ChainID: e.ChainID, GasLimit: e.GasLimit,
		Accounts: e.Accounts, AccountBalanceEther: e.AccountBalanceEther, DataDir: dataDir,
		Validator:  execution.Validator{AgentPort: portAgent, MetricsPort: portMetrics, Series: validatorSeries},
		OwnedFlags: map[string]string{"ipcdisable": ""},
	}
}
