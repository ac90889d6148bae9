package emerald

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

// executionQuarters of a member's machine are the execution client's unless the spec says otherwise: it executes all
// transactions, the validator passes blocks on.
const executionQuarters = 3

const (
	gibibyte = int64(1) << 30
	// baseVolume holds databases of an empty chain, logs and the validator's store; this project's choice.
	baseVolume = 4 * gibibyte
	// bytesPerTransaction of a plain transfer in the databases: about 110 of the transaction itself, the rest receipts, indices
	// and the history of the state; this project's estimate.
	bytesPerTransaction = 1024
)

// machineShare is a part of a member's machine.
type machineShare string

const (
	validatorShare machineShare = "Validator"
	executionShare machineShare = "Execution"
)

// machineShares of a member's machine.
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

// plannedStorage of a member: its size and, for people, what it was derived from.
type plannedStorage struct {
	size         resource.Quantity
	transactions int64
}

// planStorage has room for the transactions of all listed workloads.
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
