package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LoadModel says what starts the next operation.
// +kubebuilder:validation:Enum=Closed;Open
type LoadModel string

// The load models.
const (
	// LoadClosed starts a client's next operation when its last one has ended.
	LoadClosed LoadModel = "Closed"
	// LoadOpen starts operations at planned instants; latency counts from the plan, so that a slow system cannot hide its queue.
	LoadOpen LoadModel = "Open"
)

// RetentionPolicy is what happens to something that is no longer used.
// +kubebuilder:validation:Enum=Delete;Retain
type RetentionPolicy string

// The retentions.
const (
	RetentionDelete RetentionPolicy = "Delete"
	RetentionRetain RetentionPolicy = "Retain"
)

// ResetPolicy says in which state a run finds the network.
// +kubebuilder:validation:Enum=Keep;Reset
type ResetPolicy string

// The reset policies.
const (
	ResetKeep  ResetPolicy = "Keep"
	ResetReset ResetPolicy = "Reset"
)

// EnvironmentPolicy says what findings about the environment do to the verdict of a run.
// +kubebuilder:validation:Enum=Enforce;Record
type EnvironmentPolicy string

// The environment policies.
const (
	// EnvironmentEnforce makes a run with a disturbing environment invalid.
	EnvironmentEnforce EnvironmentPolicy = "Enforce"
	// EnvironmentRecord keeps such findings as notes. They do not make the run invalid.
	EnvironmentRecord EnvironmentPolicy = "Record"
)

// WorkloadType is the kind of operations that a workload performs.
// +kubebuilder:validation:Enum=Corda;JPaxos;Malachite;EVM;JMeter
type WorkloadType string

// The workload types.
const (
	WorkloadCorda     WorkloadType = "Corda"
	WorkloadJPaxos    WorkloadType = "JPaxos"
	WorkloadMalachite WorkloadType = "Malachite"
	WorkloadEVM       WorkloadType = "EVM"
	WorkloadJMeter    WorkloadType = "JMeter"
)

// Workload is the load to apply and how it is measured. It is a union: type names the operations, and exactly the field of that name is
// set.
// +kubebuilder:validation:XValidation:rule="self.type == 'Corda' ? has(self.corda) : !has(self.corda)",message="corda must be set when, and only when, type is Corda"
// +kubebuilder:validation:XValidation:rule="self.type == 'JPaxos' ? has(self.jpaxos) : !has(self.jpaxos)",message="jpaxos must be set when, and only when, type is JPaxos"
// +kubebuilder:validation:XValidation:rule="self.type == 'Malachite' ? has(self.malachite) : !has(self.malachite)",message="malachite must be set when, and only when, type is Malachite"
// +kubebuilder:validation:XValidation:rule="self.type == 'EVM' ? has(self.evm) : !has(self.evm)",message="evm must be set when, and only when, type is EVM"
// +kubebuilder:validation:XValidation:rule="self.type == 'JMeter' ? has(self.jmeter) : !has(self.jmeter)",message="jmeter must be set when, and only when, type is JMeter"
// +kubebuilder:validation:XValidation:rule="(self.type == 'Malachite') != has(self.load)",message="load must be set, except with type Malachite, whose network makes its own blocks"
// +kubebuilder:validation:XValidation:rule="self.type != 'EVM' || !has(self.load) || self.load.model == 'Open'",message="load.model must be Open with type EVM, with load.ratePerSecond: the driver sends at a given rate and does not wait for replies"
// +kubebuilder:validation:XValidation:rule="self.jtl == 'Delete' || self.type == 'Corda' || self.type == 'JMeter'",message="jtl Retain requires type Corda or JMeter, whose driver is JMeter"
type Workload struct {
	// name of the workload, unique in its network. Its run is named <network>-<name>, shortened to 63 characters with a hash if it is
	// longer.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +required
	Name string `json:"name"`
	// type is the kind of operations. A platform's own type, or JMeter with a test plan of your own.
	// +unionDiscriminator
	// +required
	Type WorkloadType `json:"type"`
	// corda is the operation on a Corda network.
	// +optional
	Corda *CordaWorkload `json:"corda,omitempty"`
	// jpaxos is the requests to a JPaxos network.
	// +optional
	JPaxos *JPaxosWorkload `json:"jpaxos,omitempty"`
	// malachite observes the blocks of a Malachite network, which makes them by itself.
	// +optional
	Malachite *MalachiteWorkload `json:"malachite,omitempty"`
	// evm is the transactions to a network of execution clients.
	// +optional
	EVM *EVMWorkload `json:"evm,omitempty"`
	// jmeter is a JMeter test plan of your own, instead of a platform's operation.
	// +optional
	JMeter *JMeterPlan `json:"jmeter,omitempty"`
	// load says how much is asked of the network; a network that makes its own takes none.
	// +optional
	Load *Load `json:"load,omitempty"`
	// measure says what of it counts.
	// +kubebuilder:default={warmUp: "30s", window: "60s", drain: "60s", maxErrorPercent: "0"}
	// +optional
	Measure Measure `json:"measure,omitzero"`
	// reset is Keep (the ledger stays as earlier runs left it), or Reset: the network goes back to its freshly made state before
	// the run, with the same identities. Default: Keep.
	// +kubebuilder:default=Keep
	// +optional
	Reset ResetPolicy `json:"reset,omitempty"`
	// workers are the pods that apply the load.
	// +kubebuilder:default={}
	// +optional
	Workers Workers `json:"workers,omitzero"`
	// jtl is what happens to JMeter's sample log (JTL). Retain keeps it in the worker's pod until the run is deleted, which costs the
	// worker CPU time. Default: Delete.
	// +kubebuilder:default=Delete
	// +optional
	JTL RetentionPolicy `json:"jtl,omitempty"`
}

