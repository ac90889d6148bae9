package emerald

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/execution"
	"github.com/benchnet/benchnet/internal/platform/sizing"
	"github.com/benchnet/benchnet/internal/platform/submission"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/verdict"
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

// FinalityOf returns operations: an execution client announces a block as its head after the decision.
func (Emerald) FinalityOf(*v1alpha1.Workload) measurement.FinalityOf {
	return measurement.FinalityOfOperation
}

// ValidateWorkload rejects a workload that the network cannot serve.
func (Emerald) ValidateWorkload(spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	return layerOf(spec).ValidateWorkload(spec, w, path)
}

// SummarizeWorkloads returns one workload with the transactions of all.
func (Emerald) SummarizeWorkloads(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.Workload {
	return []v1alpha1.Workload{sizing.NewSummary(execution.PlanStorage(spec).Transactions)}
}

// SupportsPoisson reports that the driver draws the size of each batch.
func (Emerald) SupportsPoisson(*v1alpha1.Workload) bool { return true }

// BuildDriver returns the EVM driver.
func (Emerald) BuildDriver(in platform.Input, topology platform.Topology, workload *v1alpha1.Workload) (loadgen.Driver, error) {
	return layerOf(&in.Network.Spec).BuildDriver(in, topology, workload)
}

// Interpret derives block times, block sizes and throughput from the blocks.
func (Emerald) Interpret(
	spec *v1alpha1.BenchmarkNetworkSpec, workload *v1alpha1.Workload, measured *measurement.Measurement,
) verdict.Interpretation {
	return layerOf(spec).Interpret(spec, workload, measured)
}
