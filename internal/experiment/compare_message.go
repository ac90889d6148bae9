package experiment

import (
	"fmt"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

var metricLabels = map[v1alpha1.Metric]string{
	v1alpha1.MetricThroughput: "throughput", v1alpha1.MetricLatencyMean: "mean latency", v1alpha1.MetricErrorShare: "error share",
	v1alpha1.MetricLatencyP50: "p50 latency", v1alpha1.MetricLatencyP90: "p90 latency", v1alpha1.MetricLatencyP95: "p95 latency",
	v1alpha1.MetricLatencyP99: "p99 latency", v1alpha1.MetricLatencyP999: "p99.9 latency",
	v1alpha1.MetricFinalityMean: "mean finality", v1alpha1.MetricFinalityP50: "p50 finality", v1alpha1.MetricFinalityP95: "p95 finality",
	v1alpha1.MetricFinalityP99: "p99 finality", v1alpha1.MetricOutageTime: "outage", v1alpha1.MetricRecoveryTime: "recovery time",
	v1alpha1.MetricDegradationTime: "degradation", v1alpha1.MetricLatencyRecoveryTime: "recovery time of latencies",
	v1alpha1.MetricAvailability: "availability", v1alpha1.MetricOperationsLost: "lost operations", v1alpha1.MetricOperationsDoubled: "doubled operations",
}

// storedCaveat has the worst figure of the simulations of stored baselines (hack/statistics).
const storedCaveat = "; the baseline is of another time, which can make up to 100 % of such claims false, if runs drift by 1 % each (compare.control)"

// buildMessage returns the message for people: the gate's outcome, the numbers, which differences could have been
// missed, failed runs and a significant trend.
func (c *ComparisonOutcome) buildMessage(p *pointPair, confidence float64, claims int) string {
	if p.missing != "" {
		return p.missing
	}
	text := c.describeOutcome(p, confidence, claims)
	if c.Gate == v1alpha1.GateFailed && c.Failures.isWorse() {
		text = "the candidate's runs fail more often: " + text
	}
	if f := c.Failures; f.Candidate+f.Baseline+f.CandidateExcluded+f.BaselineExcluded > 0 {
		text += "; " + f.String()
		if reason := f.undecidedReason(confidence); c.Gate == v1alpha1.GateUndecided && reason != "" {
			text += "; " + reason
		}
	}
	if c.BaselineCensored+c.CandidateCensored > 0 {
		text += fmt.Sprintf("; the next fault or the end of the window cut the time off in %d of %d runs of the candidate and %d of %d of the baseline: "+
			"p is of the log-rank test, and the difference counts the time until then", c.CandidateCensored, c.Candidates, c.BaselineCensored, c.Baselines)
	}
	switch {
	case p.isControl:
		text += "; the control repeats the stored baseline"
	case p.stored:
		text += storedCaveat
	}
	if p.deployedOnce {
		text += "; each network was deployed once, so the difference includes what differs between two deployments (spec.deployments)"
	}
	if differences := p.describeDifferences(); differences != "" {
		text += "; " + differences
	}
	if c.Trend != nil && c.Trend.PValue < 1-confidence {
		text += fmt.Sprintf("; trend of %s per run, p = %.2g", format.SignedPercent(c.Trend.PerRun), c.Trend.PValue)
	}
	return text
}

// describeOutcome describes the verdict with its numbers.
func (c *ComparisonOutcome) describeOutcome(p *pointPair, confidence float64, claims int) string {
	if c.Verdict == v1alpha1.ComparisonTooFewRuns && (c.Interval == nil || c.Gate == "") {
		needed := fmt.Sprintf("%s needs %d", format.WholePercent(confidence), statistics.RunsNeeded(confidence, claims, c.Paired))
		if claims > 1 {
			needed = fmt.Sprintf("%d claims at %s need %d", claims, format.WholePercent(confidence), statistics.RunsNeeded(confidence, claims, c.Paired))
		}
		return fmt.Sprintf("too few %s: %d against %d; %s", p.unitOfComparison(), c.Candidates, c.Baselines, needed)
	}
	numbers := fmt.Sprintf("%s %s %s, p = %.2g", p.metric.formatLabel(), c.FormatDifference(c.Difference), c.FormatBounds(), c.PValue)
	if claims > 1 {
		numbers += fmt.Sprintf(" (%.2g of %d claims)", c.AdjustedPValue, claims)
	}
	switch {
	case c.Gate == v1alpha1.GateUndecided && c.hasUnjudgeableBound():
		return numbers + "; a run of the baseline is 0, so a bound in percent of it has no meaning"
	case c.isDrifting():
		step := "run"
		if c.Paired {
			step = "pair"
		}
		return fmt.Sprintf("%s; the difference changes by %s per %s, p = %.2g: it is no single number", numbers,
			format.SignedPercent(c.Divergence.PerRun), step, c.Divergence.PValue)
	case c.Gate != "":
		return c.describeGate(p, numbers, confidence)
	case c.Verdict == v1alpha1.ComparisonNoDifference:
		return numbers + "; the detectable difference is " + c.FormatDetectable()
	}
	return numbers
}

// describeGate describes the outcome of a gate that the numbers decide or leave undecided.
func (c *ComparisonOutcome) describeGate(p *pointPair, numbers string, confidence float64) string {
	limit, level := c.formatMaxRegression(), format.WholePercent(confidence)
	switch {
	case c.Gate == v1alpha1.GateFailed && c.showsRegression(p.metric.Metric):
		return fmt.Sprintf("regression > %s at %s: %s", limit, level, numbers)
	case c.Gate == v1alpha1.GatePassed:
		return fmt.Sprintf("%s; a regression above %s is ruled out at %s", numbers, limit, level)
	case c.Gate == v1alpha1.GateUndecided && c.Interval == nil:
		return fmt.Sprintf("%s; a gate needs %d %s without a failed run", numbers, statistics.MinRunsForInterval, p.unitOfComparison())
	case c.Gate == v1alpha1.GateUndecided && c.Failures.undecidedReason(confidence) == "":
		return fmt.Sprintf("%s; a regression above %s is neither shown nor ruled out at %s%s", numbers, limit, level,
			c.describeRunsToDecide(p.unitOfComparison()))
	}
	return numbers
}

// describeRunsToDecide says how many runs would decide the gate, if that is known and more than there are.
func (c *ComparisonOutcome) describeRunsToDecide(unit string) string {
	if c.RunsToDecide <= min(c.Baselines, c.Candidates) {
		return ""
	}
	return fmt.Sprintf(": with this spread, %d %s would decide", c.RunsToDecide, unit)
}

// unitOfComparison is what the numbers of a comparison count.
func (p *pointPair) unitOfComparison() string {
	switch {
	case p.runs[0].runsPerDeployment > 0 && p.paired:
		return "pairs of deployments"
	case p.runs[0].runsPerDeployment > 0 || p.runs[1].runsPerDeployment > 0:
		return "deployments"
	case p.paired:
		return "pairs"
	}
	return "runs"
}

func (c *ComparisonOutcome) formatMaxRegression() string {
	if c.Scale == statistics.Relative {
		return fmt.Sprintf("%.4g %%", 100*c.MaxRegression)
	}
	return fmt.Sprintf("%.4g points", 100*c.MaxRegression)
}

// FormatDetectable formats the smallest detectable difference, such as "2.1 %", or "unknown".
func (c *ComparisonOutcome) FormatDetectable() string {
	if c.Detectable == nil {
		return "unknown"
	}
	return strings.TrimPrefix(c.FormatDifference(*c.Detectable), "+")
}

// FormatDifference formats a difference with its sign: in percent of the baseline, in percentage points for an
// error share, or in the metric's own unit if a share of the baseline makes no sense.
func (c *ComparisonOutcome) FormatDifference(difference float64) string {
	switch metric := v1alpha1.Metric(c.Metric); {
	case c.Scale == statistics.Relative:
		return format.SignedPercent(difference)
	case metric.IsShare():
		return format.Signed(100*difference, 2) + " points"
	case metric.IsCount():
		return format.Signed(difference, 2)
	case metric == v1alpha1.MetricThroughput:
		return fmt.Sprintf("%+.3g/s", difference)
	case metric.IsOfFault():
		return fmt.Sprintf("%+.3g s", difference)
	default:
		return fmt.Sprintf("%+.3g ms", difference)
	}
}

// FormatBounds formats the interval of the difference, such as "[-10.2 %, -6.0 %]", or of few runs the extremes
// of the single differences, such as "(-10.2 % to -6.0 %)".
func (c *ComparisonOutcome) FormatBounds() string { return c.Format(c.FormatDifference) }
