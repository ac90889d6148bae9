package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Verdict says whether a run's numbers can be trusted.
// +kubebuilder:validation:Enum=Valid;Invalid
type Verdict string

// The verdicts.
const (
	VerdictValid   Verdict = "Valid"
	VerdictInvalid Verdict = "Invalid"
)

// BenchmarkRunSpec describes one workload on one network. Only cancelled and ttlSecondsAfterFinished can change.
// +kubebuilder:validation:XValidation:rule="!has(self.delivery) || !has(self.delivery.webhook) || self.delivery.webhook.when != 'GatesNotPassed' || has(self.workload.objectives)",message="spec.delivery.webhook.when GatesNotPassed needs spec.workload.objectives: without them there is nothing to pass"
// +kubebuilder:validation:XValidation:rule="self.networkName == oldSelf.networkName && self.workload == oldSelf.workload && has(self.startTimeout) == has(oldSelf.startTimeout) && (!has(self.startTimeout) || self.startTimeout == oldSelf.startTimeout)",message="spec cannot change, except delivery, cancelled and ttlSecondsAfterFinished: create another run, or write quantities exactly as before"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.cancelled) || !oldSelf.cancelled || has(self.cancelled) && self.cancelled",message="spec.cancelled must stay true: a cancelled run cannot continue, so create another one"
type BenchmarkRunSpec struct {
	// networkName is the name of the BenchmarkNetwork in the namespace.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +required
	NetworkName string `json:"networkName"`
	// workload is the workload to run.
	// +required
	Workload Workload `json:"workload"`
	// startTimeout is how long the run waits for its network to be ready, and then for nodes of its workers, before it fails. It
	// also fails as soon as the network cannot become ready by itself. Default: no limit.
	// +optional
	StartTimeout *Seconds `json:"startTimeout,omitempty"`
	// delivery says where the result goes. It can change at any time.
	// +optional
	Delivery Delivery `json:"delivery,omitzero"`
	// cancelled ends the run without deleting it. The operator stops the workers, then sets phase Cancelled and starts the next run
	// on the network. The run keeps its status and logs, but has no result. A complete run does not change. The field
	// cannot be set back to false. Default: false.
	// +optional
	Cancelled bool `json:"cancelled,omitempty"`
	// ttlSecondsAfterFinished is the time in seconds after which the operator deletes the ended run with its result. A run of a
	// workload in a network or of an experiment is then created and measured again. If unset, the run is never deleted.
	// +kubebuilder:validation:Minimum=0
	// +optional
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
}

// BenchmarkRunStatus is the observed state of the run.
type BenchmarkRunStatus struct {
	// observedGeneration is the generation of the spec that this status describes. It is -1 before the first reconcile.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// phase is a one-word summary: Pending, Preparing, WarmUp, Measuring, Draining, Complete, Failed, Cancelling or Cancelled.
	// Programs should read conditions.
	// +optional
	Phase Phase `json:"phase,omitempty"`
	// conditions are the conditions of the run. docs/conditions.md lists every type and reason.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// workersReady is the number of load workers that are ready.
	// +optional
	WorkersReady int32 `json:"workersReady,omitempty"`
	// startTime is the instant at which all workers begin the warm-up.
	// +optional
	StartTime *metav1.MicroTime `json:"startTime,omitempty"`
	// release records what the workers were released with. It is written once, before they start the load.
	// +optional
	Release *RunRelease `json:"release,omitempty"`
	// window is the measured time. It is the planned window while the run is active, and the actual one once the run is complete or
	// cancelled.
	// +optional
	Window *MeasuredWindow `json:"window,omitempty"`
	// completionTime is when the result was written, or when the run failed or was cancelled.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
	// throughputMilliPerSecond is the number of operations completed per second of the window, in thousandths. During the run it is
	// the current throughput.
	// +optional
	ThroughputMilliPerSecond *int64 `json:"throughputMilliPerSecond,omitempty"`
	// recent are the latest steps of the load while the run is active, the newest last: at most five minutes in steps of 5 s.
	// It is for watching a run and absent once the run has ended.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=60
	// +optional
	Recent []RecentLoad `json:"recent,omitempty"`
	// unit is the name of the operations: flows, requests, blocks or transactions.
	// +optional
	Unit string `json:"unit,omitempty"`
	// latencyMicroseconds is the latency of the operations that started in the window, in microseconds. In a closed loop it is the service time.
	// +optional
	LatencyMicroseconds *LatencySummary `json:"latencyMicroseconds,omitempty"`
	// correctedLatencyMicroseconds is the latency of a closed loop with HdrHistogram's correction for coordinated omission, in microseconds.
	// It is absent in an open loop and with fewer than 20 latencies.
	// +optional
	CorrectedLatencyMicroseconds *LatencySummary `json:"correctedLatencyMicroseconds,omitempty"`
	// finalityMicroseconds is the time until an operation or a block was final, in microseconds. It is absent if the platform does not
	// know when, as with your own JMeter plan, or if nothing succeeded.
	// +optional
	FinalityMicroseconds *FinalitySummary `json:"finalityMicroseconds,omitempty"`
	// operations are the numbers of operations that started in the window.
	// +optional
	Operations *OperationCounts `json:"operations,omitempty"`
	// measures are further numbers of the window that the platform reports.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	// +optional
	Measures []Measured `json:"measures,omitempty"`
	// verdict is Valid or Invalid. It says whether the numbers can be trusted.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`
	// reasons are the findings that make the run invalid, and notes about it.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +optional
	Reasons []VerdictReason `json:"reasons,omitempty"`
	// objectives are the outcomes of spec.workload.objectives: those of metrics, then those of queries.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Objectives []ObjectiveStatus `json:"objectives,omitempty"`
	// result is the location of the complete result. Its format is described in docs/results.md.
	// +optional
	Result *ResultReference `json:"result,omitempty"`
	// display holds formatted text for print columns and human readers. Programs should read the other fields.
	// +optional
	Display RunDisplay `json:"display,omitzero"`
}

