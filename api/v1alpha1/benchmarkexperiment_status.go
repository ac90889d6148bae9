package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkExperimentStatus is the observed state of the experiment.
type BenchmarkExperimentStatus struct {
	// observedGeneration is the generation of the spec that this status describes. It is -1 before the first reconcile.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// phase is a one-word summary: Pending, Running, Suspended, Complete or Failed. Programs should read conditions.
	// +optional
	Phase Phase `json:"phase,omitempty"`
	// conditions are the conditions of the experiment. docs/conditions.md lists every type and reason.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// runsEnded is the number of runs that have ended.
	// +optional
	RunsEnded int32 `json:"runsEnded"`
	// runsTotal is the number of planned runs, including repeated ones. With Saturation it is the largest possible number.
	// +optional
	RunsTotal int32 `json:"runsTotal"`
	// pointsDone is the number of points whose runs have all ended.
	// +optional
	PointsDone int32 `json:"pointsDone"`
	// pointsTotal is the number of points. With Saturation it is the number of loads tried so far.
	// +optional
	PointsTotal int32 `json:"pointsTotal"`
	// currentRuns are the names of the runs that have not ended.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +optional
	CurrentRuns []string `json:"currentRuns,omitempty"`
	// timeLeftSeconds is the estimated time until the experiment is complete, in seconds, rounded to minutes. With Saturation it is an
	// upper bound.
	// +optional
	TimeLeftSeconds *int64 `json:"timeLeftSeconds,omitempty"`
	// seed is the seed of the order of the runs and of all resampling.
	// +optional
	Seed int64 `json:"seed,omitempty"`
	// plan is what the experiment needs.
	// +optional
	Plan *ExperimentPlan `json:"plan,omitempty"`
	// points are the points of the experiment, in the order of the grid.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=256
	// +optional
	Points []PointStatus `json:"points,omitempty"`
	// saturation is the result of each search. There is one search for each variant and point of the axes.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	// +optional
	Saturation []SaturationStatus `json:"saturation,omitempty"`
	// comparisons are the comparisons with the baseline.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +optional
	Comparisons []ComparisonStatus `json:"comparisons,omitempty"`
	// startTime is when the first network was created.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// completionTime is when the result was written.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
	// result is the location of the complete result. Its format is described in docs/experiments.md.
	// +optional
	Result *ResultReference `json:"result,omitempty"`
	// display holds formatted text for print columns and human readers. Programs should read the other fields.
	// +optional
	Display ExperimentDisplay `json:"display,omitzero"`
}

// ExperimentDisplay is formatted text about an experiment for human readers.
type ExperimentDisplay struct {
	// runs is the number of ended runs out of all, such as "3/12". With Saturation it is only the number of ended runs.
	// +optional
	Runs string `json:"runs,omitempty"`
	// current lists the runs that have not ended, such as "sweep-p03-r1".
	// +optional
	Current string `json:"current,omitempty"`
	// timeLeft is the estimated time until the experiment is complete, such as "1h5m".
	// +optional
	TimeLeft string `json:"timeLeft,omitempty"`
}

// ExperimentPlan is the resources that an experiment needs, computed before it creates any. Resources at the same time are counted
// at their peak.
type ExperimentPlan struct {
	// networks is the number of networks of the whole experiment.
	Networks int32 `json:"networks"`
	// networksAtOnce is the number of networks that exist at the same time.
	NetworksAtOnce int32 `json:"networksAtOnce"`
	// runs is the number of runs of the whole experiment. With Saturation it is the largest possible number.
	Runs int32 `json:"runs"`
	// pods is the number of pods that exist at the same time, including load workers.
	Pods int32 `json:"pods"`
	// cores is the number of cores that these pods request.
	Cores resource.Quantity `json:"cores"`
	// memory is the memory that these pods request.
	Memory resource.Quantity `json:"memory"`
	// volumes is the number of volumes that exist at the same time.
	Volumes int32 `json:"volumes"`
	// storage is the total size of these volumes.
	Storage resource.Quantity `json:"storage"`
	// duration is the expected duration of the whole experiment.
	Duration metav1.Duration `json:"duration"`
}

