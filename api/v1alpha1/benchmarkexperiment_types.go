package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Strategy says which runs an experiment makes.
// +kubebuilder:validation:Enum=Grid;Saturation;Compare
type Strategy string

// The strategies.
const (
	// StrategyGrid measures every point of axes × variants.
	StrategyGrid Strategy = "Grid"
	// StrategySaturation searches, for every point, the highest load that meets a service level.
	StrategySaturation Strategy = "Saturation"
	// StrategyCompare measures every point as Grid does and judges each variant against a baseline.
	StrategyCompare Strategy = "Compare"
)

// BenchmarkExperimentSpec describes many runs: a grid over parameters, a search for the saturation point, or a comparison.
// +kubebuilder:validation:XValidation:rule="self.template == oldSelf.template && self.strategy == oldSelf.strategy && self.repetitions == oldSelf.repetitions && self.order == oldSelf.order && self.failures == oldSelf.failures",message="spec of a BenchmarkExperiment cannot change, but for suspend, parallelism and ttlSecondsAfterFinished: create another one"
// +kubebuilder:validation:XValidation:rule="has(self.axes) == has(oldSelf.axes) && (!has(self.axes) || self.axes == oldSelf.axes)",message="spec.axes cannot change: create another experiment"
// +kubebuilder:validation:XValidation:rule="has(self.variants) == has(oldSelf.variants) && (!has(self.variants) || self.variants == oldSelf.variants)",message="spec.variants cannot change: create another experiment"
// +kubebuilder:validation:XValidation:rule="has(self.saturation) == has(oldSelf.saturation) && (!has(self.saturation) || self.saturation == oldSelf.saturation)",message="spec.saturation cannot change: create another experiment"
// +kubebuilder:validation:XValidation:rule="has(self.compare) == has(oldSelf.compare) && (!has(self.compare) || self.compare == oldSelf.compare)",message="spec.compare cannot change: create another experiment"
// +kubebuilder:validation:XValidation:rule="(self.strategy == 'Saturation') == has(self.saturation)",message="spec.saturation must be set when, and only when, spec.strategy is Saturation"
// +kubebuilder:validation:XValidation:rule="(self.strategy == 'Compare') == has(self.compare)",message="spec.compare must be set when, and only when, spec.strategy is Compare"
// +kubebuilder:validation:XValidation:rule="!has(self.compare) || has(self.compare.stored) || (has(self.variants) && self.variants.size() >= 2)",message="spec.variants must hold at least two to be compared, or spec.compare.stored a stored baseline"
// +kubebuilder:validation:XValidation:rule="!has(self.compare) || !has(self.compare.baseline) || (has(self.variants) && self.variants.exists(v, v.name == self.compare.baseline))",message="spec.compare.baseline must be the name of one of spec.variants"
type BenchmarkExperimentSpec struct {
	// template of the networks and of the workload that is measured on each. It must be valid by itself.
	// +required
	Template ExperimentTemplate `json:"template"`
	// axes are the parameters that are varied, the first one slowest. Without any the template is the only point.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=4
	// +optional
	Axes []Axis `json:"axes,omitempty"`
	// variants are named changes of the template; every point of the axes is measured for each.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Variants []Variant `json:"variants,omitempty"`
	// strategy is Grid, Saturation or Compare.
	// +kubebuilder:default=Grid
	// +optional
	Strategy Strategy `json:"strategy,omitempty"`
	// saturation configures the search.
	// +optional
	Saturation *SaturationSearch `json:"saturation,omitempty"`
	// compare configures the comparison and its gates.
	// +optional
	Compare *Comparison `json:"compare,omitempty"`
	// repetitions of every point. A confidence interval needs two, a comparison at 95 % four of each.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	Repetitions int32 `json:"repetitions,omitempty"`
	// order in which the runs are made.
	// +kubebuilder:default={type: Listed}
	// +optional
	Order Order `json:"order,omitzero"`
	// parallelism is how many networks are measured at the same time. More than one makes sense only where they do not
	// share hosts. Default: 1.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=32
	// +optional
	Parallelism int32 `json:"parallelism,omitempty"`
	// failures says what becomes of a run that failed or is invalid.
	// +kubebuilder:default={failed: Continue, invalid: LeaveOut, attempts: 3, networkReadyWithin: "30m"}
	// +optional
	Failures FailurePolicy `json:"failures,omitzero"`
	// networks is what happens to a network when the last of its runs has ended. Default: Delete.
	// +kubebuilder:default=Delete
	// +optional
	Networks RetentionPolicy `json:"networks,omitempty"`
	// suspend starts no further run while it is true; runs under way end, networks stay.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
	// ttlSecondsAfterFinished deletes the experiment, with its runs and results, so long after its end. Unset: it stays.
	// +kubebuilder:validation:Minimum=0
	// +optional
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
}

