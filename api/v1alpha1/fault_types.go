package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// FaultType is what a fault does to its targets.
// +kubebuilder:validation:Enum=Kill;Pause;Evict;Partition;Link;Pressure;FillDisk;SlowDatabase
type FaultType string

// The fault types.
const (
	// FaultKill kills the processes of the target, which are started again after the duration.
	FaultKill FaultType = "Kill"
	// FaultPause stops the processes of the target for the duration.
	FaultPause FaultType = "Pause"
	// FaultPartition cuts the target off from other members for the duration.
	FaultPartition FaultType = "Partition"
	// FaultLink impairs the packets between the target and other members for the duration.
	FaultLink FaultType = "Link"
	// FaultPressure takes CPU or memory of the target for the duration.
	FaultPressure FaultType = "Pressure"
	// FaultFillDisk fills the volume of the target for the duration.
	FaultFillDisk FaultType = "FillDisk"
	// FaultSlowDatabase stops a database for a part of each second of the duration.
	FaultSlowDatabase FaultType = "SlowDatabase"
	// FaultEvict evicts the pod of the target.
	FaultEvict FaultType = "Evict"
)

// IsOfNetwork reports whether the sidecars of the members inject the fault.
func (t FaultType) IsOfNetwork() bool { return t == FaultPartition || t == FaultLink }

// KillScope is what a fault of type Kill ends.
// +kubebuilder:validation:Enum=Process;Container;Pod
type KillScope string

// The scopes of Kill.
const (
	// KillProcess kills the processes; the agent of the container starts them again.
	KillProcess KillScope = "Process"
	// KillContainer ends the agent, too; kubelet starts the container again.
	KillContainer KillScope = "Container"
	// KillPod deletes the pod with 1 s of grace; its StatefulSet creates another.
	KillPod KillScope = "Pod"
)

// FaultDirection is the direction of the packets that a fault of the network hits.
// +kubebuilder:validation:Enum=Both;ToTarget;FromTarget
type FaultDirection string

// The directions.
const (
	DirectionBoth       FaultDirection = "Both"
	DirectionToTarget   FaultDirection = "ToTarget"
	DirectionFromTarget FaultDirection = "FromTarget"
)

// NetworkFaults says whether a network takes faults of the network between its members.
// +kubebuilder:validation:Enum=Enabled;Disabled
type NetworkFaults string

// The settings of network faults.
const (
	NetworkFaultsEnabled  NetworkFaults = "Enabled"
	NetworkFaultsDisabled NetworkFaults = "Disabled"
)

// Fault is a fault that is injected on purpose while the load runs.
// +kubebuilder:validation:XValidation:rule="has(self.duration) || self.type in ['Kill', 'Evict']",messageExpression="'duration must be set if type is ' + self.type"
type Fault struct {
	// name is unique in the workload.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +required
	Name string `json:"name"`
	// type is Kill, Pause (SIGSTOP, then SIGCONT), Evict (by the eviction API), Partition (all packets between the targets and other members
	// are lost), Link (these packets are impaired), Pressure (on CPU or memory), FillDisk or SlowDatabase. Partition and Link need
	// networkFaults of the network; Evict and Kill of a Pod the chart value faults.pods.
	// +required
	Type FaultType `json:"type"`
	// at is the time from the start of the window, at least 30s, with which the scores compare.
	// +required
	At Seconds `json:"at"`
	// duration is up to 10m. With type Kill, it is the time until the processes start again, by default 0s. It is not set if the container
	// or the pod ends.
	// +optional
	Duration *Seconds `json:"duration,omitempty"`
	// target names the processes, or the members on one side of a partition or of links.
	// +required
	Target FaultTarget `json:"target"`
	// from are the names of the members on the other side of a partition or of links. Default: all others.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=80
	// +optional
	From []string `json:"from,omitempty"`
	// direction is Both (default), ToTarget or FromTarget, of the packets that a partition or a link hits.
	// +optional
	Direction FaultDirection `json:"direction,omitempty"`
	// kill belongs to type Kill.
	// +optional
	Kill *KillFault `json:"kill,omitempty"`
	// link is set with type Link.
	// +optional
	Link *LinkFault `json:"link,omitempty"`
	// pressure is set with type Pressure.
	// +optional
	Pressure *PressureFault `json:"pressure,omitempty"`
	// fillDisk belongs to type FillDisk.
	// +optional
	FillDisk *FillDiskFault `json:"fillDisk,omitempty"`
	// slowDatabase is set with type SlowDatabase.
	// +optional
	SlowDatabase *SlowDatabaseFault `json:"slowDatabase,omitempty"`
}

