package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkExperimentStatus is what was observed of the experiment.
type BenchmarkExperimentStatus struct {
	// observedGeneration is the generation of the spec that this status describes; -1 before the first pass.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// phase in one word, for people: Pending, Running, Suspended, Complete, Failed.
	// +optional
	Phase string `json:"phase,omitempty"`
	// conditions of the experiment; docs/conditions.md lists every type and reason.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// progress is runs ended/planned.
	// +optional
	Progress string `json:"progress,omitempty"`
	// pointsDone are the points of which all runs have ended.
	// +optional
	PointsDone int32 `json:"pointsDone"`
	// pointsTotal is how many points there are; with Saturation, the loads tried so far.
	// +optional
	PointsTotal int32 `json:"pointsTotal"`
	// current are the runs under way, for people.
	// +optional
	Current string `json:"current,omitempty"`
	// timeLeft until all is done, as far as can be told from what was done.
	// +optional
	TimeLeft string `json:"timeLeft,omitempty"`
	// seed of the order and of all resampling.
	// +optional
	Seed int64 `json:"seed,omitempty"`
	// plan is what the experiment needs.
	// +optional
	Plan *ExperimentPlan `json:"plan,omitempty"`
	// points in the order of the grid.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=256
	// +optional
	Points []PointStatus `json:"points,omitempty"`
	// saturation is what the searches found, one for each variant and point of the axes.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	// +optional
	Saturation []SaturationStatus `json:"saturation,omitempty"`
	// comparisons with the baseline.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +optional
	Comparisons []ComparisonStatus `json:"comparisons,omitempty"`
	// startTime is when the first network was made.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// completionTime is when the result was written.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
	// result says where the whole result lies; docs/experiments.md has its format.
	// +optional
	Result *ResultReference `json:"result,omitempty"`
}

// ExperimentPlan is what an experiment needs, before anything of it is made. What stands at one time counts at its largest.
type ExperimentPlan struct {
	// networks that are made over the whole experiment, and how many of them stand at the same time.
	Networks int32 `json:"networks"`
	// networksAtOnce is how many networks stand at the same time.
	NetworksAtOnce int32 `json:"networksAtOnce"`
	// runs over the whole experiment; with Saturation at most.
	Runs int32 `json:"runs"`
	// pods at the same time, load workers included.
	Pods int32 `json:"pods"`
	// cores that the pods request.
	Cores resource.Quantity `json:"cores"`
	// memory that the pods request.
	Memory resource.Quantity `json:"memory"`
	// volumes at the same time.
	Volumes int32 `json:"volumes"`
	// storage of the volumes.
	Storage resource.Quantity `json:"storage"`
	// duration of the whole experiment, as expected.
	Duration metav1.Duration `json:"duration"`
}

// PointStatus is one point of the experiment.
type PointStatus struct {
	// name of the point, such as p03; its runs are called <experiment>-<point>-r<repetition>.
	Name string `json:"name"`
	// parameters for people, such as "variant=default users=10".
	// +optional
	Parameters string `json:"parameters,omitempty"`
	// runs ended/planned.
	Runs string `json:"runs"`
	// invalid runs, failed ones included, that are left out of the numbers here.
	// +optional
	Invalid int32 `json:"invalid,omitempty"`
	// notes are findings about the environment that were only recorded (measure.environmentPolicy), such as "CPUStolen in 2 of 3
	// runs".
	// +optional
	Notes string `json:"notes,omitempty"`
	// throughput, mean over the valid runs, with the half-width of its confidence interval where there are two or more.
	// +optional
	Throughput string `json:"throughput,omitempty"`
	// p95 latency in milliseconds, mean over the valid runs.
	// +optional
	P95 string `json:"p95,omitempty"`
	// bottleneck is what was at its limit.
	// +optional
	Bottleneck string `json:"bottleneck,omitempty"`
}

// SaturationStatus is what a search found.
type SaturationStatus struct {
	// name of what was searched: its parameters, or template.
	Name string `json:"name"`
	// load is the highest that met the service level; 0 if none did.
	Load int64 `json:"load"`
	// throughput at that load, a decimal.
	// +optional
	Throughput string `json:"throughput,omitempty"`
	// knee is the load from which throughput grows clearly less than the load; 0 if there is none among those tried.
	// +optional
	Knee int64 `json:"knee,omitempty"`
	// message says how sure this is.
	Message string `json:"message"`
}

// ComparisonStatus is one variant at one point compared with the baseline.
type ComparisonStatus struct {
	// candidate is the variant, with the parameters of the point.
	Candidate string `json:"candidate"`
	// metric that was compared.
	Metric Metric `json:"metric"`
	// difference with its sign and unit: in percent of the baseline, or in percentage points for the error share.
	Difference string `json:"difference"`
	// interval of the difference, such as "[-2.1 %, +0.4 %]".
	Interval string `json:"interval"`
	// pValue of the Mann-Whitney U test, two-sided.
	PValue string `json:"pValue"`
	// verdict is Better, Worse, NoDifference, or TooFewRuns.
	Verdict string `json:"verdict"`
	// gate is Passed, Failed, Undecided (too few runs, or nothing to compare with; it does not pass), or empty without one.
	// +optional
	Gate string `json:"gate,omitempty"`
	// message for people.
	Message string `json:"message"`
}

// BenchmarkExperiment is many runs with one question: a grid, a saturation search, or a comparison.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=bexp,categories=benchnet
// +kubebuilder:printcolumn:name="Strategy",type=string,JSONPath=`.spec.strategy`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Runs",type=string,JSONPath=`.status.progress`
// +kubebuilder:printcolumn:name="Current",type=string,JSONPath=`.status.current`
// +kubebuilder:printcolumn:name="Left",type=string,JSONPath=`.status.timeLeft`
// +kubebuilder:printcolumn:name="Gates",type=string,JSONPath=`.status.conditions[?(@.type=="GatesPassed")].status`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 20",message="metadata.name must be at most 20 characters, so that the names of its networks and runs stay within theirs"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be a DNS label that begins with a letter (a-z, 0-9 and - only): it becomes part of host names"
type BenchmarkExperiment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec of the experiment.
	// +required
	Spec BenchmarkExperimentSpec `json:"spec"`
	// status of the experiment.
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
