package v1alpha1

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Strategy is the method by which an experiment chooses and evaluates its runs.
// +kubebuilder:validation:Enum=Grid;Saturation;Compare
type Strategy string

// The strategies.
const (
	// StrategyGrid measures every point of axes × variants.
	StrategyGrid Strategy = "Grid"
	// StrategySaturation searches the highest load that meets a service level, for every point.
	StrategySaturation Strategy = "Saturation"
	// StrategyCompare measures every point like Grid, and compares each variant with a baseline.
	StrategyCompare Strategy = "Compare"
)

// BenchmarkExperimentSpec describes a set of runs: a grid of parameters, a search for the saturation point, or a comparison. Only delivery, pauseRuns,
// parallelism, networkRetention and ttlSecondsAfterFinished can change.
// +kubebuilder:validation:XValidation:rule="self.template == oldSelf.template && has(self.axes) == has(oldSelf.axes) && (!has(self.axes) || self.axes == oldSelf.axes) && has(self.variants) == has(oldSelf.variants) && (!has(self.variants) || self.variants == oldSelf.variants) && self.strategy == oldSelf.strategy && has(self.saturation) == has(oldSelf.saturation) && (!has(self.saturation) || self.saturation == oldSelf.saturation) && has(self.compare) == has(oldSelf.compare) && (!has(self.compare) || self.compare == oldSelf.compare) && self.repetitions == oldSelf.repetitions && has(self.deployments) == has(oldSelf.deployments) && (!has(self.deployments) || self.deployments == oldSelf.deployments) && has(self.order) == has(oldSelf.order) && (!has(self.order) || self.order == oldSelf.order) && self.failures == oldSelf.failures",message="spec cannot change, except delivery, pauseRuns, parallelism, networkRetention and ttlSecondsAfterFinished: create another experiment, or write quantities exactly as before"
// +kubebuilder:validation:XValidation:rule="(self.strategy == 'Saturation') == has(self.saturation) && (self.strategy == 'Compare') == has(self.compare)",message="spec.saturation must be set when, and only when, spec.strategy is Saturation, and spec.compare must be set when, and only when, it is Compare"
// +kubebuilder:validation:XValidation:rule="self.strategy != 'Saturation' || !has(self.template.workload.objectives)",message="spec.template.workload.objectives cannot be set if spec.strategy is Saturation: spec.saturation.objectives are the limits"
// +kubebuilder:validation:XValidation:rule="!has(self.compare) || !has(self.order) || !has(self.order.type) || self.order.type != 'Listed'",message="spec.order.type must not be Listed with spec.strategy Compare, because differences would include the drift of the hosts: use RandomizedPairs"
// +kubebuilder:validation:XValidation:rule="!has(self.compare) || has(self.compare.stored) && !has(self.compare.control) || (has(self.variants) && self.variants.size() >= 2)",message="spec.variants must hold at least two variants, unless spec.compare.stored is set without spec.compare.control"
// +kubebuilder:validation:XValidation:rule="!has(self.compare) || (!has(self.compare.baseline) || has(self.variants) && self.variants.exists(v, v.name == self.compare.baseline)) && (!has(self.compare.control) || has(self.variants) && self.variants.exists(v, v.name == self.compare.control))",message="spec.compare.baseline and spec.compare.control must be names of spec.variants"
// +kubebuilder:validation:XValidation:rule="self.repetitions % self.?deployments.orValue(1) == 0",message="spec.repetitions must be a multiple of spec.deployments: each deployment has the same number of runs"
// +kubebuilder:validation:XValidation:rule="!has(self.compare) || self.?deployments.orValue(1) == 1 || self.compare.firstRepetition == 'Count' || self.repetitions > self.deployments",message="spec.repetitions must be at least twice spec.deployments, because the first run on each deployment is not counted: add repetitions, or set spec.compare.firstRepetition to Count"
// +kubebuilder:validation:XValidation:rule="!has(self.delivery) || !has(self.delivery.webhook) || self.delivery.webhook.when != 'GatesNotPassed' || has(self.template.workload.objectives) || (has(self.compare) && has(self.compare.gates))",message="spec.delivery.webhook.when GatesNotPassed needs spec.template.workload.objectives or spec.compare.gates: without them there is nothing to pass"
type BenchmarkExperimentSpec struct {
	// template holds the network and the workload that the axes and variants change. It must be valid by itself.
	// +required
	Template ExperimentTemplate `json:"template"`
	// axes are the varied parameters, at most 4. The last one varies fastest. Default: none, so each variant has one point.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=4
	// +optional
	Axes []Axis `json:"axes,omitempty"`
	// variants are named changes of the template. Each is measured at every point of the axes. Default: none.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Variants []Variant `json:"variants,omitempty"`
	// strategy is Grid (every point), Saturation (the highest load that meets a service level) or Compare (every point, each variant
	// with a baseline). Default: Grid.
	// +kubebuilder:default=Grid
	// +optional
	Strategy Strategy `json:"strategy,omitempty"`
	// saturation configures the search. Required with strategy Saturation only.
	// +optional
	Saturation *SaturationSearch `json:"saturation,omitempty"`
	// compare configures the comparison and its gates. Required with strategy Compare only.
	// +optional
	Compare *Comparison `json:"compare,omitempty"`
	// repetitions is the number of runs of every point. A confidence interval needs 2, a comparison of one metric at 95 % needs 6
	// pairs. Default: 1.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	Repetitions int32 `json:"repetitions,omitempty"`
	// deployments is the number of times that each network is created. Estimates and comparisons use the mean of each. Default: if
	// variants with different networks are compared, as many as leave two runs on each (one if compare.firstRepetition is Count)
	// and are enough for a claim; otherwise 1.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	Deployments int32 `json:"deployments,omitempty"`
	// order is the order of the runs.
	// +optional
	Order Order `json:"order,omitzero"`
	// parallelism is the number of networks that are measured at the same time: more than 1 only if they share no hosts. Default:
	// 1.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=32
	// +optional
	Parallelism int32 `json:"parallelism,omitempty"`
	// failures says what happens after a run failed or is invalid.
	// +kubebuilder:default={}
	// +optional
	Failures FailurePolicy `json:"failures,omitzero"`
	// networkRetention says what happens to a network after the last of its runs. Default: Delete.
	// +kubebuilder:default=Delete
	// +optional
	NetworkRetention RetentionPolicy `json:"networkRetention,omitempty"`
	// pauseRuns prevents further runs from starting. Runs in progress continue, and networks remain. Default: false.
	// +optional
	PauseRuns bool `json:"pauseRuns,omitempty"`
	// delivery says where the results go. It can change at any time.
	// +optional
	Delivery ExperimentDelivery `json:"delivery,omitzero"`
	// ttlSecondsAfterFinished is the time in seconds after which the operator deletes the ended experiment with its runs and results. Default: never.
	// +kubebuilder:validation:Minimum=0
	// +optional
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
}

