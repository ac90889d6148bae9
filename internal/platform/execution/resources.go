package execution

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

// executionQuarters is the default share of the execution client in a member's machine, in quarters. The
// client executes all transactions; the validator only passes blocks on.
const executionQuarters = 3

const (
	gibibyte = int64(1) << 30
	// baseVolume holds the databases of an empty chain, logs and the validator's store. The value is this
	// project's choice.
	baseVolume = 4 * gibibyte
	// bytesPerTransaction is the size of a plain transfer in the databases: about 110 bytes for the
	// transaction, the rest for receipts, indices and the history of the state. The value is this project's
	// estimate.
	bytesPerTransaction = 1024
)

// Shares are the parts of a member's machine that its two programs get.
type Shares struct{ Validator, Execution sizing.Machine }

// Divide divides a member's machine.
func (l *Layer) Divide(spec *v1alpha1.BenchmarkNetworkSpec) Shares {
	whole := sizing.MachineOf(&spec.Members)
	execution, validator := whole, whole
	execution.Cores = ptr.Deref(l.Client.Cores, *resource.NewMilliQuantity(whole.Cores.MilliValue()*executionQuarters/4, resource.DecimalSI))
	execution.Memory = ptr.Deref(l.Client.Memory, *resource.NewQuantity(whole.Memory.Value()*executionQuarters/4, resource.BinarySI))
	validator.Cores = *resource.NewMilliQuantity(whole.Cores.MilliValue()-execution.Cores.MilliValue(), resource.DecimalSI)
	validator.Memory = *resource.NewQuantity(whole.Memory.Value()-execution.Memory.Value(), resource.BinarySI)
	return Shares{Validator: validator, Execution: execution}
}

// PlannedStorage is the volume size of a member and the number of transactions from which it is derived.
type PlannedStorage struct {
	Size         resource.Quantity
	Transactions int64
}

// PlanStorage sizes the volume for the transactions of all listed workloads.
func PlanStorage(spec *v1alpha1.BenchmarkNetworkSpec) PlannedStorage {
	var s PlannedStorage
	for i := range spec.Workloads {
		if w := &spec.Workloads[i]; w.Load != nil {
			s.Transactions += sizing.PlannedOperations(w.Load, &w.Measure, 0)
		}
	}
	gibibytes := (baseVolume + s.Transactions*bytesPerTransaction + gibibyte - 1) / gibibyte
	s.Size = *resource.NewQuantity(gibibytes*gibibyte, resource.BinarySI)
	return s
}
