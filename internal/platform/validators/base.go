package validators

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// Base has what all platforms have in common whose members are only validators. They embed it.
type Base struct{}

// Credentials returns nil: validators authenticate their peers by their keys.
func (Base) Credentials(platform.Topology) []platform.Credential { return nil }

// Overrides returns the overrides of voting powers.
func (Base) Overrides(spec *v1alpha1.BenchmarkNetworkSpec) []platform.Override {
	return PowerOverrides(spec)
}

// StateVolume returns the name of the only volume with state.
func (Base) StateVolume() string { return VolumeHome }

// Topology lists the validators in the order of the genesis. Their identity is the moniker in their logs and
// metrics.
func (Base) Topology(network *v1alpha1.BenchmarkNetwork) platform.Topology {
	return members.Topology(network, "Validator", PortP2P, func(ordinal int32) string { return fmt.Sprintf("validator-%d", ordinal) })
}

// Leadership returns all validators, which propose in turn.
func (Base) Leadership(_ *v1alpha1.BenchmarkNetworkSpec, topology platform.Topology) (platform.Leadership, error) {
	return platform.Leadership{Members: topology.MemberNames(), InTurn: true}, nil
}
