package objectives

import (
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
func JudgeQueries(wanted []v1alpha1.QueryObjective, answers []QueryAnswer, judged verdict.Verdict) []verdict.ObjectiveOutcome {
	var all []verdict.ObjectiveOutcome
	for i := range wanted {
		all = append(all, judgeQuery(&wanted[i], answers[i], judged))
	}
	return all
}

func judgeQuery(wanted *v1alpha1.QueryObjective, answer QueryAnswer, judged verdict.Verdict) verdict.ObjectiveOutcome {
	outcome := NewQueryOutcome(wanted, verdict.ObjectiveUndecided, "")
	outcome.Query = &verdict.EvaluatedQuery{Expression: answer.Expression, Min: boundOf(wanted.Min), Max: boundOf(wanted.Max)}
	if answer.Problem != "" {
		outcome.Message = fmt.Sprintf("%s is unknown: %s", wanted.Name, answer.Problem)
		return outcome
	}
	q := outcome.Query
	q.Value = &answer.Value
	outcome.Message = fmt.Sprintf("%s is %s, must be %s", wanted.Name, strconv.FormatFloat(answer.Value, 'g', 6, 64), describeBounds(wanted))
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
func NewQueryOutcome(wanted *v1alpha1.QueryObjective, outcome, message string) verdict.ObjectiveOutcome {
	limit := boundOf(wanted.Max)
	if limit == nil {
		limit = boundOf(wanted.Min)
	}
	return verdict.ObjectiveOutcome{Metric: wanted.Name, Limit: *limit, Outcome: outcome, Message: message}
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
