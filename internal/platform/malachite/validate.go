package malachite

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/sizing"
	"github.com/benchnet/benchnet/internal/run/loadgen"
)

// Validate rejects what CEL cannot express. The path is that of the spec.
func (Malachite) Validate(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	malachite := path.Child("platform", "malachite")
	m := spec.Platform.Malachite
	if m == nil {
		return field.ErrorList{field.Required(malachite, "must be set when platform.type is Malachite")}
	}
	errs := validateBlock(m, malachite)
	if len(errs) > 0 {
		return errs
	}
	errs = append(errs, validateMessages(m, malachite.Child("gossip"))...)
	errs = append(errs, validateMesh(spec, path.Child("members", "count"))...)
	errs = append(errs, validateDiscovery(spec, malachite)...)
	return append(errs, validateMachine(spec, path.Child("members"))...)
}

func validateBlock(m *v1alpha1.MalachitePlatform, path *field.Path) field.ErrorList {
	errs := validateByteRange(m.BlockSize, 1, maxBlockSize, path.Child("blockSize"))
	return append(errs, validateByteRange(m.PartSize, minPartSize, maxBlockSize, path.Child("partSize"))...)
}

// validateByteRange rejects a size that is not a whole number of bytes from least to most.
func validateByteRange(size resource.Quantity, least, most int64, path *field.Path) field.ErrorList {
	if size.MilliValue()%1000 == 0 && size.Value() >= least && size.Value() <= most {
		return nil
	}
	return field.ErrorList{
		field.Invalid(path, size.String(), fmt.Sprintf("must be a whole number of bytes from %s to %s", formatBytes(least), formatBytes(most))),
	}
}

// maxMeshMembers is the maximum number of validators in a full mesh. The configuration of each names all
// others, so the data in the API server and the operator grows with the square.
const maxMeshMembers = 100

func validateMesh(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	if spec.Platform.Malachite.Peers == v1alpha1.MalachiteDiscovery || spec.Members.Count <= maxMeshMembers {
		return nil
	}
	return field.ErrorList{field.Invalid(path, spec.Members.Count,
		fmt.Sprintf("must be at most %d with platform.malachite.peers FullMesh: Discovery takes 1000", maxMeshMembers))}
}

// validateMessages rejects limits below the size of a block or of one of its parts, which would then never
// arrive.
func validateMessages(m *v1alpha1.MalachitePlatform, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if size := m.Gossip.MaxMessageSize; size != nil && size.Value() < largestMessage(m) {
		what := "a part of " + m.PartSize.String()
		if m.Payload == v1alpha1.MalachiteProposalOnly {
			what = "with payload ProposalOnly a block of " + m.BlockSize.String()
		}
		errs = append(errs, field.Invalid(path.Child("maxMessageSize"), size.String(),
			fmt.Sprintf("must be at least %s: %s, and %s of overhead", formatBytes(largestMessage(m)), what, formatBytes(messageOverhead))))
	}
	if size := m.Gossip.MaxResponseSize; size != nil && size.Value() < largestResponse(m) {
		errs = append(errs, field.Invalid(path.Child("maxResponseSize"), size.String(),
			fmt.Sprintf("must be at least %s: a block of %s, and %s of overhead", formatBytes(largestResponse(m)), m.BlockSize.String(), formatBytes(messageOverhead))))
	}
	return errs
}

func validateDiscovery(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	m := spec.Platform.Malachite
	d := m.Discovery
	if d == nil {
		return nil
	}
	path = path.Child("discovery")
	var errs field.ErrorList
	if d.BootstrapPeers >= spec.Members.Count {
		errs = append(errs, field.Invalid(path.Child("bootstrapPeers"), d.BootstrapPeers, fmt.Sprintf(
			"must be less than members.count (%d): a validator is not its own peer", spec.Members.Count)))
	}
	if d.InboundPeers < d.OutboundPeers {
		errs = append(errs, field.Invalid(path.Child("inboundPeers"), d.InboundPeers, fmt.Sprintf(
			"must be at least outboundPeers (%d): each outbound connection is inbound to another validator", d.OutboundPeers)))
	}
	return errs
}

// validateMachine rejects a validator whose memory or volume is too small for its blocks.
func validateMachine(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	m, machine := spec.Platform.Malachite, sizing.MachineOf(&spec.Members)
	var errs field.ErrorList
	if spec.Members.Heap != nil {
		errs = append(errs, field.Invalid(path.Child("heap"), spec.Members.Heap.String(), "must not be set: a validator does not run in a JVM; set members.memory"))
	}
	if machine.Cores.Sign() <= 0 {
		errs = append(errs, field.Invalid(path.Child("cores"), machine.Cores.String(), "must be greater than 0"))
	}
	if machine.Memory.Value() < requiredMemory(m) {
		errs = append(errs, field.Invalid(path.Child("memory"), machine.Memory.String(), fmt.Sprintf(
			"must be at least %s: %s for the program and %d blocks of %s",
			formatBytes(requiredMemory(m)),
			formatBytes(baseMemory),
			blocksInMemory,
			m.BlockSize.String(),
		)))
	}
	if size := spec.Members.Storage.Size; size != nil && size.Value() < requiredStorage(m) {
		errs = append(errs, field.Invalid(path.Child("storage", "size"), size.String(), fmt.Sprintf(
			"must be at least %s: %s, and twice keptBlocks (%d) of %s",
			formatBytes(requiredStorage(m)),
			formatBytes(baseStorage),
			m.KeptBlocks,
			m.BlockSize.String(),
		)))
	}
	return errs
}

// ValidateWorkload rejects a workload that the network cannot serve.
func (Malachite) ValidateWorkload(spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	errs := loadgen.ValidateMeasure(w, path)
	if w.Malachite == nil {
		return append(
			errs,
			field.Required(path.Child("malachite"), "a workload on a Malachite network needs malachite: the network makes its own blocks, which a worker observes"),
		)
	}
	errs = append(errs, platform.NewMemberNames(Malachite{}, spec).Validate(w.Malachite.Observe, path.Child("malachite", "observe"))...)
	if w.Workers.Count != 1 {
		errs = append(errs, field.Invalid(path.Child("workers", "count"), w.Workers.Count,
			"must be 1: one worker observes one validator, and all validators decide the same blocks"))
	}
	return errs
}
