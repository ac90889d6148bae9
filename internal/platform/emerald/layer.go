package emerald

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
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

// DerivedSettings returns the settings of every member, each with its source.
func (Emerald) DerivedSettings(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting {
	e := spec.Platform.Emerald
	return layerOf(spec).DerivedSettings(spec, v1alpha1.DerivedSetting{
		Name: "validatorRuntime", Value: describeRuntime(e),
		Source: platform.SettingSource(e.Threads != nil, "spec.platform.emerald.threads", "Emerald's own default")})
}

func describeRuntime(e *v1alpha1.EmeraldPlatform) string {
	if e.Threads == nil {
		return "one thread"
	}
	return fmt.Sprintf("%d threads", *e.Threads)
}
