package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Objective is an absolute limit on one metric (a service level objective). Exactly the limit that belongs to the metric is set.
// +kubebuilder:validation:XValidation:rule="self.metric.startsWith('Latency') == has(self.maxLatency)",message="objectives[].maxLatency must be set when, and only when, objectives[].metric is a latency"
// +kubebuilder:validation:XValidation:rule="(self.metric == 'Throughput') == has(self.minThroughputPerSecond)",message="objectives[].minThroughputPerSecond must be set when, and only when, objectives[].metric is Throughput"
// +kubebuilder:validation:XValidation:rule="(self.metric == 'ErrorShare') == has(self.maxErrorPercent)",message="objectives[].maxErrorPercent must be set when, and only when, objectives[].metric is ErrorShare"
type Objective struct {
	// metric is the metric that is limited.
	// +required
	Metric Metric `json:"metric"`
	// maxLatency is the upper limit of a latency, above 0, such as 500ms.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:Pattern=`^([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$`
	// +optional
	MaxLatency *metav1.Duration `json:"maxLatency,omitempty"`
	// minThroughputPerSecond is the lower limit of the throughput in operations per second, above 0, such as 100 or 500m.
	// +optional
	MinThroughputPerSecond *resource.Quantity `json:"minThroughputPerSecond,omitempty"`
	// maxErrorPercent is the percentage of operations that may fail, from 0 to 100, such as 1 or "0.1".
	// +optional
	MaxErrorPercent *resource.Quantity `json:"maxErrorPercent,omitempty"`
}

// QueryObjective is a limit on the value of a PromQL expression at the end of the measured window. The operator evaluates it with the
// Prometheus that its administrator configured, over the series of the run's namespace only.
// +kubebuilder:validation:XValidation:rule="has(self.min) || has(self.max)",message="queryObjectives[] needs min, max or both"
type QueryObjective struct {
	// name identifies the objective in results, unique in the workload.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
	// +required
	Name string `json:"name"`
	// expression is in PromQL without experimental functions. Its value must be a scalar or a vector of one sample. $window is replaced
	// by the length of the measured window, such as 60s, and $network and $run by their names.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1000
	// +required
	Expression string `json:"expression"`
	// min is the lower limit of the value, such as "0.5". Default: none.
	// +optional
	Min *resource.Quantity `json:"min,omitempty"`
	// max is the upper limit of the value, such as "10", at least min. Default: none.
	// +optional
	Max *resource.Quantity `json:"max,omitempty"`
}

// ObjectiveStatus is the outcome of one objective.
type ObjectiveStatus struct {
	// metric is the metric that is limited, or the name of a query objective.
	Metric string `json:"metric"`
	// outcome is Passed, Failed or Undecided. An objective is Undecided, and does not pass, if the run is invalid for causes other than
	// the measured system, or has too few samples for the percentile, or if a query has no single value.
	Outcome string `json:"outcome"`
	// message has the measured value and the limit.
	Message string `json:"message"`
}

// HasObjectives reports whether the workload has objectives of any kind.
func (w *Workload) HasObjectives() bool { return len(w.Objectives)+len(w.QueryObjectives) > 0 }
