package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Size is a preset of heap, cores and memory from R3's sizing guide.
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

// Purpose says what a network is for.
// +kubebuilder:validation:Enum=Measurement;Trial
type Purpose string

// The purposes.
const (
	// PurposeMeasurement has the defaults of results that others rely on.
	PurposeMeasurement Purpose = "Measurement"
	// PurposeTrial has defaults that fit a small or shared machine. Its results are marked as not to be quoted.
	PurposeTrial Purpose = "Trial"
)

// Reservation says how much of its limits a pod requests from the scheduler.
// +kubebuilder:validation:Enum=Full;Minimal;MemoryOnly
type Reservation string

// The reservations.
const (
	// ReservationFull requests all of the limits, so members never share a core or a page of memory.
	ReservationFull Reservation = "Full"
	// ReservationMinimal requests a tenth of the cores and half of the memory, for a network on a small machine.
	ReservationMinimal Reservation = "Minimal"
	// ReservationMemoryOnly requests half of the memory and hardly any cores, for many members on a small machine.
	ReservationMemoryOnly Reservation = "MemoryOnly"
)

// Spread says how strictly pods are kept on different hosts.
// +kubebuilder:validation:Enum=None;Preferred;Required
type Spread string

// The spreads.
const (
	SpreadNone      Spread = "None"
	SpreadPreferred Spread = "Preferred"
	SpreadRequired  Spread = "Required"
)

// Observation says how much of the members and databases is observed.
// +kubebuilder:validation:Enum=Full;None
type Observation string

// The observations.
const (
	// ObservationFull runs the exporters of metrics. Runs and Prometheus sample them.
	ObservationFull Observation = "Full"
	// ObservationNone runs no exporters, and nothing samples the members and databases.
	ObservationNone Observation = "None"
)

// Pause says when the members of a network stop and release their cores and memory.
// +kubebuilder:validation:Enum=Never;WhenFinished;Now
type Pause string

// The pauses.
const (
	PauseNever Pause = "Never"
	// PauseWhenFinished stops the members when all runs have ended, until there is another run or workload.
	PauseWhenFinished Pause = "WhenFinished"
	// PauseNow stops the members when the run in progress has ended, and starts no other run.
	PauseNow Pause = "Now"
)

