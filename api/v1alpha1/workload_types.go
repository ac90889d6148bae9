package v1alpha1

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// LoadModel is the rule that starts the next operation.
// +kubebuilder:validation:Enum=Closed;Open
type LoadModel string

// The load models.
const (
	// LoadClosed starts the next operation of a client when its last one has ended.
	LoadClosed LoadModel = "Closed"
	// LoadOpen starts operations at planned instants. Latency counts from the planned instant, so it includes the queueing of a slow
	// system.
	LoadOpen LoadModel = "Open"
)

// Arrivals is the spacing of the planned instants of an open loop.
// +kubebuilder:validation:Enum=Even;Poisson
type Arrivals string

// The arrivals.
const (
	// ArrivalsEven plans operations at equal distances.
	ArrivalsEven Arrivals = "Even"
	// ArrivalsPoisson draws the distances from an exponential distribution, as if many independent users started operations.
	ArrivalsPoisson Arrivals = "Poisson"
)

// RetentionPolicy says what happens to something that is no longer used.
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
	KeepState  ResetPolicy = "Keep"
	ResetState ResetPolicy = "Reset"
)

// StabilityPolicy is the effect of findings about the stability of a window on the verdict of a run.
// +kubebuilder:validation:Enum=Tolerant;Moderate;Strict
type StabilityPolicy string

const (
	// StabilityTolerant makes a run with a gross change Invalid and notes smaller ones.
	StabilityTolerant StabilityPolicy = "Tolerant"
	// StabilityModerate makes a run Invalid whose throughput changes by more than a fifth or whose latency by more than a factor of two.
	StabilityModerate StabilityPolicy = "Moderate"
	// StabilityStrict makes a run with any noted change Invalid.
	StabilityStrict StabilityPolicy = "Strict"
)

// EnvironmentPolicy is the effect of findings about the environment on the verdict of a run.
// +kubebuilder:validation:Enum=Enforce;Record
type EnvironmentPolicy string

// The environment policies.
const (
	// EnvironmentEnforce makes a run invalid if its environment disturbed it.
	EnvironmentEnforce EnvironmentPolicy = "Enforce"
	// EnvironmentRecord keeps such findings as notes, which do not make the run invalid.
	EnvironmentRecord EnvironmentPolicy = "Record"
)

// WorkloadType is the kind of operations that a workload performs.
// +kubebuilder:validation:Enum=Blocks;CometBFT;Corda;JPaxos;EVM;JMeter
type WorkloadType string

// The workload types.
const (
	WorkloadBlocks   WorkloadType = "Blocks"
	WorkloadCometBFT WorkloadType = "CometBFT"
	WorkloadCorda    WorkloadType = "Corda"
	WorkloadJPaxos   WorkloadType = "JPaxos"
	WorkloadEVM      WorkloadType = "EVM"
	WorkloadJMeter   WorkloadType = "JMeter"
)

// LimitsOutstanding reports whether each client of an open load has at most one operation outstanding. Clients of the EVM and CometBFT drivers
// send batches, and a JMeter plan decides itself.
func (t WorkloadType) LimitsOutstanding() bool { return t == WorkloadCorda || t == WorkloadJPaxos }