// JMeterPlan is a test plan of the user's own.
type JMeterPlan struct {
	// configMapName of the ConfigMap in the namespace that holds the plan.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	ConfigMapName string `json:"configMapName"`
	// key of the plan in the ConfigMap.
	// +kubebuilder:default=plan.jmx
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+\.jmx$`
	// +optional
	Key string `json:"key,omitempty"`
}

// Load says how much is asked of the network. Clients, outstanding operations and rate are totals over all workers.
// +kubebuilder:validation:XValidation:rule="(self.model == 'Open') == has(self.ratePerSecond)",message="load.ratePerSecond must be set when, and only when, load.model is Open"
// +kubebuilder:validation:XValidation:rule="self.model == 'Closed' || !has(self.maxOutstanding)",message="load.maxOutstanding belongs to load.model Closed; with Open, clients bounds what is outstanding"
// +kubebuilder:validation:XValidation:rule="!has(self.maxOutstanding) || self.maxOutstanding <= self.clients",message="load.maxOutstanding cannot exceed load.clients: each client has one operation outstanding"
type Load struct {
	// model is Closed or Open.
	// +kubebuilder:default=Closed
	// +optional
	Model LoadModel `json:"model,omitempty"`
	// clients that work at the same time. With Open it bounds what is outstanding; choose it well above rate × latency.
	// R3 limits Issue to 800 outstanding flows.
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20000
	// +optional
	Clients int32 `json:"clients,omitempty"`
	// maxOutstanding operations at any time, with Closed. Default: the clients.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20000
	// +optional
	MaxOutstanding *int32 `json:"maxOutstanding,omitempty"`
	// ratePerSecond is the number of operations started a second, with Open; 500m is one in two seconds.
	// +optional
	RatePerSecond *resource.Quantity `json:"ratePerSecond,omitempty"`
}

// Measure says what of the load counts.
// +kubebuilder:validation:XValidation:rule="duration(self.window) >= duration('1s') && duration(self.window) <= duration('24h')",message="measure.window must lie between 1s and 24h"
// +kubebuilder:validation:XValidation:rule="duration(self.warmUp) >= duration('0s') && duration(self.warmUp) <= duration('24h')",message="measure.warmUp must lie between 0s and 24h"
// +kubebuilder:validation:XValidation:rule="duration(self.drain) >= duration('0s') && duration(self.drain) <= duration('1h')",message="measure.drain must lie between 0s and 1h"
// +kubebuilder:validation:XValidation:rule="!has(self.steadyState) || duration(self.steadyState.minWindow) <= duration(self.window)",message="measure.steadyState.minWindow cannot exceed measure.window, which is the longest window"
type Measure struct {
	// warmUp is the load before the window; it is not measured. Default: 30s.
	// +kubebuilder:default="30s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+h)?([0-9]+m)?([0-9]+s)?$')",message="measure.warmUp must be in whole seconds, such as 90s or 1m30s"
	// +optional
	WarmUp metav1.Duration `json:"warmUp"`
	// window is measured. R3 finds runs below a couple of minutes unusable for throughput. Default: 60s.
	// +kubebuilder:default="60s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+h)?([0-9]+m)?([0-9]+s)?$')",message="measure.window must be in whole seconds, such as 90s or 1m30s"
	// +optional
	Window metav1.Duration `json:"window,omitzero"`
	// drain is the longest wait, after the window, for operations started in it. Default: 60s.
	// +kubebuilder:default="60s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+h)?([0-9]+m)?([0-9]+s)?$')",message="measure.drain must be in whole seconds, such as 90s or 1m30s"
	// +optional
	Drain metav1.Duration `json:"drain"`
	// maxErrorPercent is the percentage of operations that may fail in a valid run, from 0 to 100, such as 1 or "0.5". Default: 0.
	// +kubebuilder:default="0"
	// +optional
	MaxErrorPercent resource.Quantity `json:"maxErrorPercent,omitzero"`
	// environmentPolicy decides how causes outside of the network and its load affect the verdict. Enforce: they make the run Invalid.
	// Record: they are notes in status.reasons and in the result, and the run may be Valid. The causes are CPUStolen (a
	// hypervisor gave over 5 % of a host's CPU time to other machines) and NodeNotReady (a node of the run was not ready when it
	// ended). HostShared, HostSaturated, NodeUnderPressure and ClockSkewed come from the environment too; they are notes with
	// either policy. Errors, throttled workers, late requests, restarts and all other reasons make a run Invalid with either
	// policy. Use Record to try whether something works, not to compare numbers. Default: Enforce.
	// +kubebuilder:default=Enforce
	// +optional
	EnvironmentPolicy EnvironmentPolicy `json:"environmentPolicy,omitempty"`
	// steadyState ends warm-up and window by what is measured. warmUp and window are then the longest that they may take, so that
	// the run takes no longer than with fixed times. Unset: fixed times.
	// +optional
	SteadyState *SteadyState `json:"steadyState,omitempty"`
}

// SteadyState ends the warm-up by MSER-5 (White 1997), and the window when the throughput is known well enough: when the
// half-width of its confidence interval, by batch means, is within a share of it.
type SteadyState struct {
	// halfWidthPercent of the mean throughput at which the window ends. Default: 5.
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	// +optional
	HalfWidthPercent int32 `json:"halfWidthPercent,omitempty"`
	// confidencePercent of the interval. Default: 95.
	// +kubebuilder:default=95
	// +kubebuilder:validation:Minimum=50
	// +kubebuilder:validation:Maximum=99
	// +optional
	ConfidencePercent int32 `json:"confidencePercent,omitempty"`
	// minWindow is the shortest window. Default: 30s.
	// +kubebuilder:default="30s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+h)?([0-9]+m)?([0-9]+s)?$')",message="measure.steadyState.minWindow must be in whole seconds, such as 90s or 1m30s"
	// +optional
	MinWindow metav1.Duration `json:"minWindow,omitzero"`
}

// Workers are the pods that apply the load.
type Workers struct {
	// count of pods; all start at one instant.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	// +optional
	Count int32 `json:"count,omitempty"`
	// cores that one worker may use. Default: 1.
	// +kubebuilder:default="1"
	// +optional
	Cores resource.Quantity `json:"cores,omitzero"`
	// memory of one worker. Default: 1Gi.
	// +kubebuilder:default="1Gi"
	// +optional
	Memory resource.Quantity `json:"memory,omitzero"`
	// scheduling says on which nodes the workers run, such as others than those that are measured. Default: any node.
	// +optional
	Scheduling *Scheduling `json:"scheduling,omitempty"`
}
