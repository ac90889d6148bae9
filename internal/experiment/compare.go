package experiment

import (
	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/statistics"
)

// Verdicts of a comparison.
const (
	Better       = "Better"
	Worse        = "Worse"
	NoDifference = "NoDifference"
	// TooFewRuns is the verdict where no outcome of so few runs could be significant.
	TooFewRuns = "TooFewRuns"
)

// Outcomes of a gate.
const (
	GatePassed = "Passed"
	GateFailed = "Failed"
	// GateUndecided is the outcome where there are too few runs, or no partner, to judge by. It does not pass.
	GateUndecided = "Undecided"
)

// CompareVariants compares each point of each candidate with the baseline's point of the same parameters, in the order of the
// points and of the metrics. With a stored result that is the baseline, and every variant of the experiment is a candidate.
func CompareVariants(_ *v1alpha1.Comparison, _ []Point, _ []Run, _ int64, _ *Result) []ComparisonOutcome {
	return nil
}

// Estimates of each metric over the valid runs.
func Estimates(_ []Run, _ float64) map[string]statistics.Estimate {
	return nil
}