// Workload describes a load and how it is measured. It is a union: type names the operations, and only the field of that name is
// set.
// +kubebuilder:validation:XValidation:rule="has(self.cometBFT) == (self.type == 'CometBFT') && has(self.corda) == (self.type == 'Corda') && has(self.jpaxos) == (self.type == 'JPaxos') && has(self.blocks) == (self.type == 'Blocks') && has(self.evm) == (self.type == 'EVM') && has(self.jmeter) == (self.type == 'JMeter')",messageExpression="(self.type == 'CometBFT' ? 'cometBFT' : self.type.lowerAscii()) + ' must be set, and no other operations, if type is ' + self.type"
// +kubebuilder:validation:XValidation:rule="(self.type == 'Blocks') != has(self.load)",message="load must be set with every type except Blocks, whose network makes its own blocks"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['EVM', 'CometBFT']) || !has(self.load) || self.load.model == 'Open'",message="load.model must be Open, with load.ratePerSecond or load.profile, if type is EVM or CometBFT: the driver sends at a given rate and does not wait for replies"
// +kubebuilder:validation:XValidation:rule="!has(self.load) || !has(self.load.profile) || duration(self.measure.window) == self.load.profile.map(s, duration(s.duration)).sum()",messageExpression="'measure.window must be the sum of load.profile[].duration, not ' + self.measure.window"
// +kubebuilder:validation:XValidation:rule="!has(self.load) || !has(self.load.profile) || !has(self.measure.steadyState)",message="measure.steadyState cannot be set with load.profile: it looks for one constant level"
// +kubebuilder:validation:XValidation:rule="self.sampleLogRetention == 'Delete' || self.type == 'Corda' || self.type == 'JMeter'",message="sampleLogRetention must be Delete unless type is Corda or JMeter: other drivers write no JTL"
type Workload struct {
	// name is unique in the network. The run is named NETWORK-NAME, shortened to 63 characters with a hash.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +required
	Name string `json:"name"`
	// type is the kind of operations. The field of its name is required, the others must not be set.
	// +unionDiscriminator
	// +required
	Type WorkloadType `json:"type"`
	// blocks observes the blocks that a CometBFT or Malachite network makes by itself, with type Blocks.
	// +optional
	Blocks *BlocksWorkload `json:"blocks,omitempty"`
	// cometBFT describes the transactions to a CometBFT network. It belongs to type CometBFT.
	// +optional
	CometBFT *CometBFTWorkload `json:"cometBFT,omitempty"`
	// corda is the operation on a Corda network. It belongs to type Corda.
	// +optional
	Corda *CordaWorkload `json:"corda,omitempty"`
	// jpaxos describes the requests to a JPaxos network. It belongs to type JPaxos.
	// +optional
	JPaxos *JPaxosWorkload `json:"jpaxos,omitempty"`
	// evm describes the transactions to a network of execution clients. It belongs to type EVM.
	// +optional
	EVM *EVMWorkload `json:"evm,omitempty"`
	// jmeter is your own JMeter test plan. It belongs to type JMeter.
	// +optional
	JMeter *JMeterPlan `json:"jmeter,omitempty"`
	// load is the load on the network, required except with type Blocks, whose network makes its own.
	// +optional
	Load *Load `json:"load,omitempty"`
	// faults are injected in the window. A run in which a fault was not proved is Invalid. Default: none.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Faults []Fault `json:"faults,omitempty"`
	// measure says which part of the load is measured, and which errors a valid run may have.
	// +kubebuilder:default={warmUp: "30s", window: "60s", drain: "60s", maxErrorPercent: "0"}
	// +optional
	Measure Measure `json:"measure,omitzero"`
	// objectives are limits on metrics and queries that each run must keep to. Their outcomes are in the status of runs and points,
	// and in the condition GatesPassed. Default: none.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Objectives []Objective `json:"objectives,omitempty"`
	// reset is Keep, or Reset: the network returns to its initial state, with the same identities, before the run. Default: Keep.
	// +kubebuilder:default=Keep
	// +optional
	Reset ResetPolicy `json:"reset,omitempty"`
	// workers are the pods that apply the load.
	// +kubebuilder:default={}
	// +optional
	Workers Workers `json:"workers,omitzero"`
	// sampleLogRetention is Delete or Retain, which keeps JMeter's sample log (JTL) in the pod of the worker until the run is
	// deleted, at the cost of CPU time. Default: Delete.
	// +kubebuilder:default=Delete
	// +optional
	SampleLogRetention RetentionPolicy `json:"sampleLogRetention,omitempty"`
}

// BlocksWorkload measures a network that generates its own load by deciding on one block after the other. Nothing is sent to it. The
// blocks that one validator decides are observed.
type BlocksWorkload struct {
	// observe is the name of the member whose decisions are measured. Default: member-0.
	// +kubebuilder:default=member-0
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Observe string `json:"observe,omitempty"`
	// transactionBytes is the size of a transaction in bytes, to convert bytes to transactions per second. Default: 110, a plain
	// transfer of ether.
	// +kubebuilder:default=110
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1048576
	// +optional
	TransactionBytes int32 `json:"transactionBytes,omitempty"`
}