// RunDisplay is formatted text about a run for human readers.
type RunDisplay struct {
	// progress is the progress of the run, such as "Window 45%".
	// +optional
	Progress string `json:"progress,omitempty"`
	// workers is the number of ready workers out of all, such as "3/5".
	// +optional
	Workers string `json:"workers,omitempty"`
	// throughput is the throughput with its unit, such as "40.1 flows/s".
	// +optional
	Throughput string `json:"throughput,omitempty"`
	// p95 is the 95th percentile of the latency with its unit, such as "291.8 ms". It is empty with fewer than 200 latencies.
	// +optional
	P95 string `json:"p95,omitempty"`
	// latencyKind says what the latencies are: "service time" in a closed loop, "response time" in an open one.
	// +optional
	LatencyKind string `json:"latencyKind,omitempty"`
	// steadyState describes the decision of the steady-state detection. It is empty if the run has fixed times.
	// +optional
	SteadyState string `json:"steadyState,omitempty"`
	// bottleneck is the resource that was at its limit in the window, such as "member-0 CPU 98 %".
	// +optional
	Bottleneck string `json:"bottleneck,omitempty"`
}

// RunRelease identifies what a run's workers were released with. If any of it is lost or replaced later, the run is invalid.
type RunRelease struct {
	// startTime is the start of the load that the workers received.
	StartTime metav1.MicroTime `json:"startTime"`
	// networkUID is the UID of the network that the run measures.
	NetworkUID types.UID `json:"networkUID"`
	// jobUID is the UID of the workers' Job.
	JobUID types.UID `json:"jobUID"`
	// jobGeneration is the generation of the workers' Job. 0 means that it was not recorded.
	// +optional
	JobGeneration int64 `json:"jobGeneration,omitempty"`
	// barrierUID is the UID of the ConfigMap by which the workers were released.
	BarrierUID types.UID `json:"barrierUID"`
	// barrierVersion is the resource version of the barrier before the release.
	BarrierVersion string `json:"barrierVersion"`
	// digest is a hash of the start and of the state of the members at the start, which the barrier holds.
	Digest string `json:"digest"`
}

// MeasuredWindow is the time in which operations are measured.
type MeasuredWindow struct {
	// start is the start of the window.
	Start metav1.MicroTime `json:"start"`
	// end is the end of the window.
	End metav1.MicroTime `json:"end"`
}

// LatencySummary is a summary of latencies in microseconds. A percentile is absent if fewer than ten latencies lie above it.
type LatencySummary struct {
	// mean is the arithmetic mean.
	Mean int64 `json:"mean"`
	// p50 is the median.
	// +optional
	P50 *int64 `json:"p50,omitempty"`
	// p90 is the 90th percentile.
	// +optional
	P90 *int64 `json:"p90,omitempty"`
	// p95 is the 95th percentile.
	// +optional
	P95 *int64 `json:"p95,omitempty"`
	// p99 is the 99th percentile.
	// +optional
	P99 *int64 `json:"p99,omitempty"`
	// p999 is the 99.9th percentile.
	// +optional
	P999 *int64 `json:"p999,omitempty"`
	// max is the largest latency.
	Max int64 `json:"max"`
}

// FinalitySummary is a summary of times until operations or blocks were final.
type FinalitySummary struct {
	// of is Operation: from the instant at which an operation was due (open loop) or sent (closed loop) until the driver learned that
	// the network cannot undo it; or Block: from the start of a block's height to its decision, as the observed validator saw them.
	// +kubebuilder:validation:Enum=Operation;Block
	Of             string `json:"of"`
	LatencySummary `json:",inline"`
}

