// Package sizing derives what a member of a network gets from what the user asked for: the machine (heap, cores, memory) and
// the volumes that the planned load fills. It is pure and knows no platform: what is a platform's own, such as its thread
// pools, is given to it. Every rule names its source.
//
// "R3" stands for R3's sizing guide and performance pages for Corda Enterprise 4 (docs.r3.com: "Sizing and performance",
// "Performance tuning"): the only published guide among the platforms, and no worse a start for another JVM ledger.
package sizing

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const (
	mebibyte = int64(1) << 20
	gibibyte = int64(1) << 30

	// minHeap below which a node spends its time collecting garbage. R3 does not recommend less than 1 GB; 512 MiB is the
	// default of Corda's own launcher.
	minHeap = 512 * mebibyte
	// nettyPerCore is Netty's buffer arena per core (R3).
	nettyPerCore = 16 * mebibyte
	// stackPerThread is the JVM's default on 64-bit Linux, an upper bound of what a pool's thread touches.
	stackPerThread = mebibyte
)

// Machine is what one member may use.
type Machine struct {
	// Heap of the JVM, of Memory of the container, in bytes.
	Heap, Memory resource.Quantity
	// Cores of the container.
	Cores resource.Quantity
	// Size is the preset from which the others come unless the spec sets them.
	Size v1alpha1.Size
}

// machinePreset is R3's sizing guide: heap, memory, cores.
func machinePreset(size v1alpha1.Size) Machine {
	heap, memory, cores := gibibyte, 3*gibibyte, int64(1)
	switch size {
	case v1alpha1.SizeMedium:
		heap, memory, cores = 4*gibibyte, 8*gibibyte, 8
	case v1alpha1.SizeLarge:
		heap, memory, cores = 32*gibibyte, 64*gibibyte, 32
	default:
		size = v1alpha1.SizeSmall
	}
	return Machine{
		Size:   size,
		Heap:   *resource.NewQuantity(heap, resource.BinarySI),
		Memory: *resource.NewQuantity(memory, resource.BinarySI),
		Cores:  *resource.NewQuantity(cores, resource.DecimalSI),
	}
}

// MachineOf is the preset with what the spec overrides.
func MachineOf(members *v1alpha1.MembersSpec) Machine {
	m := machinePreset(members.Size)
	overrideQuantity(&m.Heap, members.Heap)
	overrideQuantity(&m.Memory, members.Memory)
	overrideQuantity(&m.Cores, members.Cores)
	return m
}

func overrideQuantity(value, by *resource.Quantity) {
	if by != nil {
		*value = by.DeepCopy()
	}
}

// HeapMebibytes is the heap in whole MiB, as -Xmx takes it.
func (m Machine) HeapMebibytes() int64 { return m.Heap.Value() / mebibyte }

// WholeCores is the number of processors that a JVM sees: rounded up, as the JVM does.
func (m Machine) WholeCores() int32 { return int32(max(1, m.Cores.Value())) }

// ProcessOverhead is what a member's program needs besides its heap and its network buffers.
type ProcessOverhead struct {
	// Base is its code, its fixed threads and what runs beside it in the container, in bytes.
	Base int64
	// PoolThreads that grow with the machine.
	PoolThreads int32
}

// OffHeapMemory is what the container needs besides the heap, in bytes.
func (m Machine) OffHeapMemory(p ProcessOverhead) resource.Quantity {
	bytes := p.Base + int64(m.WholeCores())*nettyPerCore + int64(p.PoolThreads)*stackPerThread
	return *resource.NewQuantity(bytes, resource.BinarySI)
}

// Requests are what a pod asks of the scheduler under a reservation.
func (m Machine) Requests(reservation v1alpha1.Reservation) (cores, memory resource.Quantity) {
	if reservation != v1alpha1.ReservationMinimal {
		return m.Cores.DeepCopy(), m.Memory.DeepCopy()
	}
	tenth := max(1, m.Cores.MilliValue()/10)
	return *resource.NewMilliQuantity(tenth, resource.DecimalSI), *resource.NewQuantity(m.Memory.Value()/2, resource.BinarySI)
}

// Validate refuses a machine on which a member could not run; path is that of the members' spec.
func (m Machine) Validate(p ProcessOverhead, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if m.Cores.Sign() <= 0 {
		errs = append(errs, field.Invalid(path.Child("cores"), m.Cores.String(), "must be greater than 0, such as 1 or 500m"))
	}
	if m.Heap.Value() < minHeap {
		errs = append(errs, field.Invalid(path.Child("heap"), m.Heap.String(),
			"must be at least 512Mi: with less a node spends its time collecting garbage, and R3 recommends no less than 1Gi"))
	}
	if m.Heap.Cmp(m.Memory) >= 0 {
		return append(errs, field.Invalid(path.Child("heap"), m.Heap.String(), fmt.Sprintf(
			"must be smaller than memory (%s)%s: %s", m.Memory.String(), m.presetNote(), m.memoryAdvice(p))))
	}
	if m.Heap.Value()+m.offHeapBytes(p) > m.Memory.Value() {
		errs = append(errs, field.Invalid(path.Child("memory"), m.Memory.String(), fmt.Sprintf(
			"is too little for heap %s%s and the %s that a member needs besides it (%s of process, %s of buffers per core, 1Mi per pool thread): %s",
			m.Heap.String(), m.presetNote(), formatMebibytes(m.offHeapBytes(p)), formatMebibytes(p.Base), formatMebibytes(nettyPerCore), m.memoryAdvice(p))))
	}
	return errs
}

// memoryAdvice is the least memory for the heap, and the largest heap for the memory if a member could run with it.
func (m Machine) memoryAdvice(p ProcessOverhead) string {
	text := "set memory to at least " + formatMebibytes(max(minHeap, m.Heap.Value())+m.offHeapBytes(p))
	if largest := m.Memory.Value() - m.offHeapBytes(p); largest >= minHeap {
		text += fmt.Sprintf(" or heap to at most %dMi", largest/mebibyte)
	}
	return text
}

func (m Machine) offHeapBytes(p ProcessOverhead) int64 {
	q := m.OffHeapMemory(p)
	return q.Value()
}

func (m Machine) presetNote() string { return fmt.Sprintf(" (size %s unless set)", m.Size) }

// formatMebibytes rounds up to whole MiB.
func formatMebibytes(bytes int64) string {
	return fmt.Sprintf("%dMi", (bytes+mebibyte-1)/mebibyte)
}