// ExperimentTemplate is the network and the workload of an experiment, before axes and variants change them.
type ExperimentTemplate struct {
	// network defines the networks to measure on.
	// +required
	Network NetworkTemplate `json:"network"`
	// workload is the workload to measure.
	// +required
	Workload Workload `json:"workload"`
}

// Axis is one parameter and its values. Exactly one of values, range and logarithmic is set.
// +kubebuilder:validation:XValidation:rule="[has(self.values), has(self.range), has(self.logarithmic)].filter(x, x).size() == 1",message="axes[]: an axis needs exactly one of values, range and logarithmic"
type Axis struct {
	// name is the parameter's name in results and charts, such as users. It begins with a letter.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=30
	// +kubebuilder:validation:Pattern=`^[a-zA-Z]([-_a-zA-Z0-9]*[a-zA-Z0-9])?$`
	// +required
	Name string `json:"name"`
	// field is the path of a field of the template, such as workload.load.clients, network.members.count or
	// workload.corda.flow.arguments[0].value.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:Pattern=`^(network|workload)(\.[a-zA-Z][a-zA-Z0-9]*(\[[0-9]+\])?)+$`
	// +required
	Field string `json:"field"`
	// values are the values in order: text that the type of the field accepts, such as "4Gi", "30s" or "true".
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Values []Text `json:"values,omitempty"`
	// range describes evenly spaced values.
	// +optional
	Range *Range `json:"range,omitempty"`
	// logarithmic describes values that are evenly spaced on a logarithmic scale.
	// +optional
	Logarithmic *Logarithmic `json:"logarithmic,omitempty"`
}

