package objectives

import (
	"cmp"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/verdict"
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
func JudgeQueries(listed []v1alpha1.QueryObjective, answers []QueryAnswer, judged verdict.Verdict) []verdict.ObjectiveOutcome {
	var all []verdict.ObjectiveOutcome
	for i := range listed {
		all = append(all, judgeQuery(&listed[i], answers[i], judged))
	}
	return all
}

func judgeQuery(objective *v1alpha1.QueryObjective, answer QueryAnswer, judged verdict.Verdict) verdict.ObjectiveOutcome {
	outcome := NewQueryOutcome(objective, verdict.ObjectiveUndecided, "")
	outcome.Query = &verdict.EvaluatedQuery{Expression: answer.Expression, Min: boundOf(objective.Min), Max: boundOf(objective.Max)}
	if answer.Problem != "" {
		outcome.Message = fmt.Sprintf("%s is unknown: %s", objective.Name, answer.Problem)
		return outcome
	}
	q := outcome.Query
	q.Value = &answer.Value
	outcome.Message = fmt.Sprintf("%s is %s, must be %s", objective.Name, strconv.FormatFloat(answer.Value, 'g', 6, 64), describeBounds(objective))
	missed := q.Min != nil && answer.Value < *q.Min || q.Max != nil && answer.Value > *q.Max
	switch {
	case !judged.IsEvidence():
		outcome.Message += fmt.Sprintf(", but the run is invalid: %s", firstForeignReason(judged))
	case missed:
		outcome.Outcome = verdict.ObjectiveFailed
	case !judged.IsValid():
		outcome.Message += fmt.Sprintf(", but the run is invalid: %s", judged.Reasons[0].Code)
	default:
		outcome.Outcome = verdict.ObjectivePassed
	}
	return outcome
}

// NewQueryOutcome returns an outcome of a query objective with that message.
func NewQueryOutcome(objective *v1alpha1.QueryObjective, outcome, message string) verdict.ObjectiveOutcome {
	limit := cmp.Or(boundOf(objective.Max), boundOf(objective.Min))
	return verdict.ObjectiveOutcome{Metric: objective.Name, Limit: *limit, Outcome: outcome, Message: message}
}

func boundOf(q *resource.Quantity) *float64 {
	if q == nil {
		return nil
	}
	return new(q.AsApproximateFloat64())
}

func describeBounds(objective *v1alpha1.QueryObjective) string {
	switch {
	case objective.Min == nil:
		return "at most " + objective.Max.String()
	case objective.Max == nil:
		return "at least " + objective.Min.String()
	}
	return fmt.Sprintf("from %s to %s", objective.Min, objective.Max)
}
