package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// ReproductionVerdict says whether a repeated measurement gave the same numbers.
type ReproductionVerdict string

// Verdicts of reproductions.
const (
	// Reproduced means that the repeated measurement is equivalent within the margin.
	Reproduced ReproductionVerdict = "Reproduced"
	// NotReproduced means that the difference is beyond the margin, or that the runs fail more or less often.
	NotReproduced ReproductionVerdict = "NotReproduced"
	// ReproductionUndecided means that the runs are too few or vary too much for either claim.
	ReproductionUndecided ReproductionVerdict = "Undecided"
)

// ReproductionMetrics are the metrics that a reproduction compares.
var ReproductionMetrics = []v1alpha1.Metric{v1alpha1.MetricThroughput, v1alpha1.MetricLatencyP95}

// ReproductionConfidence is the confidence of each claim about a reproduction.
const ReproductionConfidence = 0.95

// ReproductionOutcome compares one metric of a point with that of the original.
type ReproductionOutcome struct {
	// Point labels the point by its variant and parameters.
	Point  string `json:"point"`
	Metric string `json:"metric"`
	statistics.Equivalence
	Failures RunFailures         `json:"failures"`
	Verdict  ReproductionVerdict `json:"verdict"`
	Message  string              `json:"message"`
}

// AssessReproduction compares throughput and p95 latency at each point of the original with those of the repetition's point of
// the same parameters. The margin is a share, such as 0.1. A metric that no run of the original has is left out, except
// in an open loop, whose throughput is its rate.
func AssessReproduction(original, repetition *Result, margin float64) []ReproductionOutcome {
	var outcomes []ReproductionOutcome
	for i := range original.Points {
		point := &original.Points[i]
		baseline, candidate := selectCountedRuns(original, point.Name), pointRuns{}
		missing := "the repetition has no such point"
		at := slices.IndexFunc(repetition.Points, func(p Point) bool {
			return p.Variant == point.Variant && slices.Equal(p.Parameters, point.Parameters)
		})
		if at >= 0 {
			candidate, missing = selectCountedRuns(repetition, repetition.Points[at].Name), ""
		}
		for _, metric := range ReproductionMetrics {
			if metric != v1alpha1.MetricThroughput && !baseline.hasMetric(metric) && !baseline.isOpenLoop() {
				continue
			}
			o := ReproductionOutcome{Point: point.Label(), Metric: string(metric), Failures: compareFailures(baseline, candidate), Message: missing,
				Equivalence: statistics.AssessEquivalence(baseline.positiveValues(metric), candidate.positiveValues(metric), margin, ReproductionConfidence)}
			if missing == "" {
				o.Message = o.describeObstacle(baseline, candidate, metric)
			}
			outcomes = append(outcomes, o)
		}
	}
	adjustFailures(len(outcomes), func(i int) *RunFailures { return &outcomes[i].Failures }, func(i int) string { return outcomes[i].Point })
	for i := range outcomes {
		outcomes[i].decideVerdict(margin, len(outcomes))
	}
	return outcomes
}

// HasTooFewRunsToReproduce reports whether a point of the original has fewer valid runs than a claim needs.
func HasTooFewRunsToReproduce(original *Result) bool {
	return slices.ContainsFunc(original.Points, func(p Point) bool {
		runs := selectCountedRuns(original, p.Name)
		return len(runs.positiveValues(v1alpha1.MetricThroughput)) < statistics.MinRunsForInterval
	})
}

// hasMetric reports whether a run has the metric.
func (p pointRuns) hasMetric(metric v1alpha1.Metric) bool {
	return slices.ContainsFunc(p.counted, func(r Run) bool { _, ok := r.Metrics[string(metric)]; return ok })
}

// isOpenLoop reports whether latencies of a run are response times.
func (p pointRuns) isOpenLoop() bool {
	return slices.ContainsFunc(p.counted, func(r Run) bool { return r.LatencyKind == measurement.ResponseTime })
}

// positiveValues returns the values of a metric of the valid runs, or of their deployments, without those that have no logarithm.
func (p pointRuns) positiveValues(metric v1alpha1.Metric) []float64 {
	var s metricSamples
	for _, run := range p.counted {
		if v := run.Metrics[string(metric)]; run.Verdict == RunValid && v > 0 {
			s.addSample(run.Repetition, v, false)
		}
	}
	return s.averageDeployments(p.runsPerDeployment).values
}

