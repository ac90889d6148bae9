package malachite

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/validators"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// maxMeshMembers is the largest full mesh. The configuration of each validator names all others, so the data in the API server and the
// operator grows with the square.
const maxMeshMembers = 100

// Validate rejects what CEL cannot express. The path is that of the spec.
func (Malachite) Validate(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	malachite := path.Child("platform", "malachite")
	m := spec.Platform.Malachite
	if m == nil {
		return field.ErrorList{field.Required(malachite, "must be set when platform.type is Malachite")}
	}
	errs := validators.ValidateByteRange(m.BlockSize, 1, validators.MaxBlockSize, malachite.Child("blockSize"))
	errs = append(errs, validators.ValidateByteRange(m.PartSize, minPartSize, validators.MaxBlockSize, malachite.Child("partSize"))...)
	if len(errs) > 0 {
		return errs
	}
	errs = append(errs, validateMessages(m, malachite.Child("gossip"))...)
	errs = append(errs, validateMesh(spec, path.Child("members", "count"))...)
	errs = append(errs, validators.ValidatePeers(&m.Peers, spec.Members.Count, malachite.Child("peers"), v1alpha1.PeersDiscovery)...)
	errs = append(errs, validateDiscovery(spec, malachite)...)
	if len(errs) > 0 {
		return errs
	}
	state := stateOf(m)
	state.Connections = buildGraph(m, int(spec.Members.Count)).MostConnections()
	return state.ValidateMachine(spec, path.Child("members"))
}

func validateMesh(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	if spec.Platform.Malachite.Peers.Type != v1alpha1.PeersFullMesh || spec.Members.Count <= maxMeshMembers {
		return nil
	}
	return field.ErrorList{field.Invalid(path, spec.Members.Count,
		fmt.Sprintf("must be at most %d with platform.malachite.peers.type FullMesh: the other types take 1000", maxMeshMembers))}
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
			fmt.Sprintf("must be at least %s: %s, and %s of overhead", validators.FormatBytes(largestMessage(m)), what, validators.FormatBytes(messageOverhead))))
	}
	if size := m.Gossip.MaxResponseSize; size != nil && size.Value() < largestResponse(m) {
		errs = append(errs, field.Invalid(path.Child("maxResponseSize"), size.String(),
			fmt.Sprintf("must be at least %s: a block of %s, and %s of overhead",
				validators.FormatBytes(largestResponse(m)), m.BlockSize.String(), validators.FormatBytes(messageOverhead))))
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

// FinalityOf returns blocks, which the network makes by itself.
func (Malachite) FinalityOf(*v1alpha1.Workload) measurement.FinalityOf {
	return measurement.FinalityOfBlock
}

// ValidateWorkload rejects a workload that the network cannot serve.
func (Malachite) ValidateWorkload(spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	return validators.ValidateBlocksWorkload(Malachite{}, spec, w, path)
}
