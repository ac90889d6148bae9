package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Size is a preset of R3's sizing guide.
// +kubebuilder:validation:Enum=Small;Medium;Large
type Size string

// The sizes.
const (
	// SizeSmall has 1 GiB of heap, 1 core and 3 GiB of memory.
	SizeSmall Size = "Small"
	// SizeMedium has 4 GiB of heap, 8 cores and 8 GiB of memory.
	SizeMedium Size = "Medium"
	// SizeLarge has 32 GiB of heap, 32 cores and 64 GiB of memory.
	SizeLarge Size = "Large"
)

// Reservation says how much of its limits a pod requests from the scheduler.
// +kubebuilder:validation:Enum=Full;Minimal
type Reservation string

// The reservations.
const (
	// ReservationFull requests all of it, so that members never share a core or a page.
	ReservationFull Reservation = "Full"
	// ReservationMinimal requests a tenth of the cores and half of the memory, so that a network fits on a small machine.
	ReservationMinimal Reservation = "Minimal"
)

// Spread says how members are placed relative to each other.
// +kubebuilder:validation:Enum=None;Preferred;Required
type Spread string

// The spreads.
const (
	SpreadNone      Spread = "None"
	SpreadPreferred Spread = "Preferred"
	SpreadRequired  Spread = "Required"
)

