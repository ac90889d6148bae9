package emerald

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

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

// machineShare names the part of a member's machine that one of its two programs gets.
type machineShare string

const (
	validatorShare machineShare = "Validator"
	executionShare machineShare = "Execution"
)

// machineShares maps each part of a member's machine to its resources.
type machineShares map[machineShare]sizing.Machine

func divideMachine(spec *v1alpha1.BenchmarkNetworkSpec) machineShares {
	whole := sizing.MachineOf(&spec.Members)
	e := spec.Platform.Emerald.Execution
	execution, validator := whole, whole
	execution.Cores = *resource.NewMilliQuantity(whole.Cores.MilliValue()*executionQuarters/4, resource.DecimalSI)
	execution.Memory = *resource.NewQuantity(whole.Memory.Value()*executionQuarters/4, resource.BinarySI)
	if e.Cores != nil {
		execution.Cores = e.Cores.DeepCopy()
	}
	if e.Memory != nil {
		execution.Memory = e.Memory.DeepCopy()
	}
	validator.Cores = *resource.NewMilliQuantity(whole.Cores.MilliValue()-execution.Cores.MilliValue(), resource.DecimalSI)
	validator.Memory = *resource.NewQuantity(whole.Memory.Value()-execution.Memory.Value(), resource.BinarySI)
	return machineShares{validatorShare: validator, executionShare: execution}
}

func (s machineShares) resourcesOf(reservation v1alpha1.Reservation, of machineShare) corev1.ResourceRequirements {
	machine := s[of]
	cores, memory := machine.Requests(reservation)
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: cores, corev1.ResourceMemory: memory},
		Limits:   corev1.ResourceList{corev1.ResourceCPU: machine.Cores, corev1.ResourceMemory: machine.Memory},
	}
}

// plannedStorage is the volume size of a member and the number of transactions from which it is derived.
type plannedStorage struct {
	size         resource.Quantity
	transactions int64
}

// planStorage sizes the volume for the transactions of all listed workloads.
func planStorage(spec *v1alpha1.BenchmarkNetworkSpec) plannedStorage {
	var s plannedStorage
	for i := range spec.Workloads {
		if w := &spec.Workloads[i]; w.Load != nil {
			s.transactions += sizing.PlannedOperations(w.Load, &w.Measure, 0)
		}
	}
	gibibytes := (baseVolume + s.transactions*bytesPerTransaction + gibibyte - 1) / gibibyte
	s.size = *resource.NewQuantity(gibibytes*gibibyte, resource.BinarySI)
	return s
}