// ExperimentTemplate is what axes and variants change.
// +kubebuilder:validation:XValidation:rule="!has(self.network.workloads)",message="template.network.workloads must not be set: what an experiment measures is template.workload"
type ExperimentTemplate struct {
	// network to measure on.
	// +required
	Network BenchmarkNetworkSpec `json:"network"`
	// workload to measure.
	// +required
	Workload Workload `json:"workload"`
}

// Axis is one parameter and the values it takes.
// +kubebuilder:validation:XValidation:rule="[has(self.values), has(self.range), has(self.logarithmic)].filter(x, x).size() == 1",message="an axis needs exactly one of values, range and logarithmic"
type Axis struct {
	// name of the parameter in results and charts, such as users.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=30
	// +kubebuilder:validation:Pattern=`^[a-zA-Z]([-_a-zA-Z0-9]*[a-zA-Z0-9])?$`
	// +required
	Name string `json:"name"`
	// field is the path of a field of the template, such as workload.load.clients, network.members.count, network.platform.corda.cordapps.image,
	// workload.corda.arguments[0].value.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:Pattern=`^(network|workload)(\.[a-zA-Z][a-zA-Z0-9]*(\[[0-9]+\])?)+$`
	// +required
	Field string `json:"field"`
	// values are the values in order. Each is text that the type of the field accepts, such as "4Gi", "30s" or "true". A whole number
	// needs no quotes.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Values []Text `json:"values,omitempty"`
	// range of evenly spaced values.
	// +optional
	Range *Range `json:"range,omitempty"`
	// logarithmic spaces values evenly on a logarithmic scale.
	// +optional
	Logarithmic *Logarithmic `json:"logarithmic,omitempty"`
}

// Range is from, from+step, … up to to.
type Range struct {
	// from is the first value.
	// +required
	From resource.Quantity `json:"from"`
	// to bounds the last value; it is one of them if steps lead there.
	// +required
	To resource.Quantity `json:"to"`
	// step between values, above 0.
	// +required
	Step resource.Quantity `json:"step"`
}

// Logarithmic is whole numbers from, …, to in equal ratios, each rounded to the nearest whole number and listed once.
type Logarithmic struct {
	// from is the first value, at least 1.
	// +kubebuilder:validation:Minimum=1
	// +required
	From int64 `json:"from"`
	// to is the last value.
	// +kubebuilder:validation:Minimum=1
	// +required
	To int64 `json:"to"`
	// points is how many values there are, both ends included.
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=100
	// +required
	Points int32 `json:"points"`
}

// Variant is a named change of the template.
type Variant struct {
	// name of the variant in results and charts.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9]([-._a-zA-Z0-9]*[a-zA-Z0-9])?$`
	// +required
	Name string `json:"name"`
	// patch is merged into the template (JSON merge patch, RFC 7386): network and workload as in the template, null removes a
	// field. Unset: the template as it is.
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Patch *apiextensionsv1.JSON `json:"patch,omitempty"`
}

// OrderType says in which order the runs are made.
// +kubebuilder:validation:Enum=Listed;Shuffled;Interleaved
type OrderType string

// The orders.
const (
	// OrderListed takes networks as listed, on each its points, and all repetitions of a point one after the other.
	OrderListed OrderType = "Listed"
	// OrderShuffled shuffles the networks, and on each all repetitions of all its points, by the recorded seed.
	OrderShuffled OrderType = "Shuffled"
	// OrderInterleaved takes the variants of one point in turn, A B A B, so that what drifts meets all of them alike. Their
	// networks stand at the same time.
	OrderInterleaved OrderType = "Interleaved"
)

