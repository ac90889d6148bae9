package v1alpha1

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Objective is an absolute limit on a metric or on the value of a query (a service level objective).
// +kubebuilder:validation:XValidation:rule="has(self.metric) != has(self.query) && (has(self.metric) || !has(self.scope)) && (has(self.metric) && self.metric == 'Availability') == has(self.minAvailabilityPercent) && (has(self.metric) && self.metric.startsWith('Operations')) == has(self.maxCount)",message="an objective needs exactly one of metric, with its bound, and query, and scope belongs to metric, minAvailabilityPercent to Availability, maxCount to numbers of operations"
type Objective struct {
	MetricObjective `json:",inline"`
	// minAvailabilityPercent is the percentage of operations that must succeed from the first fault on, such as 95 or "99.9".
	// +optional
	MinAvailabilityPercent *resource.Quantity `json:"minAvailabilityPercent,omitempty"`
	// maxCount is the number of operations that may be lost or doubled, such as 0.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxCount *int32 `json:"maxCount,omitempty"`
	// scope is segment/NAME, whose metric is limited, or fault/NAME with a metric of faults. Default: the metric of the whole window.
	// +kubebuilder:validation:MaxLength=43
	// +kubebuilder:validation:Pattern=`^(segment|fault)/[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +optional
	Scope string `json:"scope,omitempty"`
	// query is limited instead of a metric. It needs an operator with --prometheus-url.
	// +optional
	Query *QueryObjective `json:"query,omitempty"`
}

// MetricObjective is a limit on one metric. Exactly the bound that belongs to the metric is set. Those of runs with faults are in Objective.
// +kubebuilder:validation:XValidation:rule="(has(self.metric) && self.metric.matches('^(Latency|Finality)(Mean|P[0-9]+)$')) == has(self.maxLatency) && (has(self.metric) && self.metric.endsWith('Time')) == has(self.maxDuration) && (has(self.metric) && self.metric == 'Throughput') == has(self.minThroughputPerSecond) && (has(self.metric) && self.metric == 'ErrorShare') == has(self.maxErrorPercent)",message="an objective has the bound of its metric only: maxLatency of a latency or finality, minThroughputPerSecond of Throughput, maxErrorPercent of ErrorShare, maxDuration of a time of a fault"
type MetricObjective struct {
	// metric is the metric that is limited.
	// +optional
	Metric Metric `json:"metric,omitempty"`
	// maxLatency is the upper limit of a latency or finality, above 0, such as 500ms.
	// +optional
	MaxLatency *Timeout `json:"maxLatency,omitempty"`
	// minThroughputPerSecond is the lower limit in operations per second, such as 100 or 500m.
	// +optional
	MinThroughputPerSecond *resource.Quantity `json:"minThroughputPerSecond,omitempty"`
	// maxErrorPercent is the percentage of operations that may fail, such as 1 or "0.1".
	// +optional
	MaxErrorPercent *resource.Quantity `json:"maxErrorPercent,omitempty"`
	// maxDuration is the upper limit of a time of a fault, such as 30s.
	// +optional
	MaxDuration *Seconds `json:"maxDuration,omitempty"`
}

// QueryObjective is a limit on the value of a PromQL expression at the end of the measured window. The operator evaluates it with the
// Prometheus that its administrator configured, over the series of the run's namespace only.
// +kubebuilder:validation:XValidation:rule="has(self.min) || has(self.max)",message="the query of an objective needs min, max or both"
type QueryObjective struct {
	// name identifies the objective in results, unique in the workload.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
	// +required
	Name string `json:"name"`
	// expression is in PromQL without experimental functions. Its value must be a scalar or a vector of one sample. $window,
	// $network and $run are replaced.
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
	// metric is the metric that is limited, or the name of a query.
	Metric string `json:"metric"`
	// outcome is Passed, Failed or Undecided: the run is invalid for causes other than the measured system, has too few samples for
	// the percentile, or a query has no single value.
	Outcome string `json:"outcome"`
	// message has the measured value and the limit.
	Message string `json:"message"`
}

// MetricObjectives returns the objectives on metrics, in order.
func (w *Workload) MetricObjectives() []Objective {
	var all []Objective
	for i := range w.Objectives {
		if o := &w.Objectives[i]; o.Query == nil {
			all = append(all, *o)
		}
	}
	return all
}

// QueryObjectives returns the objectives on queries, in order.
func (w *Workload) QueryObjectives() []QueryObjective {
	var all []QueryObjective
	for i := range w.Objectives {
		if q := w.Objectives[i].Query; q != nil {
			all = append(all, *q)
		}
	}
	return all
}

// ServiceLevel is what a load of a saturation search must keep to.
// +kubebuilder:object:generate=false
type ServiceLevel struct {
	// Metric is the limited latency or finality, and MaxLatency its limit.
	Metric     string
	MaxLatency time.Duration
	// MaxErrorShare is the share of operations that may fail, from 0 to 1.
	MaxErrorShare float64
}

// ServiceLevel returns the limits of the objectives.
func (s *SaturationSearch) ServiceLevel() ServiceLevel {
	var level ServiceLevel
	for i := range s.Objectives {
		switch o := &s.Objectives[i]; {
		case o.MaxLatency != nil:
			level.Metric, level.MaxLatency = string(o.Metric), o.MaxLatency.Duration
		case o.MaxErrorPercent != nil:
			level.MaxErrorShare = o.MaxErrorPercent.AsApproximateFloat64() / 100
		}
	}
	return level
}