// Measured is a number that a platform derives from the window.
type Measured struct {
	// name is the name of the number, such as blockTimeP99.
	Name string `json:"name"`
	// milliValue is the value in thousandths of the unit.
	MilliValue int64 `json:"milliValue"`
	// unit is the unit of the value, such as ms or bit/s. It is empty for a count.
	// +optional
	Unit string `json:"unit,omitempty"`
}

// RecentLoad is the load that was completed in a step, which begins at the end of the previous one.
type RecentLoad struct {
	// seconds is the end of the step, in seconds since the start of the load.
	// +kubebuilder:validation:Minimum=0
	Seconds int32 `json:"seconds"`
	// completed is the number of operations that succeeded in the step.
	// +kubebuilder:validation:Minimum=0
	Completed int64 `json:"completed"`
	// p95Microseconds is the 95th percentile of their latencies in microseconds, estimated from buckets. With several workers it is
	// that of the worker with the highest. It is absent if no operation succeeded.
	// +kubebuilder:validation:Minimum=0
	// +optional
	P95Microseconds *int64 `json:"p95Microseconds,omitempty"`
}

// OperationCounts are the numbers of operations that started in the window, by outcome.
type OperationCounts struct {
	// completed is the number of operations that ended without an error.
	Completed int64 `json:"completed"`
	// failed is the number of operations that failed or did not end.
	Failed int64 `json:"failed"`
}

// FindingSeverity is the effect of a finding on the verdict of a run.
// +kubebuilder:validation:Enum=Invalid;Recorded;Note
type FindingSeverity string

// The severities.
const (
	// SeverityInvalid makes the run invalid.
	SeverityInvalid FindingSeverity = "Invalid"
	// SeverityRecorded is a finding about the environment that would make the run invalid if environmentPolicy were Enforce.
	SeverityRecorded FindingSeverity = "Recorded"
	// SeverityNote has no effect on the verdict. A reader of the numbers should know it.
	SeverityNote FindingSeverity = "Note"
)

// VerdictReason is one finding about a run.
type VerdictReason struct {
	// reason is a constant, such as Errors or MemberRestarted.
	Reason string `json:"reason"`
	// severity is the effect of the finding. Invalid makes the run invalid. Recorded would make the run invalid, but
	// measure.environmentPolicy is Record. Note has no effect on the verdict.
	Severity FindingSeverity `json:"severity"`
	// message describes the finding for human readers.
	Message string `json:"message"`
}

// ResultReference is a reference to a result in a ConfigMap of the namespace.
type ResultReference struct {
	// configMapName is the name of the ConfigMap.
	ConfigMapName string `json:"configMapName"`
	// key is the key in the binaryData of the ConfigMap. The value is gzipped JSON.
	Key string `json:"key"`
	// digest is the SHA-256 of the value, as sha256:HEX. Readers refuse a value with another digest.
	// +optional
	Digest string `json:"digest,omitempty"`
}

// BenchmarkRun is one measurement of one workload on one network, with its result.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=`.spec.networkName`
// +kubebuilder:resource:shortName=brun,categories=benchnet
// +kubebuilder:printcolumn:name="Network",type=string,JSONPath=`.spec.networkName`
// +kubebuilder:printcolumn:name="Workload",type=string,JSONPath=`.spec.workload.name`
// +kubebuilder:printcolumn:name="Progress",type=string,JSONPath=`.status.display.progress`
// +kubebuilder:printcolumn:name="Throughput",type=string,JSONPath=`.status.display.throughput`
// +kubebuilder:printcolumn:name="P95",type=string,JSONPath=`.status.display.p95`,description="95th percentile of the latency"
// +kubebuilder:printcolumn:name="Verdict",type=string,JSONPath=`.status.verdict`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`,priority=1
// +kubebuilder:printcolumn:name="Gates",type=string,JSONPath=`.status.conditions[?(@.type=="GatesPassed")].status`,priority=1
// +kubebuilder:printcolumn:name="Bottleneck",type=string,JSONPath=`.status.display.bottleneck`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$') && !self.metadata.name.startsWith('benchnet-')",message="metadata.name must be a DNS label of at most 63 characters (a-z, 0-9 and -) that begins with a letter, but not with benchnet-: it becomes part of host names"
type BenchmarkRun struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state of the run.
	// +required
	Spec BenchmarkRunSpec `json:"spec"`
	// status is the observed state of the run.
	// +kubebuilder:default:={"observedGeneration":-1}
	// +optional
	Status BenchmarkRunStatus `json:"status,omitempty"`
}

// BenchmarkRunList is a list of runs.
// +kubebuilder:object:root=true
type BenchmarkRunList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BenchmarkRun `json:"items"`
}