// Range is the values from, from+step and so on, up to to.
type Range struct {
	// from is the first value.
	// +required
	From resource.Quantity `json:"from"`
	// to is the upper bound of the values. It is a value itself if the steps reach it.
	// +required
	To resource.Quantity `json:"to"`
	// step is the distance between values, above 0.
	// +required
	Step resource.Quantity `json:"step"`
}

// Logarithmic is whole numbers between from and to in equal ratios. Each is rounded to the nearest whole number and listed once.
type Logarithmic struct {
	// from is the first value, at least 1.
	// +kubebuilder:validation:Minimum=1
	// +required
	From int64 `json:"from"`
	// to is the last value.
	// +kubebuilder:validation:Minimum=1
	// +required
	To int64 `json:"to"`
	// points is the number of values, including both ends.
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=100
	// +required
	Points int32 `json:"points"`
}

// Variant is a named change of the template.
type Variant struct {
	// name is the variant's name in results and charts.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9]([-._a-zA-Z0-9]*[a-zA-Z0-9])?$`
	// +required
	Name string `json:"name"`
	// patch is merged into the template (RFC 7386), with the fields network and workload. Another type removes the field of the former
	// one, and an object with "$patch": replace replaces that of the template. The value null removes a field, but kubectl apply
	// drops it. Default: the unchanged template.
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Patch *apiextensionsv1.JSON `json:"patch,omitempty"`
}

// OrderType is the order of the runs.
// +kubebuilder:validation:Enum=Listed;Shuffled;Interleaved;RandomizedPairs
type OrderType string

// The orders.
const (
	// OrderListed measures the networks in their order, the points of a network in their order, and all repetitions of a point in succession.
	OrderListed OrderType = "Listed"
	// OrderShuffled shuffles the networks, and the repetitions of all points of a network, with the recorded seed.
	OrderShuffled OrderType = "Shuffled"
	// OrderInterleaved alternates the variants of a point (A B A B), so that drift affects all of them equally. Their networks exist at the same time.
	OrderInterleaved OrderType = "Interleaved"
	// OrderRandomizedPairs is like Interleaved, with the variants of each repetition in random order, and those of each second repetition in the reverse
	// order of the one before (AB BA), so that drift favors none of them.
	OrderRandomizedPairs OrderType = "RandomizedPairs"
)

// Order configures the order of the runs.
// +kubebuilder:validation:XValidation:rule="!has(self.seed) || (has(self.type) && self.type in ['Shuffled', 'RandomizedPairs'])",message="order.seed belongs to order.type Shuffled or RandomizedPairs"
type Order struct {
	// type is Listed, Shuffled (by a recorded seed), Interleaved (variants of a point in turn) or RandomizedPairs (the same in
	// random order). Default: RandomizedPairs with strategy Compare, which excludes Listed; otherwise Listed.
	// +optional
	Type OrderType `json:"type,omitempty"`
	// seed is the seed of type Shuffled or RandomizedPairs. Default: from the UID of the experiment (status.seed).
	// +kubebuilder:validation:Minimum=0
	// +optional
	Seed *int64 `json:"seed,omitempty"`
}

// OrderType returns the order of the runs, or the default of the strategy.
func (s *BenchmarkExperimentSpec) OrderType() OrderType {
	switch {
	case s.Order.Type != "":
		return s.Order.Type
	case s.Strategy == StrategyCompare:
		return OrderRandomizedPairs
	}
	return OrderListed
}

// FailedRuns says how an experiment proceeds after a failed run, which has no result.
// +kubebuilder:validation:Enum=Continue;Repeat;Stop
type FailedRuns string

