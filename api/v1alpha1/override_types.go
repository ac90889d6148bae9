package v1alpha1

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// NodeOverride gives some nodes another size, volume or place than spec.members.
type NodeOverride struct {
	// size is a preset of heap, cores and memory. It replaces all three of members. Default: theirs.
	// +optional
	Size Size `json:"size,omitempty"`
	// heap is the heap of the JVM, at least 512Mi, on platforms with one. Default: that of size, or members.heap.
	// +optional
	Heap *resource.Quantity `json:"heap,omitempty"`
	// cores is the number of cores. Default: that of size, or members.cores.
	// +optional
	Cores *resource.Quantity `json:"cores,omitempty"`
	// memory is the memory limit. Default: that of size, or members.memory.
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
	// storage is the volume. It replaces members.storage as a whole.
	// +optional
	Storage *Storage `json:"storage,omitempty"`
	// scheduling replaces members.scheduling as a whole. It must not be set where database.topology PerHost places the pods.
	// +optional
	Scheduling *Scheduling `json:"scheduling,omitempty"`
}

// DatabaseOverride gives a dedicated database instance another size, volume, settings or place than spec.database.
type DatabaseOverride struct {
	// cores is the number of cores of the instance. Default: database.managed.cores.
	// +optional
	Cores *resource.Quantity `json:"cores,omitempty"`
	// memory is the memory of the instance. Default: database.managed.memory.
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
	// settings are settings of PostgreSQL. They replace database.managed.settings as a whole.
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=32
	// +optional
	Settings map[string]DatabaseSetting `json:"settings,omitempty"`
	// storage is the volume. It replaces database.managed.storage as a whole.
	// +optional
	Storage *Storage `json:"storage,omitempty"`
	// scheduling replaces database.managed.scheduling as a whole. Default: that, or members.scheduling without its terms about other
	// pods.
	// +optional
	Scheduling *Scheduling `json:"scheduling,omitempty"`
}

// MemberOverride describes members that differ from the others.
type MemberOverride struct {
	// members are names of members, such as member-0, or with platform Corda legal names, each member in one override only.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=256
	// +required
	Members      []string `json:"members"`
	NodeOverride `json:",inline"`
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
	managed := d.ManagedOrDefault()
	managed.Cores, managed.Memory = cmp.Or(o.Cores, managed.Cores), cmp.Or(o.Memory, managed.Memory)
	managed.Storage, managed.Scheduling = cmp.Or(o.Storage, managed.Storage), cmp.Or(o.Scheduling, managed.Scheduling)
	if o.Settings != nil {
		managed.Settings = o.Settings
	}
	d.Managed = &managed
	return d
}

// WithCordaOverride returns the spec as it is for the members of an override. It shares all other fields with s.
func (s *BenchmarkNetworkSpec) WithCordaOverride(o *CordaOverride) *BenchmarkNetworkSpec {
	overridden, corda := *s, *s.Platform.Corda
	corda.Overrides = nil
	corda.Version, corda.Image = cmp.Or(o.Version, corda.Version), cmp.Or(o.Image, corda.Image)
	overridden.Platform.Corda = &corda
	return &overridden
}

// ForMember returns the spec as it is for the member with these names: s itself if no override has any of them.
func (s *BenchmarkNetworkSpec) ForMember(names ...string) *BenchmarkNetworkSpec {
	isNamed := func(name string) bool { return slices.Contains(names, name) }
	for i := range s.Members.Overrides {
		if o := &s.Members.Overrides[i]; slices.ContainsFunc(o.Members, isNamed) {
			s = s.WithNodeOverride(&o.NodeOverride)
			break
		}
	}
	if s.Platform.Corda == nil {
		return s
	}
	for i := range s.Platform.Corda.Overrides {
		if o := &s.Platform.Corda.Overrides[i]; slices.ContainsFunc(o.Members, isNamed) {
			return s.WithCordaOverride(o)
		}
	}
	return s
}
