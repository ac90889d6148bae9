package validators

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

// Sizes in bytes.
const (
	Kibibyte = int64(1) << 10
	Mebibyte = int64(1) << 20
	gibibyte = int64(1) << 30
)

// MaxBlockSize is the limit of the size of a block.
const MaxBlockSize = 64 * Mebibyte

// BaseMemory of a State covers baseConnections. Each further one takes connectionMemory; 0.8 MiB (Malachite) and 0.9 MiB (CometBFT)
// were measured.
const (
	baseConnections  = 100
	connectionMemory = Mebibyte
)

// State describes the memory and storage that a validator requires. Sizes are in bytes.
type State struct {
	// BaseMemory covers the program with up to 100 connections, without blocks. BlocksInMemory blocks of BlockSize are in memory at a
	// time.
	BaseMemory, BlocksInMemory int64
	BlockSize                  resource.Quantity
	// Connections is the largest number of connections of a validator.
	Connections int
	// BaseStorage includes the write-ahead log. The store takes about twice the size of its content while it is pruned: StoredBytes,
	// which Stored names in messages.
	BaseStorage, StoredBytes int64
	Stored                   string
}

// KeptBlocks returns the state of a validator that keeps a number of blocks.
func (s State) KeptBlocks(kept int32) State {
	s.StoredBytes, s.Stored = int64(kept)*s.BlockSize.Value(), fmt.Sprintf("keptBlocks (%d) of %s", kept, s.BlockSize.String())
	return s
}

func (s State) programMemory() int64 {
	return s.BaseMemory + int64(max(0, s.Connections-baseConnections))*connectionMemory
}

func (s State) requiredMemory() int64 {
	return s.programMemory() + s.BlocksInMemory*s.BlockSize.Value()
}
func (s State) requiredStorage() int64 { return s.BaseStorage + 2*s.StoredBytes }

// ExpectedStorage returns the required storage in whole GiB, rounded up.
func (s State) ExpectedStorage() resource.Quantity {
	whole := (s.requiredStorage() + gibibyte - 1) / gibibyte
	return *resource.NewQuantity(whole*gibibyte, resource.BinarySI)
}

// ValidateMachine rejects a validator whose memory or volume is too small for its blocks. The path is that of members.
func (s State) ValidateMachine(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	machine := sizing.MachineOf(&spec.Members)
	var errs field.ErrorList
	if spec.Members.Heap != nil {
		errs = append(errs, field.Invalid(path.Child("heap"), spec.Members.Heap.String(), "must not be set: a validator does not run in a JVM; set members.memory"))
	}
	if machine.Cores.Sign() <= 0 {
		errs = append(errs, field.Invalid(path.Child("cores"), machine.Cores.String(), "must be greater than 0"))
	}
	if machine.Memory.Value() < s.requiredMemory() {
		errs = append(errs, field.Invalid(path.Child("memory"), machine.Memory.String(), fmt.Sprintf(
			"must be at least %s: %s for the program with %d connections, and %d blocks of %s",
			FormatBytes(s.requiredMemory()), FormatBytes(s.programMemory()), s.Connections, s.BlocksInMemory, s.BlockSize.String())))
	}
	if size := spec.Members.Storage.Size; size != nil && size.Value() < s.requiredStorage() {
		errs = append(errs, field.Invalid(path.Child("storage", "size"), size.String(), fmt.Sprintf("must be at least %s: %s, and twice %s",
			FormatBytes(s.requiredStorage()), FormatBytes(s.BaseStorage), s.Stored)))
	}
	return errs
}

// MachineSettings returns the settings of a validator's machine, each with its source. threads overrides the number of threads;
// threadsField is its path in the spec.
func (s State) MachineSettings(spec *v1alpha1.BenchmarkNetworkSpec, threads *int32, threadsField string) []v1alpha1.DerivedSetting {
	machine := sizing.MachineOf(&spec.Members)
	size := fmt.Sprintf("size %s", machine.Size)
	storage := members.VolumeSize(&spec.Members, s.ExpectedStorage())
	return []v1alpha1.DerivedSetting{
		{Name: "cores", Value: machine.Cores.String(), Source: platform.SettingSource(spec.Members.Cores != nil, "spec.members.cores", size)},
		{Name: "memory", Value: machine.Memory.String(), Source: platform.SettingSource(spec.Members.Memory != nil, "spec.members.memory", size)},
		{Name: "threads", Value: fmt.Sprint(CountThreads(spec, threads)), Source: platform.SettingSource(threads != nil, threadsField, "the cores, rounded up")},
		{Name: platform.SettingMemberStorage, Value: storage.String(), Source: platform.SettingSource(spec.Members.Storage.Size != nil,
			"spec.members.storage.size", FormatBytes(s.BaseStorage)+" and twice "+s.Stored+", in whole GiB")},
	}
}

// CountThreads returns the number of threads of the program. Default: the cores, rounded up.
func CountThreads(spec *v1alpha1.BenchmarkNetworkSpec, given *int32) int32 {
	return ptr.Deref(given, sizing.MachineOf(&spec.Members).WholeCores())
}

// ValidateByteRange rejects a size that is not a whole number of bytes from least to most.
func ValidateByteRange(size resource.Quantity, least, most int64, path *field.Path) field.ErrorList {
	if size.MilliValue()%1000 == 0 && size.Value() >= least && size.Value() <= most {
		return nil
	}
	return field.ErrorList{
		field.Invalid(path, size.String(), fmt.Sprintf("must be a whole number of bytes from %s to %s", FormatBytes(least), FormatBytes(most))),
	}
}

// FormatBytes formats a size in bytes with binary suffixes.
func FormatBytes(bytes int64) string {
	return resource.NewQuantity(bytes, resource.BinarySI).String()
}