// EndsContainer reports whether the fault ends the containers of its targets, but not their pods.
func (f *Fault) EndsContainer() bool { return f.Kill != nil && f.Kill.Of == KillContainer }

// EndsPod reports whether the fault ends the pods of its targets.
func (f *Fault) EndsPod() bool { return f.Type == FaultEvict || f.Kill != nil && f.Kill.Of == KillPod }

// KillFault is what a fault of type Kill ends.
type KillFault struct {
	// of is Process (default), Container or Pod.
	// +optional
	Of KillScope `json:"of,omitempty"`
}

// FillDiskFault is how much a fault fills.
type FillDiskFault struct {
	// leaveFree is what stays free in the volume. Default: 0.
	// +optional
	LeaveFree *resource.Quantity `json:"leaveFree,omitempty"`
}

// SlowDatabaseFault is how slow a fault makes a database.
type SlowDatabaseFault struct {
	// pause is how long the processes of the database are stopped in each second, from 10ms to 900ms.
	// +required
	Pause Latency `json:"pause"`
}

// LinkFault is what a fault adds to the connections between its sides, beside the latency of regions.
// +kubebuilder:validation:MinProperties=1
type LinkFault struct {
	// roundTrip is added to the round-trip time, in the packets to the target. It is at most half of duration, and 10s.
	// +optional
	RoundTrip *Latency `json:"roundTrip,omitempty"`
	// jitter is the largest deviation of the added round trip, above or below. It must not exceed roundTrip.
	// +optional
	Jitter *Latency `json:"jitter,omitempty"`
	// lossPercent is the percentage of packets that are lost in each direction, at most 50.
	// +optional
	LossPercent *resource.Quantity `json:"lossPercent,omitempty"`
	// bandwidth is that of each pair of members in each direction, in bits per second, at least 8k.
	// +optional
	Bandwidth *resource.Quantity `json:"bandwidth,omitempty"`
}

// PressureFault is what a fault takes from the container of its target.
// +kubebuilder:validation:MinProperties=1
type PressureFault struct {
	// cpuPercent is the percentage of the container's CPU limit that the agent uses.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	CPUPercent *int32 `json:"cpuPercent,omitempty"`
	// memoryHeadroom is what the agent leaves of the container's memory limit, at least 64Mi.
	// +optional
	MemoryHeadroom *resource.Quantity `json:"memoryHeadroom,omitempty"`
}

// FaultSelection selects members by their role when the fault begins.
// +kubebuilder:validation:Enum=Leader;Followers
type FaultSelection string

// The selections.
const (
	SelectLeader    FaultSelection = "Leader"
	SelectFollowers FaultSelection = "Followers"
)

// FaultTarget names members and databases of the network, or selects members.
// +kubebuilder:validation:XValidation:rule="!has(self.members) && !has(self.databases) || !has(self.select) && !has(self.role) && !has(self.region) && !has(self.sharePercent)",message="select, role, region and sharePercent exclude members and databases"
// +kubebuilder:validation:MinProperties=1
type FaultTarget struct {
	// select is Leader or Followers: the members that have this role in the consensus when the fault begins.
	// +optional
	Select FaultSelection `json:"select,omitempty"`
	// role selects the members, without notaries, or the notaries.
	// +kubebuilder:validation:Enum=Member;Notary
	// +optional
	Role string `json:"role,omitempty"`
	// region selects the members of a region.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Region string `json:"region,omitempty"`
	// sharePercent selects this percentage of the members, rounded up, the last ones first. It excludes select.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	SharePercent *int32 `json:"sharePercent,omitempty"`
	// members are names, such as member-0, or those of one container, such as member-0/execution.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=80
	// +optional
	Members []string `json:"members,omitempty"`
	// databases are names as in status.databases of the network, but without its name, such as db or db-0. Their database must be
	// Managed.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=80
	// +optional
	Databases []string `json:"databases,omitempty"`
}
