package v1alpha1

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// LimitsOutstanding reports whether each client of an open load has at most one operation outstanding. Clients of the EVM driver
// send batches, and a JMeter plan decides itself.
func (t WorkloadType) LimitsOutstanding() bool { return t == WorkloadCorda || t == WorkloadJPaxos }

// Workload describes a load and how it is measured. It is a union: type names the operations, and only the field of that name is
// set.
// +kubebuilder:validation:XValidation:rule="self.type == 'Corda' ? has(self.corda) : !has(self.corda)",message="corda must be set when, and only when, type is Corda"
// +kubebuilder:validation:XValidation:rule="self.type == 'JPaxos' ? has(self.jpaxos) : !has(self.jpaxos)",message="jpaxos must be set when, and only when, type is JPaxos"
// +kubebuilder:validation:XValidation:rule="self.type == 'Malachite' ? has(self.malachite) : !has(self.malachite)",message="malachite must be set when, and only when, type is Malachite"
// +kubebuilder:validation:XValidation:rule="self.type == 'EVM' ? has(self.evm) : !has(self.evm)",message="evm must be set when, and only when, type is EVM"
// +kubebuilder:validation:XValidation:rule="self.type == 'JMeter' ? has(self.jmeter) : !has(self.jmeter)",message="jmeter must be set when, and only when, type is JMeter"
// +kubebuilder:validation:XValidation:rule="(self.type == 'Malachite') != has(self.load)",message="load must be set with every type except Malachite, whose network makes its own blocks"
// +kubebuilder:validation:XValidation:rule="self.type != 'EVM' || !has(self.load) || self.load.model == 'Open'",message="load.model must be Open, with load.ratePerSecond, if type is EVM: the driver sends at a given rate and does not wait for replies"
// +kubebuilder:validation:XValidation:rule="!has(self.webhook) || self.webhook.when != 'GatesNotPassed' || has(self.objectives)",message="webhook.when GatesNotPassed needs objectives: without them there is nothing to pass"
// +kubebuilder:validation:XValidation:rule="self.sampleLogRetention == 'Delete' || self.type == 'Corda' || self.type == 'JMeter'",message="sampleLogRetention must be Delete unless type is Corda or JMeter: other drivers write no JTL"
type Workload struct {
	// name is the name of the workload, unique in its network. Its run is named <network>-<name>. A longer name is shortened to 63
	// characters with a hash.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +required
	Name string `json:"name"`
	// type is the kind of operations: Corda, JPaxos, Malachite, EVM, or JMeter with your own test plan.
	// +unionDiscriminator
	// +required
	Type WorkloadType `json:"type"`
	// corda is the operation on a Corda network. It is required with type Corda and must not be set otherwise.
	// +optional
	Corda *CordaWorkload `json:"corda,omitempty"`
	// jpaxos describes the requests to a JPaxos network. It is required with type JPaxos and must not be set otherwise.
	// +optional
	JPaxos *JPaxosWorkload `json:"jpaxos,omitempty"`
	// malachite describes how the blocks of a Malachite network are observed. It is required with type Malachite and must not be set
	// otherwise.
	// +optional
	Malachite *MalachiteWorkload `json:"malachite,omitempty"`
	// evm describes the transactions to a network of execution clients. It is required with type EVM and must not be set otherwise.
	// +optional
	EVM *EVMWorkload `json:"evm,omitempty"`
	// jmeter is your own JMeter test plan. It is required with type JMeter and must not be set otherwise.
	// +optional
	JMeter *JMeterPlan `json:"jmeter,omitempty"`
	// load is the load on the network. It must not be set with type Malachite, whose network makes its own blocks, and is required
	// otherwise.
	// +optional
	Load *Load `json:"load,omitempty"`
	// measure says which part of the load is measured, and which errors a valid run may have.
	// +kubebuilder:default={warmUp: "30s", window: "60s", drain: "60s", maxErrorPercent: "0"}
	// +optional
	Measure Measure `json:"measure,omitzero"`
	// objectives are absolute limits that each run must keep to, on metrics and on queries, at most 8, each of them once. Their outcomes
	// are in the status of the run, and of each point of an experiment, and in the condition GatesPassed. Default: none.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Objectives []Objective `json:"objectives,omitempty"`
	// reset is Keep or Reset. With Keep, the ledger remains as earlier runs left it. With Reset, the network returns to its initial
	// state, with the same identities, before the run. Default: Keep.
	// +kubebuilder:default=Keep
	// +optional
	Reset ResetPolicy `json:"reset,omitempty"`
	// workers are the pods that apply the load.
	// +kubebuilder:default={}
	// +optional
	Workers Workers `json:"workers,omitzero"`
	// sampleLogRetention says what happens to JMeter's sample log (JTL). Retain keeps it in the pod of the worker until the run is deleted, which
	// costs the worker CPU time. Retain needs type Corda or JMeter. Default: Delete.
	// +kubebuilder:default=Delete
	// +optional
	SampleLogRetention RetentionPolicy `json:"sampleLogRetention,omitempty"`
	// upload is where the result is copied when the run has ended. It does not change the verdict. Default: nowhere.
	// +optional
	Upload *ResultUpload `json:"upload,omitempty"`
	// webhook is notified when the run has ended. It does not change the verdict. Default: none.
	// +optional
	Webhook *Webhook `json:"webhook,omitempty"`
}

