package results

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
	// Metric is the limited metric (v1alpha1.Metric).
	Metric string `json:"metric"`
	// Limit is in the unit of the metric: operations per second, milliseconds, or a share from 0 to 1.
	Limit float64 `json:"limit"`
	// Outcome is Passed, Failed or Undecided.
	Outcome string `json:"outcome"`
	// Message has the measured value and the limit.
	Message string `json:"message"`
}
