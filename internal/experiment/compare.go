package experiment

import (
	"cmp"
	"math"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// Question asks how the variants of a result differ from a baseline: one of its own variants, or one of a stored
// result.
type Question struct {
	Spec           *v1alpha1.Comparison
	Result, Stored *Result
}

// CompareVariants compares each point of each candidate with the baseline's point of the same parameters, in
// the order of the points and of the metrics. If a stored result is the baseline, every variant of the
// experiment is a candidate. A point without a partner has an outcome that says so. All outcomes are claims of
// one family: their p-values are corrected together.
func CompareVariants(questions ...Question) []ComparisonOutcome {
	outcomes := []ComparisonOutcome{}
	var pairs []pointPair
	for _, q := range questions {
		pairs = append(pairs, q.pairPoints()...)
	}
	claims := 0
	for _, p := range pairs {
		if p.isTestable() {
			claims++
		}
	}
	var pValues []float64
	for _, p := range pairs {
		outcomes = append(outcomes, p.compareMetric(claims))
		if p.isTestable() {
			pValues = append(pValues, outcomes[len(outcomes)-1].PValue)
		}
	}
	adjustFailures(len(outcomes), func(i int) *RunFailures { return &outcomes[i].Failures },
		func(i int) string { return outcomes[i].Point + "/" + outcomes[i].BaselinePoint })
	adjusted := statistics.AdjustForClaims(pValues)
	for i, p := range pairs {
		if p.isTestable() {
			outcomes[i].AdjustedPValue, adjusted = adjusted[0], adjusted[1:]
		}
		outcomes[i].decideOutcome(&p, claims)
	}
	return outcomes
}

// pointPair is a metric of a candidate's point with that of its partner.
type pointPair struct {
	question            *Question
	candidate, baseline string
	point, partner      string
	metric              comparedMetric
	// runs are the runs that count, and values those of the metric, of the baseline and the candidate.
	runs   [2]pointRuns
	values [2][]float64
	// censored marks the values that are only lower bounds, which are compared without pairs.
	censored [2][]bool
	paired   bool
	// stored reports that the baseline was measured in another experiment, and isControl that the candidate repeats it.
	stored, isControl bool
	// deployedOnce reports that the sides have different networks, of which one was deployed only once.
	deployedOnce bool
	// trend and divergence are nil if the sides are of different experiments, or have too few runs.
	trend, divergence *statistics.Trend
	// missing says why there is no partner, or why the metric cannot be compared.
	missing string
}

// isTestable reports whether both sides have a value.
func (p *pointPair) isTestable() bool { return len(p.values[0]) > 0 && len(p.values[1]) > 0 }

func (q *Question) pairPoints() []pointPair {
	ofCandidates, ofControl := q.resolveBaselines()
	metrics := expandMetrics(q.Spec, q.Result, q.Stored)
	var pairs []pointPair
	for i := range q.Result.Points {
		point, base := &q.Result.Points[i], ofCandidates
		isControl := ofControl != nil && point.Variant == q.Spec.Control
		if isControl {
			base = ofControl
		} else if !base.isCandidate(point) {
			continue
		}
		partner, missing := base.findPartner(point)
		runs := [2]pointRuns{base.selectCountedRuns(partner), selectCountedRuns(q.Result, point.Name)}
		for _, metric := range metrics {
			sameExperiment := base.isSameExperiment(q.Result)
			p := pointPair{question: q, candidate: point.Variant, baseline: base.name, point: point.Name, partner: partner, metric: metric,
				runs: runs, stored: !sameExperiment, isControl: isControl,
				paired: sameExperiment && isPairedOrder(q.Result.Order) && runs[0].countCensored(metric)+runs[1].countCensored(metric) == 0,
				missing: cmp.Or(missing, describeIncomparable(runs[0], runs[1], metric.Metric),
					runs[1].describeBlankMetric(metric, "the candidate"), runs[0].describeBlankMetric(metric, "the baseline"))}
			sameNetwork := sameExperiment && base.networkOf(partner) == point.Network
			p.deployedOnce = !sameNetwork && min(runs[0].runsPerDeployment, runs[1].runsPerDeployment) == 0
			p.selectValues()
			if sameExperiment {
				sides := orderRuns(runs[0], runs[1], metric)
				p.trend, p.divergence = statistics.EstimateTrend(sides[0], sides[1]), p.estimateDivergence(sides)
			}
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// selectValues selects the values to compare; none if something is missing.
func (p *pointPair) selectValues() {
	switch {
	case p.missing != "":
	case p.paired:
		p.values[0], p.values[1] = pairValues(p.runs[0], p.runs[1], p.metric)
	default:
		for side := range p.runs {
			s := p.runs[side].sampleMetric(p.metric)
			p.values[side], p.censored[side] = s.values, s.censored
		}
	}
}

// estimateDivergence returns the change of the difference from pair to pair, in which whatever both sides share cancels out. Without
// pairs it is the change per run, from a trend of each side.
func (p *pointPair) estimateDivergence(sides [2][]statistics.OrderedRun) *statistics.Trend {
	if !p.paired {
		return statistics.EstimateDivergence(sides[0], sides[1])
	}
	var ratios []statistics.OrderedRun
	for i, baseline := range p.values[0] {
		if candidate := p.values[1][i]; !math.IsInf(baseline, 0) && !math.IsInf(candidate, 0) {
			ratios = append(ratios, statistics.OrderedRun{Place: float64(i), Value: candidate / baseline})
		}
	}
	return statistics.EstimateTrend(ratios)
}

// compareMetric compares a metric on its scale. Shares are compared in points and numbers as such, since most baselines have no
// errors.
func (p *pointPair) compareMetric(claims int) ComparisonOutcome {
	o := statistics.CompareOptions{Confidence: confidenceLevel(p.question.Spec), Paired: p.paired, Claims: claims, Censored: p.censored}
	if p.metric.IsShare() || p.metric.IsCount() {
		o.Scale, o.Shares = statistics.Absolute, p.metric.IsShare()
	}
	return ComparisonOutcome{Candidate: p.candidate, Baseline: p.baseline, Point: p.point, BaselinePoint: p.partner, Metric: string(p.metric.Metric),
		Scope: p.metric.formatScope(), BaselineCensored: p.runs[0].countCensored(p.metric), CandidateCensored: p.runs[1].countCensored(p.metric),
		Comparison: statistics.Compare(p.values[0], p.values[1], o), Failures: compareFailures(p.runs[0], p.runs[1]), Trend: p.trend, Divergence: p.divergence}
}

// decideOutcome sets verdict, gate and message.
func (c *ComparisonOutcome) decideOutcome(p *pointPair, claims int) {
	confidence := confidenceLevel(p.question.Spec)
	c.Verdict = c.decideVerdict(p.metric.Metric, confidence, claims)
	if gate := p.findGate(); gate != nil {
		c.MaxRegression = gate.MaxRegressionPercent.AsApproximateFloat64() / 100
		if c.Gate = c.decideGate(p.metric.Metric, confidence); c.Gate == v1alpha1.GateUndecided && !c.hasUnjudgeableBound() {
			c.RunsToDecide = c.runsToDecide(p.metric.Metric, confidence)
		}
	}
	c.Message = c.buildMessage(p, confidence, claims)
}

func (c *ComparisonOutcome) decideVerdict(metric v1alpha1.Metric, confidence float64, claims int) v1alpha1.ComparisonVerdict {
	switch {
	case c.isDrifting():
		return v1alpha1.ComparisonDrifting
	case c.IsSignificant(confidence) && metric.IsHigherBetter() == c.IsHigher():
		return v1alpha1.ComparisonBetter
	case c.IsSignificant(confidence):
		return v1alpha1.ComparisonWorse
	case c.HasTooFewRuns(confidence, claims):
		return v1alpha1.ComparisonTooFewRuns
	default:
		return v1alpha1.ComparisonNoDifference
	}
}

// A difference drifts if a test at divergenceLevel finds that it changed, by more than minDivergence over the experiment. A smaller
// change, which the test finds where runs hardly vary, is of no practical importance.
const (
	divergenceLevel = 0.01
	minDivergence   = 0.01
)

// isDrifting reports whether the difference changed during the experiment, and both sides have enough runs to tell.
func (c *ComparisonOutcome) isDrifting() bool {
	if c.Divergence == nil || c.Interval == nil || c.Divergence.PValue >= divergenceLevel {
		return false
	}
	steps := c.Candidates - 1
	if !c.Paired {
		steps += c.Baselines
	}
	return math.Abs(c.Divergence.PerRun)*float64(steps) > minDivergence
}

// decideGate returns the outcome of a gate, a test of non-inferiority. It passes only if the one-sided bound of the regression is
// within the limit. It fails if the whole interval lies beyond the limit, or if the candidate's runs fail significantly more often. All
// else is undecided: too few runs or too much spread, failed or left out runs that prevent a decision, a difference
// that drifts, and a baseline of 0, because a limit in percent of it cannot be judged. Times of faults that the window cut off only
// bound the regression: from above on the baseline's side, which cannot fail the gate, and from below on the candidate's, which cannot pass it.
func (c *ComparisonOutcome) decideGate(metric v1alpha1.Metric, confidence float64) v1alpha1.GateOutcome {
	switch {
	case c.Failures.isWorse() && c.Failures.AdjustedPValue < 1-confidence:
		return v1alpha1.GateFailed
	case c.Interval == nil, c.hasUnjudgeableBound(), c.isDrifting():
		return v1alpha1.GateUndecided
	case c.showsRegression(metric):
		return v1alpha1.GateFailed
	case c.CandidateCensored > 0:
		return v1alpha1.GateUndecided
	case c.Failures.undecidedReason(confidence) != "":
		return v1alpha1.GateUndecided
	case asRegression(metric, *c.OneSided).High <= c.MaxRegression:
		return v1alpha1.GatePassed
	default:
		return v1alpha1.GateUndecided
	}
}

// showsRegression reports whether the whole interval of the regression lies beyond the limit of the gate. Lower bounds of the baseline
// show none.
func (c *ComparisonOutcome) showsRegression(metric v1alpha1.Metric) bool {
	return c.Interval != nil && asRegression(metric, *c.Interval).Low > c.MaxRegression && c.BaselineCensored == 0
}

// asRegression returns the bounds of a difference as bounds of the regression, which is positive if the candidate is worse.
func asRegression(metric v1alpha1.Metric, difference statistics.Range) statistics.Range {
	if metric.IsHigherBetter() {
		return statistics.Range{Low: -difference.High, High: -difference.Low}
	}
	return difference
}

// runsToDecide returns the number of runs, or pairs, that would probably decide an undecided gate; 0 if it is unknown.
func (c *ComparisonOutcome) runsToDecide(metric v1alpha1.Metric, confidence float64) int {
	limit := c.MaxRegression
	if metric.IsHigherBetter() {
		limit = -limit
	}
	return c.EstimateRunsToDecide(limit, confidence)
}

// hasUnjudgeableBound reports whether a bound in percent has no meaning, because a run is 0 or the metric is a number.
func (c *ComparisonOutcome) hasUnjudgeableBound() bool {
	return c.Scale == statistics.Absolute && !v1alpha1.Metric(c.Metric).IsShare()
}

// findGate returns the gate of the metric in its scope, or nil. That of a time of faults is for each fault. A control has none, since it
// is no candidate.
func (p *pointPair) findGate() *v1alpha1.Gate {
	gates := p.question.Spec.Gates
	at := slices.IndexFunc(gates, func(g v1alpha1.Gate) bool {
		return g.Metric == p.metric.Metric && (g.Scope == p.metric.formatScope() || g.Metric.IsOfFault())
	})
	if at < 0 || p.isControl {
		return nil
	}
	return &gates[at]
}

// EstimateMetrics returns the estimate of each metric over the valid runs of a point, or over the means of its deployments if
// runsPerDeployment is not 0.
func EstimateMetrics(runs []Run, runsPerDeployment int, confidence float64) map[string]statistics.Estimate {
	samples := map[string]*metricSamples{}
	for _, r := range runs {
		if r.Verdict != RunValid {
			continue
		}
		for metric, v := range r.Metrics {
			if samples[metric] == nil {
				samples[metric] = &metricSamples{}
			}
			samples[metric].addSample(r.Repetition, v, false)
		}
	}
	estimates := make(map[string]statistics.Estimate, len(samples))
	for metric, s := range samples {
		estimate := statistics.EstimateMean
		if v1alpha1.Metric(metric).IsShare() {
			estimate = statistics.EstimateShare
		}
		estimates[metric] = estimate(s.averageDeployments(runsPerDeployment).values, confidence)
	}
	return estimates
}