// What becomes of failed runs.
const (
	FailedContinue FailedRuns = "Continue"
	FailedRepeat   FailedRuns = "Repeat"
	FailedStop     FailedRuns = "Stop"
)

// InvalidRuns says how an experiment proceeds after a run with the verdict Invalid. Such a run is always kept and reported, and never part of the
// mean values. Comparisons count it as the worst outcome, unless only exogenous causes made it invalid. A run that only fell short of its offered rate
// is not repeated.
// +kubebuilder:validation:Enum=LeaveOut;Repeat
type InvalidRuns string

// What becomes of invalid runs.
const (
	InvalidLeaveOut InvalidRuns = "LeaveOut"
	InvalidRepeat   InvalidRuns = "Repeat"
)

// FailurePolicy says what happens after a run failed or is invalid.
type FailurePolicy struct {
	// onFailed says what follows a failed run: Continue (the next run), Repeat (up to attempts attempts) or Stop (the experiment
	// ends). Default: Continue.
	// +kubebuilder:default=Continue
	// +optional
	OnFailed FailedRuns `json:"onFailed,omitempty"`
	// onInvalid says what follows an invalid run: LeaveOut (of the mean values) or Repeat (up to attempts attempts). Default:
	// LeaveOut.
	// +kubebuilder:default=LeaveOut
	// +optional
	OnInvalid InvalidRuns `json:"onInvalid,omitempty"`
	// attempts is the largest number of attempts at one run, where runs are repeated. Default: 3.
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	// +optional
	Attempts int32 `json:"attempts,omitempty"`
	// startTimeout is how long a run waits for its network to be ready, and then for nodes of its workers, before it fails.
	// Default: 30m.
	// +kubebuilder:default="30m"
	// +kubebuilder:validation:XValidation:rule="duration(self) > duration('0s')",message="must be above 0s"
	// +optional
	StartTimeout Seconds `json:"startTimeout,omitzero"`
}

// SaturationSearch configures the search for the highest load that meets a service level. The load is the number of clients in a closed loop, and the
// rate in an open loop. The search replaces that value of the template.
type SaturationSearch struct {
	// from is the lowest load: clients with a closed loop, operations per second with an open loop, such as 10 or 500m. It is above 0.
	// If it is whole, whole loads are tried, otherwise loads of two digits or more.
	// +required
	From resource.Quantity `json:"from"`
	// to is the highest load, in the unit of from. It is above from, and at most 1000000, or 1000 if from is a fraction.
	// +required
	To resource.Quantity `json:"to"`
	// objectives are the service level: the limit of a latency or finality, and at most one of ErrorShare. Without the latter, no operation may
	// fail.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:XValidation:rule="self.filter(o, has(o.maxLatency)).size() == 1 && self.filter(o, has(o.maxErrorPercent)).size() == self.size() - 1",message="saturation.objectives must have one maxLatency, and may have one maxErrorPercent"
	// +required
	Objectives []MetricObjective `json:"objectives"`
	// precisionPercent is how far, in percent, the lowest load that misses the service level may be above the highest that meets it
	// at the end. Default: 10.
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	PrecisionPercent int32 `json:"precisionPercent,omitempty"`
	// maxLoads is the largest number of loads that are tried. Default: 16.
	// +kubebuilder:default=16
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=64
	// +optional
	MaxLoads int32 `json:"maxLoads,omitempty"`
	// repeats is the largest number of runs of a load near the boundary. Runs end earlier if the decision is clear. Default: 3.
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=15
	// +optional
	Repeats int32 `json:"repeats,omitempty"`
}

// Metric is a number of a run that can be limited and compared.
// +kubebuilder:validation:Enum=Throughput;LatencyMean;LatencyP50;LatencyP90;LatencyP95;LatencyP99;LatencyP999;FinalityMean;FinalityP50;FinalityP95;FinalityP99;ErrorShare;OutageTime;RecoveryTime;DegradationTime;LatencyRecoveryTime;Availability;OperationsLost;OperationsDoubled
type Metric string

