package v1alpha1

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// NodeOverride gives some nodes another size, volume or place than spec.members.
type NodeOverride struct {
	// size is a preset of heap, cores and memory: Small, Medium or Large. It replaces members.size, members.heap, members.cores and
	// members.memory together. Default: those.
	// +optional
	Size Size `json:"size,omitempty"`
	// heap is the heap of the JVM, on a platform that has one. It is at least 512Mi. Default: that of size, or members.heap.
	// +optional
	Heap *resource.Quantity `json:"heap,omitempty"`
	// cores is the number of cores. Default: that of size, or members.cores.
	// +optional
	Cores *resource.Quantity `json:"cores,omitempty"`
	// memory is the memory limit. Default: that of size, or members.memory.
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
	// storage is the volume. It replaces members.storage as a whole. Default: members.storage.
	// +optional
	Storage *Storage `json:"storage,omitempty"`
	// scheduling says on which nodes of the cluster the pods run. It replaces members.scheduling as a whole, and must not be set with
	// database.topology PerHost, except for a notary with dedicated database instances. Default: members.scheduling.
	// +optional
	Scheduling *Scheduling `json:"scheduling,omitempty"`
}

// DatabaseOverride gives a dedicated database instance another size, volume, settings or place than spec.database.
type DatabaseOverride struct {
	// cores is the number of cores that the instance may use. Default: database.cores.
	// +optional
	Cores *resource.Quantity `json:"cores,omitempty"`
	// memory is the memory of the instance. Default: database.memory.
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
	// settings are settings of PostgreSQL, as in database.settings. They replace database.settings as a whole. Default: those.
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=32
	// +optional
	Settings map[string]DatabaseSetting `json:"settings,omitempty"`
	// storage is the volume. It replaces database.storage as a whole. Default: database.storage.
	// +optional
	Storage *Storage `json:"storage,omitempty"`
	// scheduling says on which nodes of the cluster the server runs. It replaces database.scheduling as a whole. Default:
	// database.scheduling, or members.scheduling without its terms about other pods (podAffinity, podAntiAffinity,
	// topologySpreadConstraints).
	// +optional
	Scheduling *Scheduling `json:"scheduling,omitempty"`
}

// MemberOverride describes members that differ from the others.
type MemberOverride struct {
	// members are the ordinals of the members, below members.count. 0 is member-0. Each member may be in one override only.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:Minimum=0
	// +kubebuilder:validation:items:Maximum=999
	// +required
	Members      []int32 `json:"members"`
	NodeOverride `json:",inline"`
	// version is the version of Corda, as in platform.corda.version. It may be set only with platform Corda, and needs
	// database.engine H2. Default: platform.corda.version.
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="self.matches('^4[.]([3-9]|[1-9][0-9])$')",messageExpression="'members.overrides[].version must be 4.3 or a later 4.x, as major and minor number, not ' + self"
	// +optional
	Version string `json:"version,omitempty"`
	// image is the container image of the Corda node, as in platform.corda.image. It may be set only with platform Corda, and needs
	// database.engine H2. Default: platform.corda.image, or the project's image of the version.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="members.overrides[].image must carry a tag other than latest, or a digest, so that a run can be repeated"
	// +optional
	Image string `json:"image,omitempty"`
}

// WithNodeOverride returns the spec as it is for the nodes of an override. It shares all other fields with s.
func (s *BenchmarkNetworkSpec) WithNodeOverride(o *NodeOverride) *BenchmarkNetworkSpec {
	overridden := *s
	m := &overridden.Members
	m.Overrides = nil
	if o.Size != "" {
		m.Size, m.Heap, m.Cores, m.Memory = o.Size, nil, nil, nil
	}
	m.Heap, m.Cores, m.Memory = cmp.Or(o.Heap, m.Heap), cmp.Or(o.Cores, m.Cores), cmp.Or(o.Memory, m.Memory)
	m.Scheduling = cmp.Or(o.Scheduling, m.Scheduling)
	if o.Storage != nil {
		m.Storage = *o.Storage
	}
	return &overridden
}

// WithOverride returns the spec as it is for a dedicated instance, which serves its own members only. It shares all other
// fields with d.
func (d DatabaseSpec) WithOverride(o *DatabaseOverride) DatabaseSpec {
	d.Topology, d.MembersPerInstance = TopologyPerMember, nil
	d.Cores, d.Memory = cmp.Or(o.Cores, d.Cores), cmp.Or(o.Memory, d.Memory)
	d.Storage, d.Scheduling = cmp.Or(o.Storage, d.Storage), cmp.Or(o.Scheduling, d.Scheduling)
	if o.Settings != nil {
		d.Settings = o.Settings
	}
	return d
}

// WithMemberOverride returns the spec as it is for the members of an override. It shares all other fields with s.
func (s *BenchmarkNetworkSpec) WithMemberOverride(o *MemberOverride) *BenchmarkNetworkSpec {
	overridden := s.WithNodeOverride(&o.NodeOverride)
	if s.Platform.Corda != nil {
		corda := *s.Platform.Corda
		corda.Version, corda.Image = cmp.Or(o.Version, corda.Version), cmp.Or(o.Image, corda.Image)
		overridden.Platform.Corda = &corda
	}
	return overridden
}

// ForMember returns the spec as it is for a member: s itself if no override names the member.
func (s *BenchmarkNetworkSpec) ForMember(ordinal int32) *BenchmarkNetworkSpec {
	for i := range s.Members.Overrides {
		if o := &s.Members.Overrides[i]; slices.Contains(o.Members, ordinal) {
			return s.WithMemberOverride(o)
		}
	}
	return s
}
