package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// BenchmarkExperimentSpec describes a set of runs: a grid of parameters, a search for the saturation point, or a comparison. Only pauseRuns,
// parallelism, networkRetention and ttlSecondsAfterFinished can change.
// +kubebuilder:validation:XValidation:rule="self.template == oldSelf.template && self.strategy == oldSelf.strategy && self.repetitions == oldSelf.repetitions && has(self.deployments) == has(oldSelf.deployments) && (!has(self.deployments) || self.deployments == oldSelf.deployments) && has(self.order) == has(oldSelf.order) && (!has(self.order) || self.order == oldSelf.order) && self.failures == oldSelf.failures",message="spec.template, strategy, repetitions, deployments, order and failures cannot change: create another experiment, or write quantities exactly as before"
// +kubebuilder:validation:XValidation:rule="has(self.axes) == has(oldSelf.axes) && (!has(self.axes) || self.axes == oldSelf.axes)",message="spec.axes cannot change: create another experiment"
// +kubebuilder:validation:XValidation:rule="has(self.variants) == has(oldSelf.variants) && (!has(self.variants) || self.variants == oldSelf.variants)",message="spec.variants cannot change: create another experiment"
// +kubebuilder:validation:XValidation:rule="has(self.saturation) == has(oldSelf.saturation) && (!has(self.saturation) || self.saturation == oldSelf.saturation)",message="spec.saturation cannot change: create another experiment"
// +kubebuilder:validation:XValidation:rule="has(self.compare) == has(oldSelf.compare) && (!has(self.compare) || self.compare == oldSelf.compare)",message="spec.compare cannot change: create another experiment"
// +kubebuilder:validation:XValidation:rule="has(self.webhook) == has(oldSelf.webhook) && (!has(self.webhook) || self.webhook == oldSelf.webhook)",message="spec.webhook cannot change: create another experiment"
// +kubebuilder:validation:XValidation:rule="(self.strategy == 'Saturation') == has(self.saturation)",message="spec.saturation must be set when, and only when, spec.strategy is Saturation"
// +kubebuilder:validation:XValidation:rule="self.strategy != 'Saturation' || !has(self.template.workload.objectives)",message="spec.template.workload.objectives cannot be set if spec.strategy is Saturation: spec.saturation.objectives are the limits"
// +kubebuilder:validation:XValidation:rule="(self.strategy == 'Compare') == has(self.compare)",message="spec.compare must be set when, and only when, spec.strategy is Compare"
// +kubebuilder:validation:XValidation:rule="!has(self.compare) || !has(self.order) || !has(self.order.type) || self.order.type != 'Listed'",message="spec.order.type must not be Listed with spec.strategy Compare, because differences would include the drift of the hosts: use RandomizedPairs"
// +kubebuilder:validation:XValidation:rule="!has(self.compare) || has(self.compare.stored) || (has(self.variants) && self.variants.size() >= 2)",message="spec.variants must hold at least two variants, unless spec.compare.stored is set"
// +kubebuilder:validation:XValidation:rule="!has(self.compare) || !has(self.compare.baseline) || (has(self.variants) && self.variants.exists(v, v.name == self.compare.baseline))",message="spec.compare.baseline must be the name of one of spec.variants"
// +kubebuilder:validation:XValidation:rule="!has(self.compare) || !has(self.compare.control) || (has(self.variants) && self.variants.size() >= 2 && self.variants.exists(v, v.name == self.compare.control))",message="spec.compare.control must be the name of one of at least two of spec.variants"
// +kubebuilder:validation:XValidation:rule="self.repetitions % self.?deployments.orValue(1) == 0",message="spec.repetitions must be a multiple of spec.deployments: each deployment has the same number of runs"
// +kubebuilder:validation:XValidation:rule="!has(self.compare) || self.?deployments.orValue(1) == 1 || self.compare.firstRepetition == 'Count' || self.repetitions > self.deployments",message="spec.repetitions must be at least twice spec.deployments, because the first run on each deployment is not counted: add repetitions, or set spec.compare.firstRepetition to Count"
// +kubebuilder:validation:XValidation:rule="!has(self.webhook) || self.webhook.when != 'GatesNotPassed' || has(self.template.workload.objectives) || (has(self.compare) && has(self.compare.gates))",message="spec.webhook.when GatesNotPassed needs spec.template.workload.objectives or spec.compare.gates: without them there is nothing to pass"
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
	// variants are named changes of the template, at most 16. Each is measured at every point of the axes. Default: none.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Variants []Variant `json:"variants,omitempty"`
	// strategy is Grid, Saturation or Compare. Grid measures every point. Saturation searches the highest load that meets a service level. Compare
	// measures every point and compares each variant with a baseline. Default: Grid.
	// +kubebuilder:default=Grid
	// +optional
	Strategy Strategy `json:"strategy,omitempty"`
	// saturation configures the search. Required with strategy Saturation only.
	// +optional
	Saturation *SaturationSearch `json:"saturation,omitempty"`
	// compare configures the comparison and its gates. Required with strategy Compare only.
	// +optional
	Compare *Comparison `json:"compare,omitempty"`
	// repetitions is the number of runs of every point, from 1 to 100. A confidence interval needs 2, a comparison of one metric at 95 % needs 6 pairs.
	// Default: 1.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	Repetitions int32 `json:"repetitions,omitempty"`
	// deployments is the number of times that each network is created from its spec, from 1 to 100. The repetitions are divided among them, so that repetitions
	// must be a multiple of deployments. Estimates and comparisons then use the mean of each deployment, and cover what differs between two deployments
	// of the same spec. Default: if variants with different networks are compared, as many as leave two runs on each (one if compare.firstRepetition is
	// Count), provided that these are enough for a claim; otherwise 1.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	Deployments int32 `json:"deployments,omitempty"`
	// order is the order of the runs. Default: type RandomizedPairs with strategy Compare, otherwise Listed.
	// +optional
	Order Order `json:"order,omitzero"`
	// parallelism is the number of networks that are measured at the same time, from 1 to 32. Use more than 1 only if the networks do not share hosts.
	// Default: 1.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=32
	// +optional
	Parallelism int32 `json:"parallelism,omitempty"`
	// failures says what happens after a run failed or is invalid.
	// +kubebuilder:default={onFailed: Continue, onInvalid: LeaveOut, attempts: 3, startTimeout: "30m"}
	// +optional
	Failures FailurePolicy `json:"failures,omitzero"`
	// networkRetention says what happens to a network after the last of its runs: Delete or Retain. Default: Delete.
	// +kubebuilder:default=Delete
	// +optional
	NetworkRetention RetentionPolicy `json:"networkRetention,omitempty"`
	// pauseRuns prevents further runs from starting. Runs in progress continue, and networks remain. Default: false.
	// +optional
	PauseRuns bool `json:"pauseRuns,omitempty"`
	// webhook is notified when the experiment has ended. To be notified of its runs, set template.workload.webhook. Default: none.
	// +optional
	Webhook *Webhook `json:"webhook,omitempty"`
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
	// name is the name of the parameter in results and charts, such as users. It has at most 30 characters and begins with a letter.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=30
	// +kubebuilder:validation:Pattern=`^[a-zA-Z]([-_a-zA-Z0-9]*[a-zA-Z0-9])?$`
	// +required
	Name string `json:"name"`
	// field is the path of a field of the template, such as workload.load.clients, network.members.count, network.platform.corda.cordapps.image or
	// workload.corda.flow.arguments[0].value.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:Pattern=`^(network|workload)(\.[a-zA-Z][a-zA-Z0-9]*(\[[0-9]+\])?)+$`
	// +required
	Field string `json:"field"`
	// values are the values in order, at most 100. Each is text that the type of the field accepts, such as "4Gi", "30s" or "true". A whole number needs
	// no quotes.
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
	// step is the distance between values. It must be above 0.
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
	// points is the number of values, from 2 to 100. It includes both ends.
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=100
	// +required
	Points int32 `json:"points"`
}

