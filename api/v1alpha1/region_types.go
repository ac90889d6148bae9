package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// RegionSource is where the regions of members come from.
// +kubebuilder:validation:Enum=Spec;NodeZone
type RegionSource string

// The sources of regions.
const (
	// RegionsFromSpec takes regions.items and emulates the distances between them.
	RegionsFromSpec RegionSource = "Spec"
	// RegionsFromNodeZone records the zone of each node as the region of the members on it, and emulates nothing.
	RegionsFromNodeZone RegionSource = "NodeZone"
)

// RegionsSpec emulates distance between the members of a network, or records the real one. Emulation needs pods with the capability
// NET_ADMIN. docs/regions.md describes it and its limits.
// +kubebuilder:validation:XValidation:rule="(has(self.items) || has(self.databaseRoundTrip)) != (has(self.source) && self.source == 'NodeZone')",message="regions needs items, databaseRoundTrip or both, or instead source NodeZone, which emulates nothing; without any, omit regions"
// +kubebuilder:validation:XValidation:rule="has(self.items) ? !has(self.roundTrips) || self.roundTrips.all(t, t.between.all(n, self.items.exists(r, r.name == n))) : !has(self.roundTrips) && !has(self.defaults)",message="regions.roundTrips and regions.defaults need regions.items, and roundTrips[].between must name regions that it lists"
type RegionsSpec struct {
	// source is Spec, or NodeZone for a cluster that spans the regions: results record the zone of each node as the region of its
	// pods, and no latency is emulated. Default: Spec.
	// +optional
	Source RegionSource `json:"source,omitempty"`
	// items are the regions and their members. Every member, including a notary, is in exactly one region.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +optional
	Items []Region `json:"items,omitempty"`
	// roundTrips are the round trips between regions that the built-in table lacks, or that differ from it. They need items.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=128
	// +optional
	RoundTrips []RoundTrip `json:"roundTrips,omitempty"`
	// defaults are the values that roundTrips does not set. They need items.
	// +optional
	Defaults *LinkDefaults `json:"defaults,omitempty"`
	// databaseRoundTrip is added between a member and its database, which must be on the network, at most 10s. Default: none.
	// +optional
	DatabaseRoundTrip *Latency `json:"databaseRoundTrip,omitempty"`
}

// Region is a place and the members in it.
// +kubebuilder:validation:XValidation:rule="!(has(self.members) && has(self.count)) && (has(self.members) || has(self.count) || has(self.workloads))",message="a region needs members, count or workloads, and not both members and count"
type Region struct {
	// name is one of the built-in table (docs/regions.md), such as NYC, LON or eu-west-2, or another one, for which roundTrips must
	// be given.
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$`
	// +required
	Name string `json:"name"`
	// members are names of members, such as member-0 or notary; with platform Corda also their legal names.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1001
	// +kubebuilder:validation:items:MaxLength=256
	// +optional
	Members []string `json:"members,omitempty"`
	// count is the number of members in the region, instead of members: the next ones, in order, that no region names.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1001
	// +optional
	Count *int32 `json:"count,omitempty"`
	// workloads are the names of workloads whose load workers are in the region. Workers of other workloads reach every member without
	// delay.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=63
	// +optional
	Workloads []string `json:"workloads,omitempty"`
}

// RoundTrip describes the connections between two regions, the same in both directions.
type RoundTrip struct {
	// between is the names of two regions, or twice the name of one region for the connections within it.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=2
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:items:MaxLength=32
	// +required
	Between []string `json:"between"`
	// roundTrip is the round-trip time, at most 10s. Half of it is added in each direction. Default: that of the built-in table.
	// +optional
	RoundTrip *Latency `json:"roundTrip,omitempty"`
	// jitter is the largest deviation of a round trip, above or below. Default: defaults.jitter.
	// +optional
	Jitter *Latency `json:"jitter,omitempty"`
	// lossPercent is the percentage of packets that are lost in each direction, such as "0.1" for one in a thousand. Default:
	// defaults.lossPercent.
	// +optional
	LossPercent *resource.Quantity `json:"lossPercent,omitempty"`
	// bandwidth is that of each pair of members in each direction, in bits per second. 100M is 100 Mbit/s. Default:
	// defaults.bandwidth.
	// +optional
	Bandwidth *resource.Quantity `json:"bandwidth,omitempty"`
}

// LinkDefaults are the properties of the connections between members that roundTrips does not set.
type LinkDefaults struct {
	// sameRegionRoundTrip is the round-trip time within a region, at most 10s. Default: 0.5ms.
	// +optional
	SameRegionRoundTrip *Latency `json:"sameRegionRoundTrip,omitempty"`
	// jitter is the largest deviation of a round trip between regions, above or below. Default: 0s.
	// +optional
	Jitter *Latency `json:"jitter,omitempty"`
	// lossPercent is the percentage of packets between regions that are lost in each direction. Default: 0.
	// +optional
	LossPercent *resource.Quantity `json:"lossPercent,omitempty"`
	// bandwidth is that between two members of different regions in each direction, in bits per second. Default: unlimited.
	// +optional
	Bandwidth *resource.Quantity `json:"bandwidth,omitempty"`
}

// RecordsZones reports whether results record the zones of nodes as regions.
func (s *BenchmarkNetworkSpec) RecordsZones() bool {
	return s.Regions != nil && s.Regions.Source == RegionsFromNodeZone
}

// EmulatesLatency reports whether the sidecars of the members emulate latency.
func (s *BenchmarkNetworkSpec) EmulatesLatency() bool { return s.Regions != nil && !s.RecordsZones() }

// HasSidecars reports whether the members have sidecars that change their network.
func (s *BenchmarkNetworkSpec) HasSidecars() bool {
	return s.EmulatesLatency() || s.NetworkFaults == NetworkFaultsEnabled
}
