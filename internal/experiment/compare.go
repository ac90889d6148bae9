package experiment

import (
	"cmp"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// CompareVariants compares each point of each candidate with the baseline's point of the same parameters, in
// the order of the points and of the metrics. If a stored result is the baseline, every variant of the
// experiment is a candidate. A point without a partner has an outcome that says so.
func CompareVariants(spec *v1alpha1.Comparison, points []Point, runs []Run, seed int64, stored *Result) []ComparisonOutcome {
	base := resolveBaseline(spec, points, runs, stored)
	o := statistics.CompareOptions{Confidence: confidenceLevel(spec), Seed: seed}
	outcomes := []ComparisonOutcome{}
	for i := range points {
		if !base.isCandidate(&points[i]) {
			continue
		}
		partner, missing := base.findPartner(&points[i])
		for _, metric := range spec.Metrics {
			values := base.comparedValues(partner, runs, points[i].Name, metric)
			c := ComparisonOutcome{
				Candidate: points[i].Variant, Baseline: base.name, Point: points[i].Name, BaselinePoint: partner, Metric: string(metric),
				Comparison: compareMetric(values.baseline, values.candidate, metric, o),
			}
			c.decideOutcome(metric, findGate(spec, metric), o.Confidence, cmp.Or(missing, values.missing))
			outcomes = append(outcomes, c)
		}
	}
	return outcomes
}

// compareMetric compares a metric on its scale. Error shares are compared in points, since most baselines have
// no errors.
func compareMetric(baseline, candidate []float64, metric v1alpha1.Metric, o statistics.CompareOptions) statistics.Comparison {
	if metric == v1alpha1.MetricErrorShare {
		o.Scale = statistics.Absolute
	}
	return statistics.Compare(baseline, candidate, o)
}

// decideOutcome sets verdict, gate and message.
func (c *ComparisonOutcome) decideOutcome(metric v1alpha1.Metric, gate *v1alpha1.Gate, confidence float64, missing string) {
	c.Verdict = c.decideVerdict(metric, confidence)
	if gate != nil {
		c.MaxRegression = gate.MaxRegressionPercent.AsApproximateFloat64() / 100
		c.Gate = c.decideGate(metric)
	}
	c.Message = c.buildMessage(metric, confidence, missing)
}

func (c *ComparisonOutcome) decideVerdict(metric v1alpha1.Metric, confidence float64) v1alpha1.ComparisonVerdict {
	switch {
	case c.HasTooFewRuns(confidence):
		return v1alpha1.ComparisonTooFewRuns
	case !c.IsSignificant(confidence):
		return v1alpha1.ComparisonNoDifference
	case higherIsBetter(metric) == (c.Difference > 0):
		return v1alpha1.ComparisonBetter
	default:
		return v1alpha1.ComparisonWorse
	}
}

// decideGate returns the outcome of a gate. It fails if the difference is significant and its whole interval
// lies beyond the bound. It is undecided if a run of the baseline is 0, because a bound in percent of it cannot
// be judged.
func (c *ComparisonOutcome) decideGate(metric v1alpha1.Metric) v1alpha1.GateOutcome {
	least := c.Low // the smallest regression within the interval
	if higherIsBetter(metric) {
		least = -c.High
	}
	switch {
	case c.Verdict == v1alpha1.ComparisonTooFewRuns, c.Scale == statistics.Absolute && metric != v1alpha1.MetricErrorShare:
		return v1alpha1.GateUndecided
	case c.Verdict == v1alpha1.ComparisonWorse && least > c.MaxRegression:
		return v1alpha1.GateFailed
	default:
		return v1alpha1.GatePassed
	}
}

func higherIsBetter(metric v1alpha1.Metric) bool { return metric == v1alpha1.MetricThroughput }

func findGate(spec *v1alpha1.Comparison, metric v1alpha1.Metric) *v1alpha1.Gate {
	at := slices.IndexFunc(spec.Gates, func(g v1alpha1.Gate) bool { return g.Metric == metric })
	if at < 0 {
		return nil
	}
	return &spec.Gates[at]
}

// validMetricValues returns the values of the metric in the valid runs of a point.
func validMetricValues(runs []Run, point string, metric v1alpha1.Metric) []float64 {
	var all []float64
	for _, r := range runs {
		if v, measured := r.Metrics[string(metric)]; measured && r.Point == point && r.Verdict == RunValid {
			all = append(all, v)
		}
	}
	return all
}

// EstimateMetrics returns the estimate of each metric over the valid runs.
func EstimateMetrics(runs []Run, confidence float64) map[string]statistics.Estimate {
	samples := map[string][]float64{}
	for _, r := range runs {
		if r.Verdict != RunValid {
			continue
		}
		for metric, v := range r.Metrics {
			samples[metric] = append(samples[metric], v)
		}
	}
	estimates := make(map[string]statistics.Estimate, len(samples))
	for metric, s := range samples {
		estimates[metric] = statistics.EstimateMean(s, confidence)
	}
	return estimates
}