// JMeterPlan is your own test plan.
type JMeterPlan struct {
	// configMapName is the name of the ConfigMap in the namespace that holds the plan.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	ConfigMapName string `json:"configMapName"`
	// key is the key of the plan in the ConfigMap. It ends in .jmx. Default: plan.jmx.
	// +kubebuilder:default=plan.jmx
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+\.jmx$`
	// +optional
	Key string `json:"key,omitempty"`
}

// Load describes the load on the network. Clients, outstanding operations and rate are totals over all workers.
// +kubebuilder:validation:XValidation:rule="(self.model == 'Open') == has(self.ratePerSecond)",message="load.ratePerSecond must be set when, and only when, load.model is Open"
// +kubebuilder:validation:XValidation:rule="self.model == 'Closed' || !has(self.maxOutstanding)",message="load.maxOutstanding belongs to load.model Closed; with Open, load.clients limits the outstanding operations"
// +kubebuilder:validation:XValidation:rule="!has(self.maxOutstanding) || self.maxOutstanding <= self.clients",message="load.maxOutstanding cannot exceed load.clients: each client has one operation outstanding"
// +kubebuilder:validation:XValidation:rule="self.model == 'Open' || self.arrivals == 'Even'",message="load.arrivals Poisson belongs to load.model Open; with Closed, replies start the next operations"
// +kubebuilder:validation:XValidation:rule="self.arrivals == 'Poisson' || !has(self.seed)",message="load.seed belongs to load.arrivals Poisson; even arrivals are not drawn"
type Load struct {
	// model is Closed or Open. Closed starts the next operation of a client when its last one has ended. Open starts operations at a
	// given rate. Default: Closed.
	// +kubebuilder:default=Closed
	// +optional
	Model LoadModel `json:"model,omitempty"`
	// clients is the number of clients that work at the same time, from 1 to 20000. With Open it limits the outstanding operations, so
	// it should be well above rate × latency. A saturation search raises it with the rate. R3 limits Issue to 800 outstanding flows. Default: 10.
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20000
	// +optional
	Clients int32 `json:"clients,omitempty"`
	// maxOutstanding is the largest number of outstanding operations, with model Closed. It is at most clients. Default: clients.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20000
	// +optional
	MaxOutstanding *int32 `json:"maxOutstanding,omitempty"`
	// ratePerSecond is the number of operations that start per second. It is required with model Open and must not be set otherwise.
	// 500m is one operation in two seconds.
	// +optional
	RatePerSecond *resource.Quantity `json:"ratePerSecond,omitempty"`
	// arrivals is Even or Poisson, with model Open. Even plans operations at equal distances. Poisson draws exponential distances with the
	// same mean, as if many independent users started operations, so that queues form below the capacity too. The number of planned
	// operations then varies, with a standard deviation of √(rate × time). Default: Even.
	// +kubebuilder:default=Even
	// +optional
	Arrivals Arrivals `json:"arrivals,omitempty"`
	// seed is the seed of Poisson arrivals, from 0 to 9007199254740991. The same seed, rate and number of workers repeat the same
	// arrivals. It may be set only with arrivals Poisson. Default: derived from the UID of the run. The result records it in
	// workload.load.seed.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=9007199254740991
	// +optional
	Seed *int64 `json:"seed,omitempty"`
}

// Measure says which part of the load is measured.
// +kubebuilder:validation:XValidation:rule="duration(self.window) >= duration('1s') && duration(self.window) <= duration('24h')",message="measure.window must be from 1s to 24h"
// +kubebuilder:validation:XValidation:rule="duration(self.warmUp) >= duration('0s') && duration(self.warmUp) <= duration('24h')",message="measure.warmUp must be from 0s to 24h"
// +kubebuilder:validation:XValidation:rule="duration(self.drain) >= duration('0s') && duration(self.drain) <= duration('1h')",message="measure.drain must be from 0s to 1h"
// +kubebuilder:validation:XValidation:rule="!has(self.steadyState) || duration(self.steadyState.minWindow) <= duration(self.window)",message="measure.steadyState.minWindow cannot exceed measure.window, which is the longest window"
type Measure struct {
	// warmUp is the time of load before the window. It is not measured. It is in whole seconds, from 0s to 24h. Default: 30s.
	// +kubebuilder:default="30s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+h)?([0-9]+m)?([0-9]+s)?$')",message="measure.warmUp must be in whole seconds, such as 90s or 1m30s"
	// +optional
	WarmUp metav1.Duration `json:"warmUp"`
	// window is the measured time, in whole seconds, from 1s to 24h. R3 considers runs of less than a couple of minutes unusable for
	// throughput. Default: 60s.
	// +kubebuilder:default="60s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+h)?([0-9]+m)?([0-9]+s)?$')",message="measure.window must be in whole seconds, such as 90s or 1m30s"
	// +optional
	Window metav1.Duration `json:"window,omitzero"`
	// drain is the longest wait, after the window, for operations that started in it. It is in whole seconds, from 0s to 1h. Default:
	// 60s.
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
	// environmentPolicy is Enforce or Record. It is the effect of causes outside of the network and its load on the verdict. With
	// Enforce they make the run Invalid. With Record they are notes in status.reasons and in the result, and the run may be Valid. The
	// causes are HostShared (anything but the run used over 0.5 CPUs and 5 % of a host's CPUs), HostSaturated (over 95 % of a host's
	// CPU time was in use, and others caused it), CPUStolen (a hypervisor gave over 5 % of a host's CPU time to other machines),
	// ClockSkewed (the clocks of two load workers differ by over 100 ms), the bounds of calibrate, and NodeNotReady (a node of the run
	// was not ready when it ended). NodeUnderPressure, clocks of members and a host that the run itself saturated are notes with either policy. All other
	// reasons, such as errors, throttled workers and restarts, make a run Invalid with either policy. Use Record for trials and
	// demonstrations on a shared machine, not to compare numbers. Default: Enforce, or Record if the purpose of the network is Trial.
	// +optional
	EnvironmentPolicy EnvironmentPolicy `json:"environmentPolicy,omitempty"`
	// stabilityPolicy is Tolerant, Moderate or Strict. It is the effect of changes within a window of fixed times, of a difference
	// between workers, and of missing evidence on the verdict. With Tolerant, gross ones make the run Invalid, such as a throughput that
	// changes by more than half or a latency that changes by a factor of five; smaller ones are notes. With Moderate, the bounds are a
	// fifth and a factor of two. With Strict, the notes make the run Invalid as well, and so does a window that is too short to judge.
	// Default: Moderate in an experiment with strategy Compare, otherwise Tolerant.
	// +optional
	StabilityPolicy StabilityPolicy `json:"stabilityPolicy,omitempty"`
	// steadyState ends the warm-up and the window when the measured throughput is steady. warmUp and window are then upper limits.
	// Default: fixed times.
	// +optional
	SteadyState *SteadyState `json:"steadyState,omitempty"`
	// calibrate measures, directly before the load, what the pods of the run get from their hosts: CPU, fsync, round trip and
	// bandwidth. The figures are in environment.calibration of the result. Default: no calibration.
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

// Rate returns the rate of an open loop per second, 0 without one.
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
	// duration is the time of the calibration, in whole seconds from 1s to 60s. It delays the warm-up. A quarter each is for one CPU
	// thread, all CPU threads, fsync and the network. Default: 10s.
	// +kubebuilder:default="10s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+m)?([0-9]+s)?$') && duration(self) >= duration('1s') && duration(self) <= duration('60s')",message="measure.calibrate.duration must be from 1s to 60s, in whole seconds, such as 10s"
	// +optional
	Duration metav1.Duration `json:"duration,omitzero"`
	// minSingleThreadRate is the smallest number of Ed25519 signatures that one thread must verify per second. Default: no bound.
	// +kubebuilder:validation:Minimum=1
	// +optional
	MinSingleThreadRate *int32 `json:"minSingleThreadRate,omitempty"`
	// minAllThreadsRate is the same for as many threads as the CPU limit of the container allows. Default: no bound.
	// +kubebuilder:validation:Minimum=1
	// +optional
	MinAllThreadsRate *int32 `json:"minAllThreadsRate,omitempty"`
	// maxFsyncP99 is the largest 99th percentile of the time to write 4 KiB to the volume with fsync. It applies to pods with a volume.
	// Default: no bound.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?(us|µs|ms|s)$') && duration(self) > duration('0s') && duration(self) <= duration('60s')",message="measure.calibrate.maxFsyncP99 must be above 0 and at most 60s, in one unit of us, ms or s, such as 20ms"
	// +optional
	MaxFsyncP99 *metav1.Duration `json:"maxFsyncP99,omitempty"`
	// maxRoundTrip is the largest median time to open a TCP connection between a load worker and a pod. Default: no bound.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?(us|µs|ms|s)$') && duration(self) > duration('0s') && duration(self) <= duration('60s')",message="measure.calibrate.maxRoundTrip must be above 0 and at most 60s, in one unit of us, ms or s, such as 0.5ms"
	// +optional
	MaxRoundTrip *metav1.Duration `json:"maxRoundTrip,omitempty"`
	// minBandwidth is the smallest bandwidth from a pod to a load worker over one TCP connection, in bit/s, such as 500M. Default: no
	// bound.
	// +optional
	MinBandwidth *resource.Quantity `json:"minBandwidth,omitempty"`
}

// SteadyState configures the detection of the steady state. The warm-up ends by MSER-5 (White 1997). The window ends when the
// half-width of the throughput's confidence interval, by batch means, is within a percentage of the mean.
type SteadyState struct {
	// halfWidthPercent is the half-width of the confidence interval, in percent of the mean throughput, at which the window ends. It
	// is from 1 to 50. Default: 5.
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	// +optional
	HalfWidthPercent int32 `json:"halfWidthPercent,omitempty"`
	// confidencePercent is the confidence level of the interval, from 50 to 99. Default: 95.
	// +kubebuilder:default=95
	// +kubebuilder:validation:Minimum=50
	// +kubebuilder:validation:Maximum=99
	// +optional
	ConfidencePercent int32 `json:"confidencePercent,omitempty"`
	// minWindow is the shortest window, in whole seconds. It must not exceed window. A shorter one finds slow trends less often.
	// Default: 120s.
	// +kubebuilder:default="120s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+h)?([0-9]+m)?([0-9]+s)?$')",message="measure.steadyState.minWindow must be in whole seconds, such as 90s or 1m30s"
	// +optional
	MinWindow metav1.Duration `json:"minWindow,omitzero"`
}

// Workers are the pods that apply the load.
type Workers struct {
	// count is the number of pods, from 1 to 50. All start the load at the same instant. Default: 1.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	// +optional
	Count int32 `json:"count,omitempty"`
	// cores is the number of cores that one worker may use. Default: 1.
	// +kubebuilder:default="1"
	// +optional
	Cores resource.Quantity `json:"cores,omitzero"`
	// memory is the memory of one worker. Default: 1Gi.
	// +kubebuilder:default="1Gi"
	// +optional
	Memory resource.Quantity `json:"memory,omitzero"`
	// separation says whether workers keep off the hosts of the network's members and databases: None, Preferred (if other hosts have
	// capacity) or Required (never on such a host). Default: Preferred.
	// +kubebuilder:default=Preferred
	// +optional
	Separation Spread `json:"separation,omitempty"`
	// scheduling says on which nodes the workers run. Default: any node.
	// +optional
	Scheduling *Scheduling `json:"scheduling,omitempty"`
}