// The metrics.
const (
	MetricThroughput   Metric = "Throughput"
	MetricLatencyMean  Metric = "LatencyMean"
	MetricLatencyP50   Metric = "LatencyP50"
	MetricLatencyP90   Metric = "LatencyP90"
	MetricLatencyP95   Metric = "LatencyP95"
	MetricLatencyP99   Metric = "LatencyP99"
	MetricLatencyP999  Metric = "LatencyP999"
	MetricFinalityMean Metric = "FinalityMean"
	MetricFinalityP50  Metric = "FinalityP50"
	MetricFinalityP95  Metric = "FinalityP95"
	MetricFinalityP99  Metric = "FinalityP99"
	MetricErrorShare   Metric = "ErrorShare"
	// The times of a fault are in seconds. docs/faults.md defines them.
	MetricOutageTime          Metric = "OutageTime"
	MetricRecoveryTime        Metric = "RecoveryTime"
	MetricDegradationTime     Metric = "DegradationTime"
	MetricLatencyRecoveryTime Metric = "LatencyRecoveryTime"
	// The following ones are of a whole run with faults.
	MetricAvailability      Metric = "Availability"
	MetricOperationsLost    Metric = "OperationsLost"
	MetricOperationsDoubled Metric = "OperationsDoubled"
)

// AllMetrics lists the metrics of a window or a run in the order in which they are shown.
var AllMetrics = []Metric{MetricThroughput, MetricLatencyMean, MetricLatencyP50, MetricLatencyP90, MetricLatencyP95, MetricLatencyP99,
	MetricLatencyP999, MetricFinalityMean, MetricFinalityP50, MetricFinalityP95, MetricFinalityP99, MetricErrorShare,
	MetricAvailability, MetricOperationsLost, MetricOperationsDoubled}

// FaultyRunMetrics lists the metrics of a whole run with faults.
var FaultyRunMetrics = []Metric{MetricAvailability, MetricOperationsLost, MetricOperationsDoubled}

// FaultMetrics lists the times of a fault.
var FaultMetrics = []Metric{MetricOutageTime, MetricRecoveryTime, MetricDegradationTime, MetricLatencyRecoveryTime}

// IsFinality reports whether the metric is a time until operations or blocks are final.
func (m Metric) IsFinality() bool { return strings.HasPrefix(string(m), "Finality") }

// IsLatency reports whether the metric is a latency or finality.
func (m Metric) IsLatency() bool {
	return m.IsFinality() || strings.HasPrefix(string(m), "Latency") && !m.IsOfFault()
}

// IsShare reports whether the metric is a share from 0 to 1.
func (m Metric) IsShare() bool { return m == MetricErrorShare || m == MetricAvailability }

// IsCount reports whether the metric is a number of operations.
func (m Metric) IsCount() bool { return m == MetricOperationsLost || m == MetricOperationsDoubled }

// IsHigherBetter reports whether higher values of the metric are better.
func (m Metric) IsHigherBetter() bool { return m == MetricThroughput || m == MetricAvailability }

// IsOfFaultyRun reports whether the metric is of a whole run with faults.
func (m Metric) IsOfFaultyRun() bool { return slices.Contains(FaultyRunMetrics, m) }

// IsOfFault reports whether the metric is a time of a fault.
func (m Metric) IsOfFault() bool { return slices.Contains(FaultMetrics, m) }

