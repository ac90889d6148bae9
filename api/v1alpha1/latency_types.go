package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LatencySpec puts distance between the members of a network, which in truth run beside each other.
// It needs pods that may hold the capability NET_ADMIN; docs/regions.md says what is done and where its limits are.
// +kubebuilder:validation:XValidation:rule="has(self.regions) || has(self.databaseRoundTrip)",message="latency needs regions, databaseRoundTrip or both; without either, omit latency"
// +kubebuilder:validation:XValidation:rule="has(self.regions) || (!has(self.roundTrips) && !has(self.defaults))",message="latency.roundTrips and latency.defaults need latency.regions"
// +kubebuilder:validation:XValidation:rule="!has(self.roundTrips) || !has(self.regions) || self.roundTrips.all(t, t.between.all(n, self.regions.exists(r, r.name == n)))",message="latency.roundTrips[].between must name regions that latency.regions lists"
type LatencySpec struct {
	// regions and who is in them. Every member, a notary included, is in exactly one.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +optional
	Regions []Region `json:"regions,omitempty"`
	// roundTrips between regions that are not in the built-in table, or shall differ from it.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=128
	// +optional
	RoundTrips []RoundTrip `json:"roundTrips,omitempty"`
	// defaults of what roundTrips leaves open.
	// +optional
	Defaults *LinkDefaults `json:"defaults,omitempty"`
	// databaseRoundTrip is added between a member and its database, which must be one that is reached over the network. Default: none.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?(us|µs|ms|s)$') && duration(self) <= duration('10s')",message="latency.databaseRoundTrip must be at most 10s, in one unit of us, ms or s, such as 1.5ms"
	// +optional
	DatabaseRoundTrip *metav1.Duration `json:"databaseRoundTrip,omitempty"`
}

// Region is a place with the members in it.
// +kubebuilder:validation:XValidation:rule="!(has(self.members) && has(self.count))",message="latency.regions[]: a region takes members (by name) or count (the next so many), not both"
// +kubebuilder:validation:XValidation:rule="has(self.members) || has(self.count) || has(self.workloads)",message="latency.regions[]: a region needs members, count or workloads"
type Region struct {
	// name of the region: one of the built-in table (docs/regions.md), such as NYC, LON, AMS, SFO or eu-west-2, or any other,
	// whose round trips then have to be given.
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$`
	// +required
	Name string `json:"name"`
	// members in the region by name, such as member-0 or notary.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1001
	// +kubebuilder:validation:items:MaxLength=32
	// +optional
	Members []string `json:"members,omitempty"`
	// count of members in the region: the next so many, in order, of those that no region names.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1001
	// +optional
	Count *int32 `json:"count,omitempty"`
	// workloads whose load workers are in the region. Workers of other workloads reach every member without delay.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=63
	// +optional
	Workloads []string `json:"workloads,omitempty"`
}

// RoundTrip is the way between two regions, the same in both directions.
type RoundTrip struct {
	// between are two regions, or twice the same one for the ways within it.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=2
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:items:MaxLength=32
	// +required
	Between []string `json:"between"`
	// roundTrip there and back, half of it each way. Default: that of the built-in table.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?(us|µs|ms|s)$') && duration(self) <= duration('10s')",message="latency.roundTrips[].roundTrip must be at most 10s, in one unit of us, ms or s, such as 72ms"
	// +optional
	RoundTrip *metav1.Duration `json:"roundTrip,omitempty"`
	// jitter is how far, at most, a round trip deviates to either side; all deviations are equally likely. Default: defaults.jitter.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?(us|µs|ms|s)$') && duration(self) <= duration('10s')",message="latency.roundTrips[].jitter must be at most 10s, in one unit of us, ms or s, such as 2ms"
	// +optional
	Jitter *metav1.Duration `json:"jitter,omitempty"`
	// lossPercent of the packets is lost, each way; "0.1" is one in a thousand. Default: defaults.lossPercent.
	// +optional
	LossPercent *resource.Quantity `json:"lossPercent,omitempty"`
	// bandwidth in bits per second from each member to each other, each way; 100M is 100 Mbit/s. Default: defaults.bandwidth.
	// +optional
	Bandwidth *resource.Quantity `json:"bandwidth,omitempty"`
}

// LinkDefaults hold for all ways between members that roundTrips says nothing else of.
type LinkDefaults struct {
	// sameRegionRoundTrip is the round trip within a region. Default: 0.5ms.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?(us|µs|ms|s)$') && duration(self) <= duration('10s')",message="latency.defaults.sameRegionRoundTrip must be at most 10s, in one unit of us, ms or s, such as 0.5ms"
	// +optional
	SameRegionRoundTrip *metav1.Duration `json:"sameRegionRoundTrip,omitempty"`
	// jitter between regions: how far, at most, a round trip deviates to either side. Within a region there is none unless roundTrips says so. Default: 0s.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?(us|µs|ms|s)$') && duration(self) <= duration('10s')",message="latency.defaults.jitter must be at most 10s, in one unit of us, ms or s, such as 2ms"
	// +optional
	Jitter *metav1.Duration `json:"jitter,omitempty"`
	// lossPercent of the packets between regions, each way. Default: 0.
	// +optional
	LossPercent *resource.Quantity `json:"lossPercent,omitempty"`
	// bandwidth in bits per second between members of different regions, each way. Default: unlimited.
	// +optional
	Bandwidth *resource.Quantity `json:"bandwidth,omitempty"`
}