// Order of the runs.
// +kubebuilder:validation:XValidation:rule="self.type == 'Shuffled' || !has(self.seed)",message="order.seed belongs to order.type Shuffled"
type Order struct {
	// type is Listed, Shuffled or Interleaved.
	// +kubebuilder:default=Listed
	// +optional
	Type OrderType `json:"type,omitempty"`
	// seed of the shuffle. Default: one that is derived from the experiment's UID; status.seed has it.
	// +kubebuilder:validation:Minimum=0
	// +optional
	Seed *int64 `json:"seed,omitempty"`
}

// FailedRuns says what becomes of the experiment when a run failed: it has no result.
// +kubebuilder:validation:Enum=Continue;Repeat;Stop
type FailedRuns string

// What becomes of failed runs.
const (
	FailedContinue FailedRuns = "Continue"
	FailedRepeat   FailedRuns = "Repeat"
	FailedStop     FailedRuns = "Stop"
)

// InvalidRuns says what becomes of a run whose verdict is Invalid. It is always kept, shown, and left out of statistics.
// +kubebuilder:validation:Enum=LeaveOut;Repeat
type InvalidRuns string

// What becomes of invalid runs.
const (
	InvalidLeaveOut InvalidRuns = "LeaveOut"
	InvalidRepeat   InvalidRuns = "Repeat"
)

// FailurePolicy says what becomes of a run that failed or is invalid.
type FailurePolicy struct {
	// failed is Continue with the next run, Repeat up to attempts times and then continue, or Stop the experiment.
	// +kubebuilder:default=Continue
	// +optional
	Failed FailedRuns `json:"failed,omitempty"`
	// invalid is LeaveOut of the statistics, or Repeat up to attempts times.
	// +kubebuilder:default=LeaveOut
	// +optional
	Invalid InvalidRuns `json:"invalid,omitempty"`
	// attempts at one run at most, where it is repeated. Default: 3.
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	// +optional
	Attempts int32 `json:"attempts,omitempty"`
	// networkReadyWithin fails a run whose network is not ready within this time after the run was created, or whose workers do not
	// have nodes within this time after they were created. Default: 30m.
	// +kubebuilder:default="30m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+h)?([0-9]+m)?([0-9]+s)?$') && duration(self) > duration('0s')",message="failures.networkReadyWithin must be whole seconds above 0, such as 10m"
	// +optional
	NetworkReadyWithin metav1.Duration `json:"networkReadyWithin,omitzero"`
}

// SaturationSearch looks for the highest load that meets a service level: clients in a closed loop, rate in an open one.
// The load of the template is ignored.
// +kubebuilder:validation:XValidation:rule="self.from < self.to",message="saturation.from must be below saturation.to"
type SaturationSearch struct {
	// from is the lowest load: clients (Closed), or operations a second (Open).
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	// +required
	From int64 `json:"from"`
	// to is the highest load.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	// +required
	To int64 `json:"to"`
	// serviceLevel that a load must meet.
	// +required
	ServiceLevel ServiceLevel `json:"serviceLevel"`
	// precisionPercent ends the search when the lowest load that misses the level is at most so much above the highest that meets it.
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	PrecisionPercent int32 `json:"precisionPercent,omitempty"`
	// maxLoads bounds how many loads are tried.
	// +kubebuilder:default=16
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=64
	// +optional
	MaxLoads int32 `json:"maxLoads,omitempty"`
	// repeats of a load near the boundary at most: until its verdict is clear, or that many.
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=15
	// +optional
	Repeats int32 `json:"repeats,omitempty"`
}

// Metric is a number of a run that is compared.
// +kubebuilder:validation:Enum=Throughput;LatencyMean;LatencyP50;LatencyP90;LatencyP95;LatencyP99;LatencyP999;ErrorShare
type Metric string