// Variant is a named change of the template.
type Variant struct {
	// name is the name of the variant in results and charts. It has at most 40 characters.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9]([-._a-zA-Z0-9]*[a-zA-Z0-9])?$`
	// +required
	Name string `json:"name"`
	// patch is merged into the template (JSON merge patch, RFC 7386). It has the fields network and workload, as in the template. The value null removes
	// a field. Default: the unchanged template.
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
	// type is Listed, Shuffled, Interleaved or RandomizedPairs. Listed keeps the order of the points. Shuffled uses a recorded seed. Interleaved alternates
	// the variants of a point. RandomizedPairs does so in random order, so that drift favors no variant. Listed is not possible with strategy Compare.
	// Default: RandomizedPairs with strategy Compare, otherwise Listed.
	// +optional
	Type OrderType `json:"type,omitempty"`
	// seed is the seed of a random order. It may be set only with type Shuffled or RandomizedPairs. Default: derived from the UID of the experiment.
	// status.seed reports it.
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
	// onFailed says what happens after a failed run. Continue starts the next run. Repeat makes up to attempts attempts and then continues. Stop ends the
	// experiment. Default: Continue.
	// +kubebuilder:default=Continue
	// +optional
	OnFailed FailedRuns `json:"onFailed,omitempty"`
	// onInvalid says what happens after an invalid run. LeaveOut excludes it from the mean values. Repeat makes up to attempts attempts. Default: LeaveOut.
	// +kubebuilder:default=LeaveOut
	// +optional
	OnInvalid InvalidRuns `json:"onInvalid,omitempty"`
	// attempts is the largest number of attempts at one run, from 1 to 10, where runs are repeated. Default: 3.
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	// +optional
	Attempts int32 `json:"attempts,omitempty"`
	// startTimeout is a limit on waiting. A run fails if its network is not ready within this time after the run was created, or if its workers
	// have no nodes within this time after they were created. It is in whole seconds above 0. Default: 30m.
	// +kubebuilder:default="30m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+h)?([0-9]+m)?([0-9]+s)?$') && duration(self) > duration('0s')",message="failures.startTimeout must be above 0s, in whole seconds, such as 10m"
	// +optional
	StartTimeout metav1.Duration `json:"startTimeout,omitzero"`
}