// PointStatus is one point of the experiment.
type PointStatus struct {
	// name is the name of the point, such as p03. Its runs are named EXPERIMENT-POINT-rREPETITION.
	Name string `json:"name"`
	// variant is the name of the variant. It is empty in an experiment without variants.
	// +optional
	Variant string `json:"variant,omitempty"`
	// parameters are the values of the axes at this point, by the name of the axis. With Saturation, load is one of them.
	// +optional
	Parameters map[string]string `json:"parameters,omitempty"`
	// runsEnded is the number of runs of this point that have ended.
	RunsEnded int32 `json:"runsEnded"`
	// runsInvalid is the number of runs that are invalid or failed. They are not part of the mean values of this point.
	// +optional
	RunsInvalid int32 `json:"runsInvalid,omitempty"`
	// attempts are the numbers of runs that were created for each repetition. Deleted ones count as failed.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Attempts []int32 `json:"attempts,omitempty"`
	// throughputMilliPerSecond is the mean throughput of the valid runs, in thousandths of an operation per second.
	// +optional
	ThroughputMilliPerSecond *int64 `json:"throughputMilliPerSecond,omitempty"`
	// throughputHalfWidthMilliPerSecond is the half-width of the confidence interval of the throughput, in thousandths of an
	// operation per second, from five valid runs.
	// +optional
	ThroughputHalfWidthMilliPerSecond *int64 `json:"throughputHalfWidthMilliPerSecond,omitempty"`
	// p95LatencyMicroseconds is the mean over the valid runs of the 95th percentile of the latency, in microseconds.
	// +optional
	P95LatencyMicroseconds *int64 `json:"p95LatencyMicroseconds,omitempty"`
	// objectives are the outcomes of the objectives of template.workload at this point, in their order.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Objectives []ObjectiveStatus `json:"objectives,omitempty"`
	// display holds formatted text for human readers.
	// +optional
	Display PointDisplay `json:"display,omitzero"`
}

// PointDisplay is formatted text about a point for human readers.
type PointDisplay struct {
	// parameters are the variant and the parameters, such as "variant=default users=10".
	// +optional
	Parameters string `json:"parameters,omitempty"`
	// throughput is the mean throughput with its confidence interval, such as "40.1 [39.8, 40.4] flows/s".
	// +optional
	Throughput string `json:"throughput,omitempty"`
	// p95 is the 95th percentile of the latency with its unit, such as "291.8 ms".
	// +optional
	P95 string `json:"p95,omitempty"`
	// bottleneck is the resource that was at its limit.
	// +optional
	Bottleneck string `json:"bottleneck,omitempty"`
	// notes are the notes of the point's runs, such as "CPUStolen in 2 of 3 runs".
	// +optional
	Notes string `json:"notes,omitempty"`
}

// SaturationStatus is the result of one search for the saturation point.
type SaturationStatus struct {
	// name is the parameters of the search, or template if there are none.
	Name string `json:"name"`
	// load is the highest load that met the service level, or 0 if none did.
	Load resource.Quantity `json:"load"`
	// throughputMilliPerSecond is the throughput at that load, in thousandths of an operation per second.
	// +optional
	ThroughputMilliPerSecond *int64 `json:"throughputMilliPerSecond,omitempty"`
	// knee is the load above which the throughput grows clearly less than the load. It is not set if no such load was tried.
	// +optional
	Knee *resource.Quantity `json:"knee,omitempty"`
	// message describes the finding and its uncertainty.
	Message string `json:"message"`
}

// ComparisonStatus is the comparison of one variant at one point with the baseline.
type ComparisonStatus struct {
	// candidate is the variant, with the parameters of the point.
	Candidate string `json:"candidate"`
	// metric is the metric that was compared.
	Metric Metric `json:"metric"`
	// scope is fault/NAME for a metric of a fault, and segment/NAME for one of a segment.
	// +optional
	Scope string `json:"scope,omitempty"`
	// difference is the difference from the baseline. It is not set if it cannot be computed.
	// +optional
	Difference *Difference `json:"difference,omitempty"`
	// pValuePerMillion is the p-value of the exact two-sided rank test, corrected for the number of comparisons, in millionths.
	PValuePerMillion int32 `json:"pValuePerMillion"`
	// verdict says how the candidate differs from the baseline.
	Verdict ComparisonVerdict `json:"verdict"`
	// gate is the outcome of the metric's gate. It is empty without a gate.
	// +optional
	Gate GateOutcome `json:"gate,omitempty"`
	// message describes the comparison.
	Message string `json:"message"`
	// display holds formatted text for human readers.
	// +optional
	Display ComparisonDisplay `json:"display,omitzero"`
}

// ComparisonVerdict says how a candidate differs from its baseline.
// +kubebuilder:validation:Enum=Better;Worse;NoDifference;TooFewRuns;Drifting
type ComparisonVerdict string

// The verdicts of a comparison.
const (
	// ComparisonBetter and ComparisonWorse are significant differences.
	ComparisonBetter ComparisonVerdict = "Better"
	ComparisonWorse  ComparisonVerdict = "Worse"
	// ComparisonNoDifference means that no significant difference was found.
	ComparisonNoDifference ComparisonVerdict = "NoDifference"
	// ComparisonTooFewRuns means that no outcome of so few runs could be significant.
	ComparisonTooFewRuns ComparisonVerdict = "TooFewRuns"
	// ComparisonDrifting means that the difference changed during the experiment, so that it is no single number.
	ComparisonDrifting ComparisonVerdict = "Drifting"
)

