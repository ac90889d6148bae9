package emerald

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/sizing"
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

// share is a part of a member's machine.
type share string

const (
	validatorShare share = "Validator"
	executionShare share = "Execution"
)

// shares of a member's machine.
type shares map[share]sizing.Machine

func sharesOf(spec *v1alpha1.BenchmarkNetworkSpec) shares {
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
	return shares{validatorShare: validator, executionShare: execution}
}

func (s shares) resources(reservation v1alpha1.Reservation, of share) corev1.ResourceRequirements {
	machine := s[of]
	cores, memory := machine.Requests(reservation)
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: cores, corev1.ResourceMemory: memory},
		Limits:   corev1.ResourceList{corev1.ResourceCPU: machine.Cores, corev1.ResourceMemory: machine.Memory},
	}
}

// storage of a member: its size and, for people, what it was derived from.
type storage struct {
	size         resource.Quantity
	transactions int64
}

// storageOf has room for the transactions of all listed workloads.
func storageOf(spec *v1alpha1.BenchmarkNetworkSpec) storage {
	var s storage
	for i := range spec.Workloads {
		if w := &spec.Workloads[i]; w.Load != nil {
			s.transactions += sizing.Operations(w.Load, &w.Measure, 0)
		}
	}
	gibibytes := (baseVolume + s.transactions*bytesPerTransaction + gibibyte - 1) / gibibyte
	s.size = *resource.NewQuantity(gibibytes*gibibyte, resource.BinarySI)
	return s
}