// SaturationSearch configures the search for the highest load that meets a service level. The load is the number of clients in a closed loop, and the
// rate in an open loop. The search replaces that value of the template.
// +kubebuilder:validation:XValidation:rule="self.from < self.to",message="saturation.from must be below saturation.to"
type SaturationSearch struct {
	// from is the lowest load: clients with a closed loop, operations per second with an open loop. It is from 1 to 1000000.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	// +required
	From int64 `json:"from"`
	// to is the highest load, in the unit of from. It must be above from, and at most 1000000.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	// +required
	To int64 `json:"to"`
	// objectives are the limits that a load must keep to (the service level): one of a latency, and at most one of ErrorShare. Without
	// the latter, no operation may fail.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:XValidation:rule="self.filter(o, has(o.maxLatency)).size() == 1 && self.filter(o, has(o.maxErrorPercent)).size() == self.size() - 1",message="saturation.objectives must have one maxLatency, and may have one maxErrorPercent"
	// +required
	Objectives []MetricObjective `json:"objectives"`
	// precisionPercent ends the search when the lowest load that misses the service level is at most this percentage above the highest load that meets
	// it. It is from 1 to 100. Default: 10.
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	PrecisionPercent int32 `json:"precisionPercent,omitempty"`
	// maxLoads is the largest number of loads that are tried, from 2 to 64. Default: 16.
	// +kubebuilder:default=16
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=64
	// +optional
	MaxLoads int32 `json:"maxLoads,omitempty"`
	// repeats is the largest number of runs of a load near the boundary, from 1 to 15. Runs end earlier if the decision is clear. Default: 3.
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=15
	// +optional
	Repeats int32 `json:"repeats,omitempty"`
}

// Metric is a number of a run that can be compared.
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

// Comparison compares variants with a baseline. Exactly one of baseline and stored is set.
// +kubebuilder:validation:XValidation:rule="!has(self.control) || has(self.stored)",message="compare.control needs compare.stored, the earlier result that the control repeats"
// +kubebuilder:validation:XValidation:rule="has(self.baseline) != has(self.stored)",message="compare needs exactly one of baseline (a variant) and stored (an earlier result)"
// +kubebuilder:validation:XValidation:rule="!has(self.gates) || self.gates.all(g, g.metric in self.metrics)",message="compare.gates[].metric must be among compare.metrics"
type Comparison struct {
	// baseline is the name of the variant that the others are compared with.
	// +kubebuilder:validation:MaxLength=40
	// +optional
	Baseline string `json:"baseline,omitempty"`
	// stored is the result of an earlier experiment to compare with, point by point. Without control, a host that drifted since then counts as a
	// difference.
	// +optional
	Stored *StoredResult `json:"stored,omitempty"`
	// control is the name of the variant that repeats stored. The others are then compared with it instead, in pairs, and it with stored, which shows
	// what changed since then. Default: none.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +optional
	Control string `json:"control,omitempty"`
	// metrics are the metrics that are compared, from 1 to 8. Default: Throughput, LatencyMean and LatencyP95.
	// +kubebuilder:default={Throughput, LatencyMean, LatencyP95}
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Metrics []Metric `json:"metrics,omitempty"`
	// firstRepetition is Discard or Count. Discard leaves the first run of each point on each deployment out of the comparison, because its network is
	// new: caches are cold and the ledger is empty. Use Count if workload.reset renews the ledger before each run. Default: Discard.
	// +kubebuilder:default=Discard
	// +optional
	FirstRepetition FirstRepetition `json:"firstRepetition,omitempty"`
	// confidencePercent is the confidence level of the intervals, from 50 to 99. The significance level of all comparisons of the experiment together is
	// 100 minus this value (Holm's correction). Default: 95.
	// +kubebuilder:default=95
	// +kubebuilder:validation:Minimum=50
	// +kubebuilder:validation:Maximum=99
	// +optional
	ConfidencePercent int32 `json:"confidencePercent,omitempty"`
	// gates are bounds on the regression of metrics, at most 8. A failed gate fails the experiment. Default: none.
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MaxItems=8
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
	// configMapName is the name of the ConfigMap in the namespace.
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
	// metric is the metric that is limited. It must be among compare.metrics.
	// +required
	Metric Metric `json:"metric"`
	// maxRegressionPercent is how much worse the candidate may be, in percent of the baseline, such as 5 or "2.5". The bound of the error share is in
	// percentage points. The gate passes only if the confidence bound of the regression is within this limit. It fails if the whole confidence interval is
	// beyond it, or if the candidate's runs fail significantly more often. All else is undecided: too few runs or too much spread, more failures than the
	// baseline's or in half of all cases, a difference that drifts. Default: 5.
	// +kubebuilder:default="5"
	// +kubebuilder:validation:XValidation:rule="!string(self).startsWith('-')",message="compare.gates[].maxRegressionPercent must not be negative"
	// +optional
	MaxRegressionPercent resource.Quantity `json:"maxRegressionPercent,omitzero"`
}