// BenchmarkNetworkSpec describes the network and the load on it. What shapes the network cannot change; workloads may be appended.
// +kubebuilder:validation:XValidation:rule="self.platform == oldSelf.platform",message="spec.platform cannot change: a changed network is another network, create a new one"
// +kubebuilder:validation:XValidation:rule="self.members == oldSelf.members",message="spec.members cannot change: a changed network is another network, create a new one"
// +kubebuilder:validation:XValidation:rule="has(self.database) == has(oldSelf.database) && (!has(self.database) || self.database == oldSelf.database)",message="spec.database cannot change: a changed network is another network, create a new one"
// +kubebuilder:validation:XValidation:rule="has(self.latency) == has(oldSelf.latency) && (!has(self.latency) || self.latency == oldSelf.latency)",message="spec.latency cannot change: a changed network is another network, create a new one"
// +kubebuilder:validation:XValidation:rule="has(self.podTemplate) == has(oldSelf.podTemplate) && (!has(self.podTemplate) || self.podTemplate == oldSelf.podTemplate)",message="spec.podTemplate cannot change: a changed network is another network, create a new one"
// +kubebuilder:validation:XValidation:rule="has(self.imagePullSecrets) == has(oldSelf.imagePullSecrets) && (!has(self.imagePullSecrets) || self.imagePullSecrets == oldSelf.imagePullSecrets)",message="spec.imagePullSecrets cannot change: a changed network is another network, create a new one"
// +kubebuilder:validation:XValidation:rule="self.platform.type == 'Corda' || !has(self.database)",message="spec.database belongs to platform Corda: the members of the others keep their state themselves"
// +kubebuilder:validation:XValidation:rule="!has(self.database) || self.database.topology != 'PerHost' || !has(self.platform.corda) || !has(self.platform.corda.notary) || !has(self.platform.corda.notary.scheduling)",message="spec.platform.corda.notary.scheduling must not be set when spec.database.topology is PerHost: the notary runs on the host of its database, so set spec.members.scheduling"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.workloads) || has(self.workloads)",message="spec.workloads may be appended, not removed"
// +kubebuilder:validation:XValidation:rule="!has(self.platform.corda) || !has(self.platform.corda.legalNames) || size(self.platform.corda.legalNames) == self.members.count",message="spec.platform.corda.legalNames must hold exactly spec.members.count names"
type BenchmarkNetworkSpec struct {
	// platform is the system under test.
	// +required
	Platform PlatformSpec `json:"platform"`
	// members of the network, besides a notary: nodes, replicas or validators.
	// +required
	Members MembersSpec `json:"members"`
	// database of the members, on a platform whose members use one. Default there: H2 in each member.
	// +optional
	Database *DatabaseSpec `json:"database,omitempty"`
	// latency puts the members into regions with the round-trip times between them. Unset: as far apart as their hosts are.
	// +optional
	Latency *LatencySpec `json:"latency,omitempty"`
	// podTemplate holds labels and annotations of every pod of the network and of its runs. Default: none.
	// +optional
	PodTemplate *PodTemplate `json:"podTemplate,omitempty"`
	// imagePullSecrets names the Secrets in the namespace with which the pods of the network and of its runs pull their images, at
	// most 8, besides those that the operator is configured with. Default: none.
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$`
	// +optional
	ImagePullSecrets []string `json:"imagePullSecrets,omitempty"`
	// workloads that are run on the network one after the other.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="oldSelf.all(o, self.exists(n, n.name == o.name))",message="spec.workloads may be appended, not removed"
	// +optional
	Workloads []NetworkWorkload `json:"workloads,omitempty"`
	// priority is the priority of the network's Workload in Kueue. It has no effect on networks that Kueue does not admit. Default: 0.
	// +kubebuilder:validation:Minimum=-1000
	// +kubebuilder:validation:Maximum=1000
	// +optional
	Priority int32 `json:"priority,omitempty"`
	// suspend starts no further run while it is true; the network stays.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
	// resultPolicy is what happens to the runs of workloads when the network is deleted. Delete deletes them with their results.
	// Retain keeps the runs that have a result. Default: Delete.
	// +optional
	ResultPolicy RetentionPolicy `json:"resultPolicy,omitempty"`
	// ttlSecondsAfterFinished deletes the network so long after its last workload has ended. Unset: it stays.
	// +kubebuilder:validation:Minimum=0
	// +optional
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
}

// NetworkWorkload is a workload listed in its network.
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a workload cannot change once it is listed: append another one under another name"
type NetworkWorkload struct {
	Workload `json:",inline"`
}

// MembersSpec says how many members there are and how large they are.
type MembersSpec struct {
	// count of members: nodes (a notary is not counted), replicas or validators. JPaxos takes 3 to 9, Emerald up to 50, Corda up
	// to 100, Malachite up to 1000 with peers Discovery and up to 100 with FullMesh.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	// +required
	Count int32 `json:"count"`
	// size preset of heap, cores and memory; each can be overridden. Default: Small.
	// +kubebuilder:default=Small
	// +optional
	Size Size `json:"size,omitempty"`
	// heap of a member's JVM, on a platform that runs in one; at least 512Mi.
	// +optional
	Heap *resource.Quantity `json:"heap,omitempty"`
	// cores that a member may use.
	// +optional
	Cores *resource.Quantity `json:"cores,omitempty"`
	// memory limit of a member; must exceed the heap by what the JVM needs besides it.
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
	// reservation is Full (requests equal limits) or Minimal, for a network that shall fit on a small machine.
	// +kubebuilder:default=Full
	// +optional
	Reservation Reservation `json:"reservation,omitempty"`
	// storage of a member: journal, H2 database, logs.
	// +kubebuilder:default={type: Persistent}
	// +optional
	Storage Storage `json:"storage,omitzero"`
	// spread says how the members, with a notary, are distributed over hosts: None, Preferred (apart where possible) or Required (never
	// two on one host). Default: Preferred.
	// +kubebuilder:default=Preferred
	// +optional
	Spread Spread `json:"spread,omitempty"`
	// scheduling says on which nodes the members run. The Jobs of genesis and set-up follow it without its terms about other pods
	// (podAffinity, podAntiAffinity, topologySpreadConstraints). Default: any node.
	// +optional
	Scheduling *Scheduling `json:"scheduling,omitempty"`
}

// BenchmarkNetworkStatus is what was observed of the network.
type BenchmarkNetworkStatus struct {
	// observedGeneration is the generation of the spec that this status describes; -1 before the first pass.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// phase is a summary in one word: Queued, Pending, Provisioning, Resetting, Ready, Running, Finished, Degraded, Failed, Deleting.
	// +optional
	Phase Phase `json:"phase,omitempty"`
	// conditions of the network; docs/conditions.md lists every type and reason.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// membersReady is the number of members, including a notary, that are ready.
	// +optional
	MembersReady int32 `json:"membersReady,omitempty"`
	// membersTotal is the number of members that the network should have, including a notary.
	// +optional
	MembersTotal int32 `json:"membersTotal,omitempty"`
	// stages of the provisioning in order.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Stages []StageStatus `json:"stages,omitempty"`
	// members and notary in order.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=1024
	// +optional
	Members []MemberStatus `json:"members,omitempty"`
	// databases are the instances in order.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=1024
	// +optional
	Databases []DatabaseStatus `json:"databases,omitempty"`
	// settings are the derived settings, each with the rule that it follows from. Database instances with the same setting share an entry.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	// +optional
	Settings []DerivedSetting `json:"settings,omitempty"`
	// planHash identifies everything that was applied: equal hashes mean equal objects.
	// +optional
	PlanHash string `json:"planHash,omitempty"`
	// epoch is the network's life since it was made or last reset.
	// +optional
	Epoch *EpochStatus `json:"epoch,omitempty"`
	// lastRun is the run that ended last.
	// +optional
	LastRun *LastRun `json:"lastRun,omitempty"`
	// display holds formatted text for print columns and people. Programs should read the other fields.
	// +optional
	Display NetworkDisplay `json:"display,omitzero"`
}

// NetworkDisplay is formatted text about a network, for people.
type NetworkDisplay struct {
	// members is the number of ready members out of all, such as "3/5".
	// +optional
	Members string `json:"members,omitempty"`
	// database is the engine and the topology of the databases, such as "PostgreSQL/Shared".
	// +optional
	Database string `json:"database,omitempty"`
	// throughput is the throughput of the last run with its unit, such as "40.1 flows/s".
	// +optional
	Throughput string `json:"throughput,omitempty"`
}

// EpochStatus is a network's life between two resets.
type EpochStatus struct {
	// id of the epoch; empty in the first, which began when the network was made.
	// +optional
	ID string `json:"id,omitempty"`
	// startedAt is when its reset, or in the first epoch the provisioning, began.
	// +optional
	StartedAt *metav1.MicroTime `json:"startedAt,omitempty"`
	// readyAt is when the network was ready in it first.
	// +optional
	ReadyAt *metav1.MicroTime `json:"readyAt,omitempty"`
	// firstRun is the UID of the run that found the network fresh; empty while there was none.
	// +optional
	FirstRun types.UID `json:"firstRun,omitempty"`
	// turn is the UID of the run that may use the network, or had it last; set while the network is ready.
	// +optional
	Turn types.UID `json:"turn,omitempty"`
}

// StageStatus is the progress of one stage.
type StageStatus struct {
	// name of the stage.
	Name string `json:"name"`
	// state is Waiting, InProgress, Ready or Failed.
	State ComponentState `json:"state"`
	// message names what the stage waits for.
	// +optional
	Message string `json:"message,omitempty"`
	// startedAt is when the stage's objects were applied first.
	// +optional
	StartedAt *metav1.MicroTime `json:"startedAt,omitempty"`
	// readyAt is when the stage was seen ready first.
	// +optional
	ReadyAt *metav1.MicroTime `json:"readyAt,omitempty"`
}

// MemberStatus is one member or notary.
type MemberStatus struct {
	// name of the member in the network, such as member-0 or notary.
	Name string `json:"name"`
	// identity under which the platform knows it, such as an X.500 name.
	// +optional
	Identity string `json:"identity,omitempty"`
	// address at which its peers reach it.
	// +optional
	Address string `json:"address,omitempty"`
	// state is Waiting, Starting, Ready or Failed.
	State ComponentState `json:"state"`
	// restarts of its containers.
	// +optional
	Restarts int32 `json:"restarts,omitempty"`
	// imageDigest is the resolved image of the node.
	// +optional
	ImageDigest string `json:"imageDigest,omitempty"`
	// host is the Kubernetes node it runs on.
	// +optional
	Host string `json:"host,omitempty"`
}

// DatabaseStatus is one database instance.
type DatabaseStatus struct {
	// name of the instance.
	Name string `json:"name"`
	// host and port.
	// +optional
	Address string `json:"address,omitempty"`
	// maxConnections of the server.
	// +optional
	MaxConnections int32 `json:"maxConnections,omitempty"`
	// storage is the size of its volume.
	// +optional
	Storage string `json:"storage,omitempty"`
	// members that it serves.
	// +optional
	Members int32 `json:"members,omitempty"`
	// state is Waiting, Starting, Ready or External.
	State ComponentState `json:"state"`
}

// DerivedSetting is a value the operator derived.
type DerivedSetting struct {
	// name is the name of the setting, in the words of the platform. If the instances of a database have different values, it names the
	// instances that have this one: postgresql[lab-db-0 to lab-db-8].max_connections.
	Name string `json:"name"`
	// value in use.
	Value string `json:"value"`
	// source is the rule it comes from, or the field that set it.
	Source string `json:"source"`
}

// LastRun summarises the run that ended last.
type LastRun struct {
	// name of the BenchmarkRun.
	Name string `json:"name"`
	// throughputMilliPerSecond is the number of operations completed per second, in thousandths.
	// +optional
	ThroughputMilliPerSecond *int64 `json:"throughputMilliPerSecond,omitempty"`
	// verdict of the run.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`
}

// BenchmarkNetwork is one benchmark network of a distributed ledger.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=bnet,categories=benchnet
// +kubebuilder:printcolumn:name="Platform",type=string,JSONPath=`.spec.platform.type`
// +kubebuilder:printcolumn:name="Members",type=string,JSONPath=`.status.display.members`
// +kubebuilder:printcolumn:name="Database",type=string,JSONPath=`.status.display.database`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Throughput",type=string,JSONPath=`.status.display.throughput`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="metadata.name must be at most 63 characters: it is the name of a Service"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be a DNS label that begins with a letter (a-z, 0-9 and - only): it becomes part of host names"
type BenchmarkNetwork struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec of the network.
	// +required
	Spec BenchmarkNetworkSpec `json:"spec"`
	// status of the network.
	// +kubebuilder:default:={"observedGeneration":-1}
	// +optional
	Status BenchmarkNetworkStatus `json:"status,omitempty"`
}

// BenchmarkNetworkList is a list of networks.
// +kubebuilder:object:root=true
type BenchmarkNetworkList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BenchmarkNetwork `json:"items"`
}
