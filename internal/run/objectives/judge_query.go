package objectives

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/results"
)

// QueryAnswer is the answer to the query of an objective.
type QueryAnswer struct {
	// Expression is the expression that was evaluated.
	Expression string
	Value      float64
	// Problem says why there is no value; empty if there is one.
	Problem string
}

// JudgeQueries returns the outcome of each query objective, in order. A query without a value is undecided; an invalid run counts as for
// other objectives.
func JudgeQueries(wanted []v1alpha1.QueryObjective, answers []QueryAnswer, verdict results.Verdict) []results.ObjectiveOutcome {
	var all []results.ObjectiveOutcome
	for i := range wanted {
		all = append(all, judgeQuery(&wanted[i], answers[i], verdict))
	}
	return all
}

func judgeQuery(wanted *v1alpha1.QueryObjective, answer QueryAnswer, verdict results.Verdict) results.ObjectiveOutcome {
	judged := NewQueryOutcome(wanted, results.ObjectiveUndecided, "")
	judged.Query = &results.EvaluatedQuery{Expression: answer.Expression, Min: boundOf(wanted.Min), Max: boundOf(wanted.Max)}
	if answer.Problem != "" {
		judged.Message = fmt.Sprintf("%s is unknown: %s", wanted.Name, answer.Problem)
		return judged
	}
	q := judged.Query
	q.Value = &answer.Value
	judged.Message = fmt.Sprintf("%s is %s, must be %s", wanted.Name, strconv.FormatFloat(answer.Value, 'g', 6, 64), describeBounds(wanted))
	missed := q.Min != nil && answer.Value < *q.Min || q.Max != nil && answer.Value > *q.Max
	switch {
	case !verdict.IsEvidence():
		judged.Message += fmt.Sprintf(", but the run is invalid: %s", firstForeignReason(verdict))
	case missed:
		judged.Outcome = results.ObjectiveFailed
	case !verdict.IsValid():
		judged.Message += fmt.Sprintf(", but the run is invalid: %s", verdict.Reasons[0].Code)
	default:
		judged.Outcome = results.ObjectivePassed
	}
	return judged
}

// NewQueryOutcome returns an outcome of a query objective with that message.
func NewQueryOutcome(wanted *v1alpha1.QueryObjective, outcome, message string) results.ObjectiveOutcome {
	limit := boundOf(wanted.Max)
	if limit == nil {
		limit = boundOf(wanted.Min)
	}
	return results.ObjectiveOutcome{Metric: wanted.Name, Limit: *limit, Outcome: outcome, Message: message}
}

func boundOf(q *resource.Quantity) *float64 {
	if q == nil {
		return nil
	}
	return new(q.AsApproximateFloat64())
}

func describeBounds(wanted *v1alpha1.QueryObjective) string {
	switch {
	case wanted.Min == nil:
		return "at most " + wanted.Max.String()
	case wanted.Max == nil:
		return "at least " + wanted.Min.String()
	}
	return fmt.Sprintf("from %s to %s", wanted.Min, wanted.Max)
}