// GateOutcome is the outcome of a gate of a comparison. A gate passes only if the runs show that the regression is within its limit.
// +kubebuilder:validation:Enum=Passed;Failed;Undecided
type GateOutcome string

// The outcomes of a gate.
const (
	GatePassed GateOutcome = "Passed"
	GateFailed GateOutcome = "Failed"
	// GateUndecided means that the runs show neither that the regression is within the limit nor that it is beyond: they are too few or vary
	// too much, or there is nothing to compare with. The gate does not pass.
	GateUndecided GateOutcome = "Undecided"
)

// DifferenceUnit is the unit of a difference between a candidate and its baseline.
// +kubebuilder:validation:Enum=MilliPercent;MilliPercentagePoints;MilliPerSecond;Microseconds;MilliOperations
type DifferenceUnit string

// The units of a difference.
const (
	// DifferenceMilliPercent is thousandths of a percent of the baseline.
	DifferenceMilliPercent DifferenceUnit = "MilliPercent"
	// DifferenceMilliPercentagePoints is thousandths of a percentage point. It is the unit of a share.
	DifferenceMilliPercentagePoints DifferenceUnit = "MilliPercentagePoints"
	// DifferenceMilliPerSecond is thousandths of an operation per second. It is the unit of a throughput whose baseline includes a run
	// with the value 0.
	DifferenceMilliPerSecond DifferenceUnit = "MilliPerSecond"
	// DifferenceMicroseconds is the unit of a latency whose baseline includes a run with the value 0.
	DifferenceMicroseconds DifferenceUnit = "Microseconds"
	// DifferenceMilliOperations is thousandths of an operation. It is the unit of a number of operations.
	DifferenceMilliOperations DifferenceUnit = "MilliOperations"
)

// DifferenceRange is a pair of bounds of a difference, in its unit.
type DifferenceRange struct {
	// low is the lower bound.
	Low int64 `json:"low"`
	// high is the upper bound.
	High int64 `json:"high"`
}

// Difference is a difference from the baseline with its confidence interval or, of few runs, its extremes.
type Difference struct {
	// unit is the unit of value, interval and extremes.
	Unit DifferenceUnit `json:"unit"`
	// value is the difference. A negative value means that the candidate is below the baseline.
	Value int64 `json:"value"`
	// interval is the confidence interval. It is absent with fewer than five valid runs of a side.
	// +optional
	Interval *DifferenceRange `json:"interval,omitempty"`
	// extremes are the lowest and the highest difference of single runs. They are present only without an interval.
	// +optional
	Extremes *DifferenceRange `json:"extremes,omitempty"`
}

// ComparisonDisplay is formatted text about a comparison for human readers.
type ComparisonDisplay struct {
	// difference is the difference with its sign and unit, such as "-2.1 %".
	Difference string `json:"difference"`
	// bounds is the confidence interval, such as "[-3.4 %, -0.8 %]", or of few runs the extremes, such as "(-3.4 % to -0.8 %)".
	Bounds string `json:"bounds"`
	// pValue is the corrected p-value, such as "0.0079".
	PValue string `json:"pValue"`
}

// BenchmarkExperiment is a set of runs that answers one question: a grid, a search for the saturation point, or a comparison.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=bexp,categories=benchnet
// +kubebuilder:printcolumn:name="Strategy",type=string,JSONPath=`.spec.strategy`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Runs",type=string,JSONPath=`.status.display.runs`
// +kubebuilder:printcolumn:name="Current",type=string,JSONPath=`.status.display.current`
// +kubebuilder:printcolumn:name="Left",type=string,JSONPath=`.status.display.timeLeft`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`,priority=1
// +kubebuilder:printcolumn:name="Gates",type=string,JSONPath=`.status.conditions[?(@.type=="GatesPassed")].status`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$') && !self.metadata.name.startsWith('benchnet-')",message="metadata.name must be a DNS label of at most 63 characters (a-z, 0-9 and -) that begins with a letter, but not with benchnet-: it becomes part of host names"
type BenchmarkExperiment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state of the experiment.
	// +required
	Spec BenchmarkExperimentSpec `json:"spec"`
	// status is the observed state of the experiment.
	// +kubebuilder:default:={"observedGeneration":-1}
	// +optional
	Status BenchmarkExperimentStatus `json:"status,omitempty"`
}

// BenchmarkExperimentList is a list of experiments.
// +kubebuilder:object:root=true
type BenchmarkExperimentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BenchmarkExperiment `json:"items"`
}