// JMeterPlan is your own test plan.
type JMeterPlan struct {
	// configMapName is the ConfigMap in the namespace that holds the plan.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	ConfigMapName string `json:"configMapName"`
	// key is the key of the plan in the ConfigMap, which ends in .jmx. Default: plan.jmx.
	// +kubebuilder:default=plan.jmx
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+\.jmx$`
	// +optional
	Key string `json:"key,omitempty"`
}

// Load describes the load on the network. Clients, outstanding operations and rate are totals over all workers.
// +kubebuilder:validation:XValidation:rule="has(self.ratePerSecond) ? self.model == 'Open' && !has(self.profile) : self.model == 'Closed' || has(self.profile)",message="load.ratePerSecond or load.profile, but not both, must be set with load.model Open, and load.ratePerSecond only then"
// +kubebuilder:validation:XValidation:rule="!has(self.profile) || self.profile.all(s, self.model == 'Open' ? !has(s.clients) && !has(s.toClients) : !has(s.ratePerSecond) && !has(s.toRatePerSecond) && s.type in ['Constant', 'Ramp', 'Steps'])",message="load.profile[] has ratePerSecond with load.model Open, and clients with Closed, of type Constant, Ramp or Steps"
// +kubebuilder:validation:XValidation:rule="!has(self.maxOutstanding) || self.model == 'Closed' && self.maxOutstanding <= self.clients",message="load.maxOutstanding belongs to load.model Closed, and cannot exceed load.clients: each client has one operation outstanding"
// +kubebuilder:validation:XValidation:rule="self.arrivals == 'Poisson' ? self.model == 'Open' : !has(self.seed)",message="load.arrivals Poisson belongs to load.model Open, and load.seed to load.arrivals Poisson"
type Load struct {
	// model is Closed (a client starts its next operation when its last one has ended) or Open (operations start at a given rate).
	// Default: Closed.
	// +kubebuilder:default=Closed
	// +optional
	Model LoadModel `json:"model,omitempty"`
	// clients is the number of clients that work at the same time, at most 20000. With Open it limits the outstanding operations,
	// so it should be well above rate × latency. Default: 10.
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20000
	// +optional
	Clients int32 `json:"clients,omitempty"`
	// maxOutstanding is the largest number of outstanding operations, at most clients, with model Closed. Default: clients.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20000
	// +optional
	MaxOutstanding *int32 `json:"maxOutstanding,omitempty"`
	// ratePerSecond is the number of operations that start per second, such as 20 or 500m, with model Open and no profile.
	// +optional
	RatePerSecond *resource.Quantity `json:"ratePerSecond,omitempty"`
	// profile is a rate, or with model Closed a number of clients, that changes over the window in segments. Their durations add up to
	// measure.window. The warm-up has the first value. Default: the constant ratePerSecond or clients.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Profile []LoadSegment `json:"profile,omitempty"`
	// arrivals is Even, or with model Open Poisson: exponential distances with the same mean, as of many independent users, so that
	// queues form below the capacity too. Default: Even.
	// +kubebuilder:default=Even
	// +optional
	Arrivals Arrivals `json:"arrivals,omitempty"`
	// seed is the seed of Poisson arrivals. The same seed, rate and number of workers repeat the same arrivals. Default: from the
	// UID of the run.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=9007199254740991
	// +optional
	Seed *int64 `json:"seed,omitempty"`
}

// Measure says which part of the load is measured.
// +kubebuilder:validation:XValidation:rule="duration(self.window) >= duration('1s') && duration(self.drain) <= duration('1h') && (!has(self.steadyState) || duration(self.steadyState.minWindow) <= duration(self.window))",message="measure.window must be at least 1s, measure.drain at most 1h, and measure.steadyState.minWindow cannot exceed measure.window"
type Measure struct {
	// warmUp is the time of load before the window. It is not measured. Default: 30s.
	// +kubebuilder:default="30s"
	// +optional
	WarmUp Seconds `json:"warmUp"`
	// window is the measured time, from 1s to 24h. R3 considers less than a couple of minutes unusable for throughput. Default: 60s.
	// +kubebuilder:default="60s"
	// +optional
	Window Seconds `json:"window,omitzero"`
	// drain is the longest wait, up to 1h, for operations that started in the window. Default: 60s.
	// +kubebuilder:default="60s"
	// +optional
	Drain Seconds `json:"drain"`
	// maxErrorPercent is the percentage of operations that may fail in a valid run, such as 1 or "0.5". Default: 0.
	// +kubebuilder:default="0"
	// +optional
	MaxErrorPercent resource.Quantity `json:"maxErrorPercent,omitzero"`
	// environmentPolicy says what causes outside of the network and its load, such as HostShared, do: Enforce makes the run
	// Invalid, Record notes them (docs/verdict.md). Default: Enforce, or Record if purpose is Trial.
	// +optional
	EnvironmentPolicy EnvironmentPolicy `json:"environmentPolicy,omitempty"`
	// stabilityPolicy is how much a window of a fixed time may change, and workers may differ, before the run is Invalid. Default:
	// Moderate in an experiment with strategy Compare, otherwise Tolerant.
	// +optional
	StabilityPolicy StabilityPolicy `json:"stabilityPolicy,omitempty"`
	// steadyState ends the warm-up and the window when the measured throughput is steady. warmUp and window are then upper limits.
	// Default: fixed times.
	// +optional
	SteadyState *SteadyState `json:"steadyState,omitempty"`
	// calibrate measures, directly before the load, what the pods of the run get from their hosts: CPU, fsync, round trip and
	// bandwidth. Default: no calibration.
	// +optional
	Calibrate *Calibration `json:"calibrate,omitempty"`
}

// RecordedDuration returns how long the drivers measure at most. With a steadyState that includes the warm-up, which is
// determined from what they recorded.
func (m *Measure) RecordedDuration() time.Duration {
	if m.SteadyState != nil {
		return m.WarmUp.Duration + m.Window.Duration
	}
	return m.Window.Duration
}

// Rate returns the constant rate of an open loop per second, 0 without one.
func (l *Load) Rate() float64 {
	if l == nil || l.RatePerSecond == nil {
		return 0
	}
	return l.RatePerSecond.AsApproximateFloat64()
}

// CalibrationDuration returns the time of the calibration, 0 without one.
func (m *Measure) CalibrationDuration() time.Duration {
	if m.Calibrate == nil {
		return 0
	}
	return m.Calibrate.Duration.Duration
}

// Calibration measures the pods of a run before the load. Load workers, members and databases are measured at the same time, so that
// pods on one host share it as they will in the run. Each bound holds for every pod that has the figure. A pod outside of it makes the
// run Invalid, by a cause in its environment (environmentPolicy).
type Calibration struct {
	// duration is from 1s to 60s: a quarter each for one CPU thread, all CPU threads, fsync and the network. It delays the warm-up.
	// Default: 10s.
	// +kubebuilder:default="10s"
	// +optional
	Duration Seconds `json:"duration,omitzero"`
	// minSingleThreadRate is the smallest number of Ed25519 signatures that one thread must verify per second. Default: no bound.
	// +kubebuilder:validation:Minimum=1
	// +optional
	MinSingleThreadRate *int32 `json:"minSingleThreadRate,omitempty"`
	// minAllThreadsRate is the same for as many threads as the CPU limit of the container allows. Default: no bound.
	// +kubebuilder:validation:Minimum=1
	// +optional
	MinAllThreadsRate *int32 `json:"minAllThreadsRate,omitempty"`
	// maxFsyncP99 is the largest 99th percentile of the time to write 4 KiB to the volume with fsync, of pods with a volume.
	// Default: no bound.
	// +optional
	MaxFsyncP99 *Latency `json:"maxFsyncP99,omitempty"`
	// maxRoundTrip is the largest median time to open a TCP connection between a load worker and a pod. Default: no bound.
	// +optional
	MaxRoundTrip *Latency `json:"maxRoundTrip,omitempty"`
	// minBandwidth is the smallest bandwidth from a pod to a load worker over one TCP connection, in bit/s, such as 500M. Default: no
	// bound.
	// +optional
	MinBandwidth *resource.Quantity `json:"minBandwidth,omitempty"`
}

// SteadyState configures the detection of the steady state. The warm-up ends by MSER-5 (White 1997). The window ends when the
// half-width of the throughput's confidence interval, by batch means, is within a percentage of the mean.
type SteadyState struct {
	// halfWidthPercent is the half-width of the confidence interval, in percent of the mean throughput, at which the window ends.
	// Default: 5.
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	// +optional
	HalfWidthPercent int32 `json:"halfWidthPercent,omitempty"`
	// confidencePercent is the confidence level of the interval. Default: 95.
	// +kubebuilder:default=95
	// +kubebuilder:validation:Minimum=50
	// +kubebuilder:validation:Maximum=99
	// +optional
	ConfidencePercent int32 `json:"confidencePercent,omitempty"`
	// minWindow is the shortest window. A shorter one finds slow trends less often. Default: 120s.
	// +kubebuilder:default="120s"
	// +optional
	MinWindow Seconds `json:"minWindow,omitzero"`
}

// Workers are the pods that apply the load.
type Workers struct {
	// count is the number of pods. All start the load at the same instant. Default: 1.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	// +optional
	Count int32 `json:"count,omitempty"`
	// cores is the number of cores of one worker. Default: 1.
	// +kubebuilder:default="1"
	// +optional
	Cores resource.Quantity `json:"cores,omitzero"`
	// memory is the memory of one worker. Default: 1Gi.
	// +kubebuilder:default="1Gi"
	// +optional
	Memory resource.Quantity `json:"memory,omitzero"`
	// separation says whether workers keep off the hosts of members and databases: None, Preferred (if other hosts have capacity) or
	// Required. Default: Preferred.
	// +kubebuilder:default=Preferred
	// +optional
	Separation Spread `json:"separation,omitempty"`
	// scheduling says on which nodes the workers run. Default: any node.
	// +optional
	Scheduling *Scheduling `json:"scheduling,omitempty"`
}
