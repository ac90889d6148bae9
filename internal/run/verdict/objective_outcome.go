package verdict

// The outcomes of an objective.
const (
	ObjectivePassed = "Passed"
	ObjectiveFailed = "Failed"
	// ObjectiveUndecided is the outcome if the measurement is no evidence for or against the objective. It does
	// not pass.
	ObjectiveUndecided = "Undecided"
)

// ObjectiveOutcome is the judgement of one objective of a run or a point.
type ObjectiveOutcome struct {
	// Metric is the limited metric (v1alpha1.Metric), or the name of a query objective.
	Metric string `json:"metric"`
	// Limit is in the unit of the metric: operations per second, milliseconds, or a share from 0 to 1. That of a query is its max, or
	// min without max.
	Limit float64 `json:"limit"`
	// Outcome is Passed, Failed or Undecided.
	Outcome string `json:"outcome"`
	// Message has the measured value and the limit.
	Message string `json:"message"`
	// Query is the evaluated query; absent for a metric, and for a point.
	Query *EvaluatedQuery `json:"query,omitempty"`
}

// EvaluatedQuery is the query of an objective with its value at the end of the window.
type EvaluatedQuery struct {
	// Expression is the PromQL expression that was evaluated, restricted to the namespace of the run.
	Expression string `json:"expression"`
	// Value is absent if the query had no single value.
	Value *float64 `json:"value,omitempty"`
	// Min and Max are the limits of the value; absent for none.
	Min *float64 `json:"min,omitempty"`
	Max *float64 `json:"max,omitempty"`
}