// hasZero reports whether a valid run measured 0.
func (p pointRuns) hasZero(metric v1alpha1.Metric) bool {
	return slices.ContainsFunc(p.counted, func(r Run) bool {
		v, measured := r.Metrics[string(metric)]
		return r.Verdict == RunValid && measured && v == 0
	})
}

// describeObstacle returns why the samples cannot show that a measurement was reproduced; empty if nothing prevents it.
func (o *ReproductionOutcome) describeObstacle(baseline, candidate pointRuns, metric v1alpha1.Metric) string {
	for _, side := range []struct {
		name string
		runs pointRuns
	}{{"the original", baseline}, {"the repetition", candidate}} {
		switch blank := side.runs.describeBlankMetric(comparedMetric{Metric: metric}, side.name); {
		case side.runs.countFailed() > 0:
			return fmt.Sprintf("%d of %d runs of %s failed", side.runs.countFailed(), side.runs.countRuns(), side.name)
		case side.runs.excluded > len(side.runs.counted):
			return fmt.Sprintf("%d runs of %s were left out for exogenous causes, %d count", side.runs.excluded, side.name, len(side.runs.counted))
		case blank != "":
			return blank
		case side.runs.hasZero(metric):
			return fmt.Sprintf("%s is 0 in a run of %s, so there is no ratio", metricLabels[metric], side.name)
		}
	}
	differences := cmp.Or(describeIncomparable(baseline, candidate, metric),
		describeConditions(baseline, candidate, ConditionWindow, ConditionWorkload, ConditionPolicies))
	if differences != "" {
		return differences
	}
	if o.HasTooFewRuns() {
		return fmt.Sprintf("not enough runs: %s, a claim needs %d on each side", o.FormatRuns(), statistics.MinRunsForInterval)
	}
	return ""
}

// FormatRuns returns the numbers of runs with the metric as text for people, such as "5 original, 6 repeated".
func (o *ReproductionOutcome) FormatRuns() string {
	return fmt.Sprintf("%d original, %d repeated", o.Baselines, o.Candidates)
}

// decideVerdict sets verdict and message, as one of so many claims about metrics. On entry, Message holds the obstacle,
// if any.
func (o *ReproductionOutcome) decideVerdict(margin float64, claims int) {
	numbers := format.SignedPercent(o.Difference) + " " + o.Format(format.SignedPercent)
	within := FormatMargin(margin)
	switch {
	case o.Failures.AdjustedPValue < 1-ReproductionConfidence:
		o.Verdict, o.Message = NotReproduced, o.Failures.String()
	case o.Message != "":
		o.Verdict = ReproductionUndecided
	case o.IsEquivalent(ReproductionConfidence):
		o.Verdict, o.Message = Reproduced, fmt.Sprintf("%s is within %s", numbers, within)
	case o.IsBeyond(ReproductionConfidence, claims):
		o.Verdict, o.Message = NotReproduced, fmt.Sprintf("%s is beyond %s", numbers, within)
	default:
		o.Verdict = ReproductionUndecided
		o.Message = fmt.Sprintf("not enough runs (%s): %s is neither within %s nor beyond it", o.FormatRuns(), numbers, within)
	}
}

// FormatMargin returns a margin as text for people, such as "±10 %".
func FormatMargin(margin float64) string {
	return "±" + format.Decimal(100*margin) + " %"
}

// ConcludeReproduction returns the worst verdict of all outcomes, and the first message with it. Without an outcome nothing is
// decided.
func ConcludeReproduction(outcomes []ReproductionOutcome) (verdict ReproductionVerdict, reason string) {
	for _, verdict := range []ReproductionVerdict{NotReproduced, ReproductionUndecided, Reproduced} {
		for i := range outcomes {
			if o := &outcomes[i]; o.Verdict == verdict {
				return verdict, strings.TrimSpace(o.Point + " " + metricLabels[v1alpha1.Metric(o.Metric)] + ": " + o.Message)
			}
		}
	}
	return ReproductionUndecided, "the original has no point"
}

// SmallestReproductionMargin returns the smallest margin within which all outcomes are equivalent, and whether it is
// known.
func SmallestReproductionMargin(outcomes []ReproductionOutcome) (margin float64, known bool) {
	for i := range outcomes {
		if outcomes[i].SmallestMargin == nil {
			return 0, false
		}
		margin = max(margin, *outcomes[i].SmallestMargin)
	}
	return margin, len(outcomes) > 0
}
