// Package corda implements the platform Corda 4: a network of nodes under a certificate authority of its own,
// with or without a notary. Each node uses H2 or a schema on a server. docs/corda.md documents every field
// with its default and source.
//
// The node configuration is rendered from the files in templates/ in layers: base, notary, database, edition,
// the user's own keys. It contains no passwords; the node reads them from its environment.
package corda

import (
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
)

// Corda implements platform.Platform.
type Corda struct{}

// New returns the platform.
func New() Corda { return Corda{} }

var (
	_ platform.Platform         = Corda{}
	_ platform.GenesisProvider  = Corda{}
	_ platform.DatabaseConsumer = Corda{}
	_ platform.Resettable       = Corda{}
	_ platform.OverrideProvider = Corda{}
	_ platform.MemberNamer      = Corda{}
)

// Type returns PlatformCorda.
func (Corda) Type() v1alpha1.PlatformType { return v1alpha1.PlatformCorda }

// Version returns edition and release.
func (Corda) Version(spec *v1alpha1.BenchmarkNetworkSpec) string {
	if isEnterprise(spec) {
		return "Corda Enterprise " + spec.Platform.Corda.Version
	}
	return "Corda " + spec.Platform.Corda.Version
}

// Overrides returns the overrides of the notary, and of the version and image of members.
func (Corda) Overrides(spec *v1alpha1.BenchmarkNetworkSpec) []platform.Override {
	if spec.Platform.Corda == nil {
		return nil
	}
	var all []platform.Override
	if hasNotary(spec) {
		all = append(all, platform.Override{Nodes: notaryName, Path: []string{"platform", "corda", "notary"}, Spec: notarySpec(spec)})
	}
	for i := range spec.Platform.Corda.Overrides {
		o := &spec.Platform.Corda.Overrides[i]
		all = append(all, platform.Override{Members: o.Members, Path: []string{"platform", "corda", fmt.Sprintf("overrides[%d]", i)},
			Spec: spec.WithCordaOverride(o)})
	}
	return all
}

// OwnMemberNames returns the legal names.
func (Corda) OwnMemberNames(spec *v1alpha1.BenchmarkNetworkSpec) []string {
	var all []string
	if spec.Platform.Corda != nil {
		for i := range spec.Members.Count {
			all = append(all, legalName(spec, i))
		}
	}
	return all
}

// StateVolume returns the name of the only volume with state.
func (Corda) StateVolume() string { return volumeBase }

// tuningOf returns the tuning of the spec, or an empty one.
func tuningOf(spec *v1alpha1.BenchmarkNetworkSpec) v1alpha1.CordaTuning {
	return ptr.Deref(spec.Platform.Corda.Tuning, v1alpha1.CordaTuning{})
}

func isEnterprise(spec *v1alpha1.BenchmarkNetworkSpec) bool {
	return spec.Platform.Corda.Distribution == v1alpha1.CordaEnterprise
}

func hasNotary(spec *v1alpha1.BenchmarkNetworkSpec) bool {
	return spec.Platform.Corda.Notary.Type != v1alpha1.CordaNotaryNone
}

// notaryReplicas returns the number of notary nodes.
func notaryReplicas(spec *v1alpha1.BenchmarkNetworkSpec) int32 {
	notary := spec.Platform.Corda.Notary
	return ptr.Deref(notary.Replicas, defaultNotaryReplicas[notary.Type])
}

// isNotaryCluster reports whether the notary is a service of several nodes.
func isNotaryCluster(spec *v1alpha1.BenchmarkNetworkSpec) bool {
	return spec.Platform.Corda.Notary.Type == v1alpha1.CordaNotarySharedDatabase || usesRaft(spec) || usesBFT(spec)
}

func usesRaft(spec *v1alpha1.BenchmarkNetworkSpec) bool {
	return spec.Platform.Corda.Notary.Type == v1alpha1.CordaNotaryRaft
}

func usesBFT(spec *v1alpha1.BenchmarkNetworkSpec) bool {
	return spec.Platform.Corda.Notary.Type == v1alpha1.CordaNotaryBFT
}

// bringsCorDapps reports whether the CorDapps are not those in the node's image.
func bringsCorDapps(spec *v1alpha1.BenchmarkNetworkSpec) bool {
	kind := spec.Platform.Corda.CorDapps.Type
	return kind != "" && kind != v1alpha1.CordAppsFinance
}

func usesH2(spec *v1alpha1.BenchmarkNetworkSpec) bool {
	return spec.DatabaseOrDefault().Engine == v1alpha1.EngineH2
}