// Comparison compares variants with a baseline. Exactly one of baseline and stored is set.
// +kubebuilder:validation:XValidation:rule="has(self.baseline) != has(self.stored) && (has(self.stored) || !has(self.control))",message="compare needs exactly one of baseline (a variant) and stored (an earlier result), and compare.control needs compare.stored"
// +kubebuilder:validation:XValidation:rule="!has(self.gates) || self.gates.all(g, g.metric in self.metrics)",message="compare.gates[].metric must be among compare.metrics"
// +kubebuilder:validation:XValidation:rule="!has(self.gates) || self.gates.all(g, !has(g.scope) || size(g.scope) == 0 || has(self.scopes) && g.scope in self.scopes)",message="compare.gates[].scope must be among compare.scopes"
type Comparison struct {
	// baseline is the name of the variant that the others are compared with.
	// +kubebuilder:validation:MaxLength=40
	// +optional
	Baseline string `json:"baseline,omitempty"`
	// stored is the result of an earlier experiment to compare with, point by point.
	// +optional
	Stored *StoredResult `json:"stored,omitempty"`
	// control is the name of the variant that repeats stored. The others are compared with it instead, and it with stored. Default:
	// none.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +optional
	Control string `json:"control,omitempty"`
	// metrics are the compared metrics. The times of a fault are compared for each fault. Default: Throughput, LatencyMean and
	// LatencyP95.
	// +kubebuilder:default={Throughput, LatencyMean, LatencyP95}
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Metrics []Metric `json:"metrics,omitempty"`
	// scopes are segments, segment/NAME, in which the metrics are compared too. Default: none.
	// +listType=set
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:MaxLength=43
	// +kubebuilder:validation:items:Pattern=`^segment/[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +optional
	Scopes []string `json:"scopes,omitempty"`
	// firstRepetition is Discard, which leaves out the first run of each point on each deployment, because its network is new, or
	// Count, for workload.reset Reset. Default: Discard.
	// +kubebuilder:default=Discard
	// +optional
	FirstRepetition FirstRepetition `json:"firstRepetition,omitempty"`
	// confidencePercent is the confidence level of all comparisons of the experiment together (Holm's correction). Default: 95.
	// +kubebuilder:default=95
	// +kubebuilder:validation:Minimum=50
	// +kubebuilder:validation:Maximum=99
	// +optional
	ConfidencePercent int32 `json:"confidencePercent,omitempty"`
	// gates are bounds on the regression of metrics. A failed gate fails the experiment. Default: none.
	// +listType=map
	// +listMapKey=metric
	// +listMapKey=scope
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Gates []Gate `json:"gates,omitempty"`
}

// FirstRepetition says whether the first run of a point on a deployment counts in a comparison.
// +kubebuilder:validation:Enum=Discard;Count
type FirstRepetition string

// The uses of the first repetition.
const (
	FirstRepetitionDiscard FirstRepetition = "Discard"
	FirstRepetitionCount   FirstRepetition = "Count"
)

// StoredResult is the result of an earlier experiment in a ConfigMap: the ConfigMap of its status.result, or one made of its result file.
type StoredResult struct {
	// configMapName is the ConfigMap in the namespace.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	ConfigMapName string `json:"configMapName"`
	// key is the key of the result in data (JSON) or binaryData (gzipped JSON). Default: result.json.gz.
	// +kubebuilder:default=result.json.gz
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Key string `json:"key,omitempty"`
	// variant is the variant of the stored result that is the baseline. Default: its only variant.
	// +kubebuilder:validation:MaxLength=40
	// +optional
	Variant string `json:"variant,omitempty"`
	// digest is the SHA-256 that the stored value must have, as in status.result.digest of the experiment that measured it. Default: any
	// value is used.
	// +kubebuilder:validation:MaxLength=71
	// +kubebuilder:validation:Pattern=`^sha256:[0-9a-f]{64}$`
	// +optional
	Digest string `json:"digest,omitempty"`
}

// Gate fails an experiment if a candidate is worse than the baseline by more than a bound.
type Gate struct {
	// metric is the metric that is limited, one of compare.metrics.
	// +required
	Metric Metric `json:"metric"`
	// scope is one of compare.scopes. Default: the whole window.
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=43
	// +optional
	Scope string `json:"scope,omitempty"`
	// maxRegressionPercent is how much worse the candidate may be, in percent of the baseline, or in percentage points of the error
	// share, such as "2.5". The gate passes only if the confidence bound of the regression is within it (docs/experiments.md).
	// Default: 5.
	// +kubebuilder:default="5"
	// +kubebuilder:validation:XValidation:rule="!string(self).startsWith('-')",message="compare.gates[].maxRegressionPercent must not be negative"
	// +optional
	MaxRegressionPercent resource.Quantity `json:"maxRegressionPercent,omitzero"`
}