// NetworkTemplate defines a network. A network's definition cannot change.
// +kubebuilder:validation:XValidation:rule="self.platform.type == 'Corda' || !has(self.database)",message="spec.database belongs to platform Corda: members of other platforms store their own state"
// +kubebuilder:validation:XValidation:rule="!has(self.database) || self.database.engine in ['H2', 'PostgreSQL'] || (has(self.platform.corda) && self.platform.corda.distribution == 'Enterprise')",message="spec.database.engine SQLServer and Oracle need spec.platform.corda.distribution Enterprise: R3 supports them only there"
type NetworkTemplate struct {
	// purpose is Measurement, or Trial: members.reservation Minimal, storage Ephemeral and environmentPolicy Record by default, and
	// results marked as not to be quoted. Default: Measurement.
	// +kubebuilder:default=Measurement
	// +optional
	Purpose Purpose `json:"purpose,omitempty"`
	// platform is the system under test.
	// +required
	Platform PlatformSpec `json:"platform"`
	// members describes the members of the network: nodes, replicas or validators. A notary is not counted.
	// +required
	Members MembersSpec `json:"members"`
	// database is the members' database, only with platform Corda. Default: H2 in each member.
	// +optional
	Database *DatabaseSpec `json:"database,omitempty"`
	// regions places the members in regions and emulates the round-trip times between them, or records the regions of a cluster that
	// spans several. Default: neither.
	// +optional
	Regions *RegionsSpec `json:"regions,omitempty"`
	// networkFaults is Enabled or Disabled. Enabled adds a sidecar with NET_ADMIN to each member, for faults of types Partition and Link.
	// Default: Disabled.
	// +kubebuilder:default=Disabled
	// +optional
	NetworkFaults NetworkFaults `json:"networkFaults,omitempty"`
	// observation is Full or None. With None, nothing exports or samples metrics of members and databases, to measure what that
	// costs: runs know no bottleneck. Default: Full.
	// +kubebuilder:default=Full
	// +optional
	Observation Observation `json:"observation,omitempty"`
	// podTemplate holds labels and annotations that are added to every pod of the network and of its runs. Default: none.
	// +optional
	PodTemplate *PodTemplate `json:"podTemplate,omitempty"`
	// commonLabels are added to every object of the network and of its runs. The keys are those that podTemplate allows. Default:
	// none.
	// +kubebuilder:validation:MaxProperties=16
	// +optional
	CommonLabels map[string]string `json:"commonLabels,omitempty"`
	// imagePullSecrets are names of Secrets in the namespace, beside those that the operator is configured with. Default: none.
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$`
	// +optional
	ImagePullSecrets []string `json:"imagePullSecrets,omitempty"`
}

// BenchmarkNetworkSpec describes a network and the workloads that run on it. The fields that define the network cannot change.
// Workloads may be added. The API server compares the quantities of members and database by value, as 1 and "1" are equal, and all
// others as they are written: its cost budget for rules has no space for them.
// +kubebuilder:validation:XValidation:rule="self.platform == oldSelf.platform",message="spec.platform cannot change: create another network, or write quantities exactly as before"
// +kubebuilder:validation:XValidation:rule="self.members.count == oldSelf.members.count && self.members.size == oldSelf.members.size && has(self.members.reservation) == has(oldSelf.members.reservation) && (!has(self.members.reservation) || self.members.reservation == oldSelf.members.reservation) && self.members.spread == oldSelf.members.spread && has(self.members.scheduling) == has(oldSelf.members.scheduling) && (!has(self.members.scheduling) || self.members.scheduling == oldSelf.members.scheduling) && has(self.members.overrides) == has(oldSelf.members.overrides) && (!has(self.members.overrides) || self.members.overrides == oldSelf.members.overrides) && has(self.members.storage.type) == has(oldSelf.members.storage.type) && (!has(self.members.storage.type) || self.members.storage.type == oldSelf.members.storage.type) && has(self.members.storage.className) == has(oldSelf.members.storage.className) && (!has(self.members.storage.className) || self.members.storage.className == oldSelf.members.storage.className)",message="spec.members cannot change: create another network"
// +kubebuilder:validation:XValidation:rule="has(self.members.heap) == has(oldSelf.members.heap) && (!has(self.members.heap) || quantity(string(self.members.heap)).asApproximateFloat() == quantity(string(oldSelf.members.heap)).asApproximateFloat())",message="spec.members.heap cannot change: create another network"
// +kubebuilder:validation:XValidation:rule="has(self.members.cores) == has(oldSelf.members.cores) && (!has(self.members.cores) || quantity(string(self.members.cores)).asApproximateFloat() == quantity(string(oldSelf.members.cores)).asApproximateFloat())",message="spec.members.cores cannot change: create another network"
// +kubebuilder:validation:XValidation:rule="has(self.members.memory) == has(oldSelf.members.memory) && (!has(self.members.memory) || quantity(string(self.members.memory)).asApproximateFloat() == quantity(string(oldSelf.members.memory)).asApproximateFloat())",message="spec.members.memory cannot change: create another network"
// +kubebuilder:validation:XValidation:rule="has(self.members.storage.size) == has(oldSelf.members.storage.size) && (!has(self.members.storage.size) || quantity(string(self.members.storage.size)).asApproximateFloat() == quantity(string(oldSelf.members.storage.size)).asApproximateFloat())",message="spec.members.storage.size cannot change: create another network"
// +kubebuilder:validation:XValidation:rule="has(self.database) == has(oldSelf.database) && (!has(self.database) || self.database.engine == oldSelf.database.engine && self.database.topology == oldSelf.database.topology && has(self.database.membersPerInstance) == has(oldSelf.database.membersPerInstance) && (!has(self.database.membersPerInstance) || self.database.membersPerInstance == oldSelf.database.membersPerInstance) && has(self.database.connectionsPerMember) == has(oldSelf.database.connectionsPerMember) && (!has(self.database.connectionsPerMember) || self.database.connectionsPerMember == oldSelf.database.connectionsPerMember) && self.database.provider == oldSelf.database.provider && has(self.database.chart) == has(oldSelf.database.chart) && (!has(self.database.chart) || self.database.chart == oldSelf.database.chart) && has(self.database.external) == has(oldSelf.database.external) && (!has(self.database.external) || self.database.external == oldSelf.database.external) && has(self.database.managed) == has(oldSelf.database.managed))",message="spec.database cannot change: create another network"
// +kubebuilder:validation:XValidation:rule="!has(self.database) || !has(oldSelf.database) || !has(self.database.managed) || !has(oldSelf.database.managed) || has(self.database.managed.version) == has(oldSelf.database.managed.version) && (!has(self.database.managed.version) || self.database.managed.version == oldSelf.database.managed.version) && has(self.database.managed.image) == has(oldSelf.database.managed.image) && (!has(self.database.managed.image) || self.database.managed.image == oldSelf.database.managed.image) && has(self.database.managed.settings) == has(oldSelf.database.managed.settings) && (!has(self.database.managed.settings) || self.database.managed.settings == oldSelf.database.managed.settings) && has(self.database.managed.scheduling) == has(oldSelf.database.managed.scheduling) && (!has(self.database.managed.scheduling) || self.database.managed.scheduling == oldSelf.database.managed.scheduling) && has(self.database.managed.storage) == has(oldSelf.database.managed.storage) && (!has(self.database.managed.storage) || has(self.database.managed.storage.type) == has(oldSelf.database.managed.storage.type) && (!has(self.database.managed.storage.type) || self.database.managed.storage.type == oldSelf.database.managed.storage.type) && has(self.database.managed.storage.className) == has(oldSelf.database.managed.storage.className) && (!has(self.database.managed.storage.className) || self.database.managed.storage.className == oldSelf.database.managed.storage.className))",message="spec.database.managed cannot change: create another network"
// +kubebuilder:validation:XValidation:rule="!has(self.database) || !has(oldSelf.database) || !has(self.database.managed) || !has(oldSelf.database.managed) || has(self.database.managed.cores) == has(oldSelf.database.managed.cores) && (!has(self.database.managed.cores) || quantity(string(self.database.managed.cores)).asApproximateFloat() == quantity(string(oldSelf.database.managed.cores)).asApproximateFloat())",message="spec.database.managed.cores cannot change: create another network"
// +kubebuilder:validation:XValidation:rule="!has(self.database) || !has(oldSelf.database) || !has(self.database.managed) || !has(oldSelf.database.managed) || has(self.database.managed.memory) == has(oldSelf.database.managed.memory) && (!has(self.database.managed.memory) || quantity(string(self.database.managed.memory)).asApproximateFloat() == quantity(string(oldSelf.database.managed.memory)).asApproximateFloat())",message="spec.database.managed.memory cannot change: create another network"
// +kubebuilder:validation:XValidation:rule="!has(self.database) || !has(oldSelf.database) || !has(self.database.managed) || !has(oldSelf.database.managed) || !has(self.database.managed.storage) || !has(oldSelf.database.managed.storage) || has(self.database.managed.storage.size) == has(oldSelf.database.managed.storage.size) && (!has(self.database.managed.storage.size) || quantity(string(self.database.managed.storage.size)).asApproximateFloat() == quantity(string(oldSelf.database.managed.storage.size)).asApproximateFloat())",message="spec.database.managed.storage.size cannot change: create another network"
// +kubebuilder:validation:XValidation:rule="has(self.regions) == has(oldSelf.regions) && (!has(self.regions) || self.regions == oldSelf.regions)",message="spec.regions cannot change: create another network, or write quantities exactly as before"
// +kubebuilder:validation:XValidation:rule="self.purpose == oldSelf.purpose",message="spec.purpose cannot change: create another network"
// +kubebuilder:validation:XValidation:rule="self.observation == oldSelf.observation && self.networkFaults == oldSelf.networkFaults",message="spec.observation and spec.networkFaults cannot change: create another network"
// +kubebuilder:validation:XValidation:rule="has(self.podTemplate) == has(oldSelf.podTemplate) && (!has(self.podTemplate) || self.podTemplate == oldSelf.podTemplate)",message="spec.podTemplate cannot change: create another network"
// +kubebuilder:validation:XValidation:rule="has(self.commonLabels) == has(oldSelf.commonLabels) && (!has(self.commonLabels) || self.commonLabels == oldSelf.commonLabels)",message="spec.commonLabels cannot change: create another network"
// +kubebuilder:validation:XValidation:rule="has(self.imagePullSecrets) == has(oldSelf.imagePullSecrets) && (!has(self.imagePullSecrets) || self.imagePullSecrets == oldSelf.imagePullSecrets)",message="spec.imagePullSecrets cannot change: create another network"
// +kubebuilder:validation:XValidation:rule="!has(self.pause) || self.pause == 'Never' || (has(self.members.storage.type) ? self.members.storage.type == 'Persistent' : self.purpose != 'Trial' || has(self.members.storage.className)) && (!has(self.members.overrides) || self.members.overrides.all(o, !has(o.storage) || (has(o.storage.type) ? o.storage.type == 'Persistent' : self.purpose != 'Trial' || has(o.storage.className)))) && (!has(self.platform.corda) || !has(self.platform.corda.notary.storage) || (has(self.platform.corda.notary.storage.type) ? self.platform.corda.notary.storage.type == 'Persistent' : self.purpose != 'Trial' || has(self.platform.corda.notary.storage.className)))",message="spec.pause must be Never, or members.storage.type Persistent, also in members.overrides and platform.corda.notary: Ephemeral storage is lost with the pod"
// +kubebuilder:validation:XValidation:rule="!has(self.pause) || self.pause == 'Never' || !has(self.platform.jpaxos) || self.platform.jpaxos.crashModel in ['FullSS', 'Pmem']",message="spec.pause must be Never, or platform.jpaxos.crashModel FullSS or Pmem: with the others, replicas that all stop lose their state"
// +kubebuilder:validation:XValidation:rule="!has(self.pause) || self.pause != 'WhenFinished' || !has(self.ttlSecondsAfterFinished) || self.ttlSecondsAfterFinished > 0",message="spec.pause WhenFinished needs ttlSecondsAfterFinished above 0, or none: with 0, the network is deleted when it has finished"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.workloads) || has(self.workloads)",message="spec.workloads: workloads may be added, but not removed"
type BenchmarkNetworkSpec struct {
	NetworkTemplate `json:",inline"`
	// delivery says where the results of the runs of workloads go. It can change at any time.
	// +optional
	Delivery Delivery `json:"delivery,omitzero"`
	// workloads are the workloads that run on the network in order, one at a time, at most 32. Workloads may be added, but not changed
	// or removed.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="oldSelf.all(o, self.exists(n, n.name == o.name))",message="spec.workloads: workloads may be added, but not removed"
	// +optional
	Workloads []NetworkWorkload `json:"workloads,omitempty"`
	// pauseRuns prevents further runs from starting. The network remains. Default: false.
	// +optional
	PauseRuns bool `json:"pauseRuns,omitempty"`
	// pause says when the members stop and keep their state: Never, WhenFinished (when all workloads and runs have ended, until another
	// is added) or Now (when the run in progress has ended; as with pauseRuns, no other starts). A network is provisioned or reset
	// first. WhenFinished and Now need Persistent storage. Default: Never.
	// +optional
	Pause Pause `json:"pause,omitempty"`
	// resultRetention says what happens to the runs of workloads when the network is deleted. Delete deletes them with their results.
	// Retain keeps the runs that have a result. Default: Delete.
	// +optional
	ResultRetention RetentionPolicy `json:"resultRetention,omitempty"`
	// ttlSecondsAfterFinished is the time in seconds after the end of the last workload at which the operator deletes the network. If
	// unset, the network is never deleted.
	// +kubebuilder:validation:Minimum=0
	// +optional
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
}

// NetworkWorkload is a workload listed in its network.
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="spec.workloads[]: a workload cannot change: add another one under another name, or write quantities exactly as before"
type NetworkWorkload struct {
	Workload `json:",inline"`
}

// MembersSpec describes the number, the size and the placement of the members.
type MembersSpec struct {
	// count is the number of members: nodes (without a notary), replicas or validators. JPaxos takes 3 to 9, Emerald and
	// MalachiteEVM up to 50, Corda up to 100, CometBFT up to 200, Malachite up to 1000 (100 with peers.type FullMesh).
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	// +required
	Count int32 `json:"count"`
	// size is a preset of heap, cores and memory, each of which can be overridden. Default: Small.
	// +kubebuilder:default=Small
	// +optional
	Size Size `json:"size,omitempty"`
	// heap is the heap of a member's JVM, at least 512Mi, on platforms with one. Default: that of size.
	// +optional
	Heap *resource.Quantity `json:"heap,omitempty"`
	// cores is the number of cores of a member. Default: that of size.
	// +optional
	Cores *resource.Quantity `json:"cores,omitempty"`
	// memory is the memory limit of a member. It must exceed the heap by what the JVM needs outside of it. Default: that of size.
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
	// reservation is what a member requests: Full (its limits), Minimal (a tenth of its cores, half of its memory) or MemoryOnly
	// (1m of a core, half of its memory). Default: Full, or Minimal if purpose is Trial.
	// +optional
	Reservation Reservation `json:"reservation,omitempty"`
	// storage is the volume of a member, for its state and logs. Default: that of storage.type.
	// +kubebuilder:default={}
	// +optional
	Storage Storage `json:"storage,omitzero"`
	// spread says how members and notary are distributed over hosts: None, Preferred (on different hosts if possible) or Required
	// (never two on one). Default: Preferred.
	// +kubebuilder:default=Preferred
	// +optional
	Spread Spread `json:"spread,omitempty"`
	// scheduling says on which nodes the members run. The Jobs of genesis and set-up follow it without terms about other pods.
	// Default: any node.
	// +optional
	Scheduling *Scheduling `json:"scheduling,omitempty"`
	// overrides are members that differ from the others. Default: none.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Overrides []MemberOverride `json:"overrides,omitempty"`
}

// BenchmarkNetworkStatus is the observed state of the network.
type BenchmarkNetworkStatus struct {
	// observedGeneration is the generation of the spec that this status describes. It is -1 before the first reconcile.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// phase is a one-word summary: Queued, Pending, Provisioning, Resetting, Ready, Running, Finished, Paused, Degraded, Failed or
	// Deleting. Programs should read conditions.
	// +optional
	Phase Phase `json:"phase,omitempty"`
	// conditions are the conditions of the network. docs/conditions.md lists every type and reason.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// membersReady is the number of ready members, including a notary.
	// +optional
	MembersReady int32 `json:"membersReady,omitempty"`
	// membersTotal is the desired number of members, including a notary.
	// +optional
	MembersTotal int32 `json:"membersTotal,omitempty"`
	// stages are the stages of provisioning in order.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Stages []StageStatus `json:"stages,omitempty"`
	// members are the members and the notary in order.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=1024
	// +optional
	Members []MemberStatus `json:"members,omitempty"`
	// databases are the database instances in order.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=1024
	// +optional
	Databases []DatabaseStatus `json:"databases,omitempty"`
	// settings are the derived settings, each with the rule that it follows from. Those in which some nodes differ from the other members
	// follow with the names of the nodes, such as heap[notary]. Database instances with the same setting share an entry.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=256
	// +optional
	Settings []DerivedSetting `json:"settings,omitempty"`
	// planHash is the hash of everything that was applied. Equal hashes mean equal objects.
	// +optional
	PlanHash string `json:"planHash,omitempty"`
	// epoch describes the time since the network was created or last reset.
	// +optional
	Epoch *EpochStatus `json:"epoch,omitempty"`
	// generatedSecrets records the keys and passwords that were generated for the network. They are not generated again in the same epoch.
	// +optional
	GeneratedSecrets *GeneratedSecrets `json:"generatedSecrets,omitempty"`
	// lastRun is the run that ended last.
	// +optional
	LastRun *LastRun `json:"lastRun,omitempty"`
	// display holds formatted text for print columns and human readers. Programs should read the other fields.
	// +optional
	Display NetworkDisplay `json:"display,omitzero"`
}

// HasPlan reports whether the network's spec gives the plan with that hash. It is false for an empty
// hash, and until the operator has planned the latest spec.
func (n *BenchmarkNetwork) HasPlan(hash string) bool {
	planned := n.Status.ObservedGeneration
	if n.DeletionTimestamp != nil {
		planned++ // The deletion has increased the generation.
	}
	return hash != "" && n.Status.PlanHash == hash && planned >= n.Generation
}

// NetworkDisplay is formatted text about a network for human readers.
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

// GeneratedSecrets records the generated Secrets of a network.
type GeneratedSecrets struct {
	// epoch is the identifier of the epoch in which they are used.
	// +optional
	Epoch string `json:"epoch,omitempty"`
	// digests has 8 hexadecimal digits of a hash of each Secret's content, in the order of their names, with the token of the commands
	// last. Dashes stand for a Secret that is not in use yet.
	// +kubebuilder:validation:MaxLength=65536
	// +optional
	Digests string `json:"digests,omitempty"`
}

// EpochStatus describes the time of a network between two resets.
type EpochStatus struct {
	// id is the identifier of the epoch. It is empty in the first epoch, which begins when the network is created.
	// +optional
	ID string `json:"id,omitempty"`
	// startedAt is when the reset began, or the provisioning in the first epoch.
	// +optional
	StartedAt *metav1.MicroTime `json:"startedAt,omitempty"`
	// readyAt is when the network first became ready in the epoch.
	// +optional
	ReadyAt *metav1.MicroTime `json:"readyAt,omitempty"`
	// firstRun is the UID of the first run in the epoch, which found the network in its initial state. It is empty before that run.
	// +optional
	FirstRun types.UID `json:"firstRun,omitempty"`
	// turn is the UID of the run that may use the network, or that used it last. It is set while the network is ready.
	// +optional
	Turn types.UID `json:"turn,omitempty"`
}

// StageStatus is the progress of one stage.
type StageStatus struct {
	// name is the name of the stage.
	Name string `json:"name"`
	// state is Waiting, InProgress, Ready or Failed.
	State ComponentState `json:"state"`
	// message says what the stage is waiting for.
	// +optional
	Message string `json:"message,omitempty"`
	// startedAt is when the objects of the stage were first applied.
	// +optional
	StartedAt *metav1.MicroTime `json:"startedAt,omitempty"`
	// readyAt is when the stage was first observed to be ready.
	// +optional
	ReadyAt *metav1.MicroTime `json:"readyAt,omitempty"`
}

// MemberStatus is the observed state of one member or notary.
type MemberStatus struct {
	// name is the name of the member in the network, such as member-0 or notary.
	Name string `json:"name"`
	// identity is the identity of the member on its platform, such as an X.500 name.
	// +optional
	Identity string `json:"identity,omitempty"`
	// address is the address that the member's peers connect to.
	// +optional
	Address string `json:"address,omitempty"`
	// state is Waiting, Starting, Ready or Failed.
	State ComponentState `json:"state"`
	// restarts is the number of restarts of the member's containers.
	// +optional
	Restarts int32 `json:"restarts,omitempty"`
	// imageDigest is the resolved image of the member.
	// +optional
	ImageDigest string `json:"imageDigest,omitempty"`
	// host is the Kubernetes node that the member runs on.
	// +optional
	Host string `json:"host,omitempty"`
}

// DatabaseStatus is the observed state of one database instance.
type DatabaseStatus struct {
	// name is the name of the instance.
	Name string `json:"name"`
	// address is the host and the port of the instance.
	// +optional
	Address string `json:"address,omitempty"`
	// version is the version of the server, as it reported it when the schemas were set up.
	// +optional
	Version string `json:"version,omitempty"`
	// maxConnections is the largest number of connections that the server accepts.
	// +optional
	MaxConnections int32 `json:"maxConnections,omitempty"`
	// storage is the size of its volume.
	// +optional
	Storage string `json:"storage,omitempty"`
	// members is the number of members that use the instance.
	// +optional
	Members int32 `json:"members,omitempty"`
	// state is Waiting, Starting, Ready or External.
	State ComponentState `json:"state"`
}

// DerivedSetting is a setting that the operator derived.
type DerivedSetting struct {
	// name is the name of the setting on the platform. If the instances of a database have different values, it names the instances
	// that have this one, such as postgresql[lab-db-0 to lab-db-8].max_connections.
	Name string `json:"name"`
	// value is the value of the setting.
	Value string `json:"value"`
	// source is the rule that the value follows from, or the field that sets it.
	Source string `json:"source"`
}

// LastRun is a summary of the run that ended last.
type LastRun struct {
	// name is the name of the BenchmarkRun.
	Name string `json:"name"`
	// throughputMilliPerSecond is the number of operations completed per second, in thousandths.
	// +optional
	ThroughputMilliPerSecond *int64 `json:"throughputMilliPerSecond,omitempty"`
	// verdict is the verdict of the run, Valid or Invalid.
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
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$') && !self.metadata.name.startsWith('benchnet-')",message="metadata.name must be a DNS label of at most 63 characters (a-z, 0-9 and -) that begins with a letter, but not with benchnet-: it becomes part of host names"
type BenchmarkNetwork struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state of the network.
	// +required
	Spec BenchmarkNetworkSpec `json:"spec"`
	// status is the observed state of the network.
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
