// Package sizing derives the machine (heap, cores, memory) and the volumes of a member from the spec and the
// planned load. It is pure and independent of the platforms: they pass in what is specific to them, such as
// their thread pools. Every rule names its source.
//
// "R3" refers to R3's sizing guide and performance pages for Corda Enterprise 4 (docs.r3.com: "Sizing and
// performance", "Performance tuning"). It is the only published guide among the platforms, and an equally good
// starting point for other JVM ledgers.
package sizing

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const (
	mebibyte = int64(1) << 20
	gibibyte = int64(1) << 30

	// minHeap is the smallest heap with which a node does not spend its time on garbage collection. R3 does
	// not recommend less than 1 GB; 512 MiB is the default of Corda's own launcher.
	minHeap = 512 * mebibyte
	// nettyPerCore is Netty's buffer arena per core (R3).
	nettyPerCore = 16 * mebibyte
	// stackPerThread is the JVM's default on 64-bit Linux, an upper bound of the stack that a pool's thread
	// uses.
	stackPerThread = mebibyte
)

// Machine holds the resources that one member may use.
type Machine struct {
	// Heap is the JVM heap and Memory the memory of the container, both in bytes.
	Heap, Memory resource.Quantity
	// Cores is the number of cores of the container.
	Cores resource.Quantity
	// Size is the preset. It determines each of the other fields that the spec does not set.
	Size v1alpha1.Size
}

// machinePreset returns heap, memory and cores of a size from R3's sizing guide. An unknown size counts as
// Small.
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

// MachineOf returns the preset machine with the overrides of the spec.
func MachineOf(members *v1alpha1.MembersSpec) Machine {
	m := machinePreset(members.Size)
	m.Heap = ptr.Deref(members.Heap, m.Heap)
	m.Memory = ptr.Deref(members.Memory, m.Memory)
	m.Cores = ptr.Deref(members.Cores, m.Cores)
	return m
}

// HeapMebibytes returns the heap in whole MiB, rounded down, as -Xmx takes it.
func (m Machine) HeapMebibytes() int64 { return m.Heap.Value() / mebibyte }

// WholeCores returns the number of processors that a JVM detects: the cores rounded up, at least 1.
func (m Machine) WholeCores() int32 { return int32(max(1, m.Cores.Value())) }

// ProcessOverhead is the memory that a member's process needs besides its heap and its network buffers.
type ProcessOverhead struct {
	// Base is the memory of code, fixed threads and other processes in the container, in bytes.
	Base int64
	// PoolThreads is the number of pool threads, which grows with the machine.
	PoolThreads int32
}

// OffHeapMemory returns the memory that the container needs besides the heap, in bytes.
func (m Machine) OffHeapMemory(p ProcessOverhead) resource.Quantity {
	bytes := p.Base + int64(m.WholeCores())*nettyPerCore + int64(p.PoolThreads)*stackPerThread
	return *resource.NewQuantity(bytes, resource.BinarySI)
}

// Requests returns the resource requests of a pod. ReservationMinimal requests a tenth of the cores and half
// of the memory, ReservationMemoryOnly 1m and half of the memory; otherwise they equal the machine.
func (m Machine) Requests(reservation v1alpha1.Reservation) (cores, memory resource.Quantity) {
	millicores := int64(1)
	switch reservation {
	case v1alpha1.ReservationMinimal:
		millicores = max(1, m.Cores.MilliValue()/10)
	case v1alpha1.ReservationMemoryOnly:
	default:
		return m.Cores.DeepCopy(), m.Memory.DeepCopy()
	}
	return *resource.NewMilliQuantity(millicores, resource.DecimalSI), *resource.NewQuantity(m.Memory.Value()/2, resource.BinarySI)
}

// Resources returns the limits and requests of a container that has the whole machine.
func (m Machine) Resources(reservation v1alpha1.Reservation) corev1.ResourceRequirements {
	cores, memory := m.Requests(reservation)
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: cores, corev1.ResourceMemory: memory},
		Limits:   corev1.ResourceList{corev1.ResourceCPU: m.Cores, corev1.ResourceMemory: m.Memory},
	}
}

// Validate rejects a machine on which a member could not run. The path is that of the members' spec.
func (m Machine) Validate(p ProcessOverhead, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if m.Cores.Sign() <= 0 {
		errs = append(errs, field.Invalid(path.Child("cores"), m.Cores.String(), "must be greater than 0, such as 1 or 500m"))
	}
	if m.Heap.Value() < minHeap {
		errs = append(errs, field.Invalid(path.Child("heap"), m.Heap.String(),
			"must be at least 512Mi: with less, a node spends its time collecting garbage; R3 recommends at least 1Gi"))
	}
	if m.Heap.Cmp(m.Memory) >= 0 {
		return append(errs, field.Invalid(path.Child("heap"), m.Heap.String(), fmt.Sprintf(
			"must be smaller than memory (%s)%s: %s", m.Memory.String(), m.presetNote(), m.memoryAdvice(p))))
	}
	if m.Heap.Value()+m.offHeapBytes(p) > m.Memory.Value() {
		errs = append(errs, field.Invalid(path.Child("memory"), m.Memory.String(), fmt.Sprintf(
			"is too little for heap %s%s and the %s that a member needs in addition (%s of process, %s of buffers per core, 1Mi per pool thread): %s",
			m.Heap.String(), m.presetNote(), formatMebibytes(m.offHeapBytes(p)), formatMebibytes(p.Base), formatMebibytes(nettyPerCore), m.memoryAdvice(p))))
	}
	return errs
}

// memoryAdvice returns the least memory for the heap, and the largest heap for the memory if a member can run
// with it.
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

// formatMebibytes formats a size in MiB, rounded up.
func formatMebibytes(bytes int64) string {
	return fmt.Sprintf("%dMi", (bytes+mebibyte-1)/mebibyte)
}