// The metrics.
const (
	MetricThroughput  Metric = "Throughput"
	MetricLatencyMean Metric = "LatencyMean"
	MetricLatencyP50  Metric = "LatencyP50"
	MetricLatencyP90  Metric = "LatencyP90"
	MetricLatencyP95  Metric = "LatencyP95"
	MetricLatencyP99  Metric = "LatencyP99"
	MetricLatencyP999 Metric = "LatencyP999"
	MetricErrorShare  Metric = "ErrorShare"
)

// ServiceLevel is met by a run whose latency and errors stay within it.
type ServiceLevel struct {
	// percentile of the latency.
	// +kubebuilder:validation:Enum=LatencyMean;LatencyP50;LatencyP90;LatencyP95;LatencyP99;LatencyP999
	// +kubebuilder:default=LatencyP95
	// +optional
	Percentile Metric `json:"percentile,omitempty"`
	// latency that the percentile must not exceed, such as 500ms.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$') && duration(self) > duration('0s')",message="serviceLevel.latency must be above 0, such as 500ms or 2s"
	// +required
	Latency metav1.Duration `json:"latency,omitzero"`
	// maxErrorPercent is the percentage of operations that may fail, from 0 to 100, such as 1 or "0.1". Default: 0.
	// +kubebuilder:default="0"
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && !quantity(string(self)).isLessThan(quantity('0')) && !quantity(string(self)).isGreaterThan(quantity('100'))",message="serviceLevel.maxErrorPercent must be a percentage from 0 to 100, such as \"0.5\""
	// +optional
	MaxErrorPercent resource.Quantity `json:"maxErrorPercent,omitzero"`
}

// Comparison of variants with a baseline.
// +kubebuilder:validation:XValidation:rule="has(self.baseline) != has(self.stored)",message="compare needs exactly one of baseline (a variant) and stored (an earlier result)"
// +kubebuilder:validation:XValidation:rule="!has(self.gates) || self.gates.all(g, g.metric in self.metrics)",message="compare.gates[].metric must be among compare.metrics"
type Comparison struct {
	// baseline is the name of the variant that the others are compared with.
	// +kubebuilder:validation:MaxLength=40
	// +optional
	Baseline string `json:"baseline,omitempty"`
	// stored is the result of an earlier experiment to compare with, point by point.
	// +optional
	Stored *StoredResult `json:"stored,omitempty"`
	// metrics that are compared. Default: Throughput, LatencyMean and LatencyP95.
	// +kubebuilder:default={Throughput, LatencyMean, LatencyP95}
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Metrics []Metric `json:"metrics,omitempty"`
	// confidencePercent of the intervals, and one minus the significance. Default: 95.
	// +kubebuilder:default=95
	// +kubebuilder:validation:Minimum=50
	// +kubebuilder:validation:Maximum=99
	// +optional
	ConfidencePercent int32 `json:"confidencePercent,omitempty"`
	// gates fail the experiment.
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Gates []Gate `json:"gates,omitempty"`
}

// StoredResult is the result of an experiment in a ConfigMap: the one that an experiment left, or its document as a file.
type StoredResult struct {
	// configMapName of the ConfigMap in the namespace.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	ConfigMapName string `json:"configMapName"`
	// key among its data (JSON) or binaryData (JSON, gzipped).
	// +kubebuilder:default=result.json.gz
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Key string `json:"key,omitempty"`
	// variant of the stored result that is the baseline. Default: its only one.
	// +kubebuilder:validation:MaxLength=40
	// +optional
	Variant string `json:"variant,omitempty"`
}

// Gate fails an experiment whose candidate is worse than the baseline by more than a bound.
type Gate struct {
	// metric that is judged; it must be among compare.metrics.
	// +required
	Metric Metric `json:"metric"`
	// maxRegressionPercent is how much worse the candidate may be, in percent of the baseline, a decimal: less throughput, more
	// latency; for the error share in percentage points. The gate fails where the difference is significant and its whole
	// confidence interval lies beyond the bound.
	// +kubebuilder:default="5"
	// +kubebuilder:validation:XValidation:rule="!string(self).startsWith('-')",message="maxRegressionPercent must not be negative"
	// +optional
	MaxRegressionPercent resource.Quantity `json:"maxRegressionPercent,omitzero"`
}
