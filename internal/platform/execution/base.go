package execution

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/sizing"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// Base has what all platforms with execution clients have in common. They embed it.
type Base struct {
	// LayerOf returns the execution layer of a network.
	LayerOf func(spec *v1alpha1.BenchmarkNetworkSpec) *Layer
}

// Credentials returns nil: the genesis Job generates all secrets.
func (Base) Credentials(platform.Topology) []platform.Credential { return nil }

// StateVolume returns the name of the only volume with state.
func (Base) StateVolume() string { return VolumeData }

// FinalityOf returns operations: an execution client announces a block as its head after the decision.
func (Base) FinalityOf(*v1alpha1.Workload) measurement.FinalityOf {
	return measurement.FinalityOfOperation
}

// ValidateWorkload rejects a workload that the network cannot serve.
func (b Base) ValidateWorkload(spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	return b.LayerOf(spec).ValidateWorkload(spec, w, path)
}

// SummarizeWorkloads returns one workload with the transactions of all.
func (Base) SummarizeWorkloads(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.Workload {
	return []v1alpha1.Workload{sizing.NewSummary(PlanStorage(spec).Transactions)}
}

// SupportsPoisson reports that the driver draws the size of each batch.
func (Base) SupportsPoisson(*v1alpha1.Workload) bool { return true }

// BuildDriver returns the EVM driver.
func (b Base) BuildDriver(in platform.Input, topology platform.Topology, workload *v1alpha1.Workload) (loadgen.Driver, error) {
	return b.LayerOf(&in.Network.Spec).BuildDriver(in, topology, workload)
}

// Interpret derives block times, block sizes and throughput from the blocks.
func (b Base) Interpret(
	spec *v1alpha1.BenchmarkNetworkSpec, workload *v1alpha1.Workload, measured *measurement.Measurement,
) verdict.Interpretation {
	return b.LayerOf(spec).Interpret(spec, workload, measured)
}
