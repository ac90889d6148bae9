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
}

// buildMessage returns the message for people: the gate's outcome, the numbers, and which differences could
// have been missed.
func (c *ComparisonOutcome) buildMessage(metric v1alpha1.Metric, confidence float64, missing string) string {
	least := statistics.RunsNeeded(confidence)
	switch {
	case missing != "":
		return missing
	case c.Verdict == v1alpha1.ComparisonTooFewRuns:
		return fmt.Sprintf("too few valid runs: %d against %d; %s needs %d for each", c.Candidates, c.Baselines, format.WholePercent(confidence), least)
	}
	numbers := fmt.Sprintf("%s %s %s, p = %.2g", metricLabels[metric], c.FormatDifference(c.Difference), c.FormatInterval(), c.PValue)
	bound := c.formatMaxRegression()
	switch {
	case c.Gate == v1alpha1.GateFailed:
		return fmt.Sprintf("regression > %s at %s: %s", bound, format.WholePercent(confidence), numbers)
	case c.Gate == v1alpha1.GateUndecided:
		return numbers + "; a run of the baseline is 0, so a bound in percent of it has no meaning"
	case c.Gate == v1alpha1.GatePassed && c.Verdict == v1alpha1.ComparisonWorse:
		return numbers + "; worse, but not significantly by more than " + bound
	case c.Gate == v1alpha1.GatePassed && c.Detectable > c.MaxRegression:
		return fmt.Sprintf("%s; the number and spread of the runs could hide a regression of %s: they can detect %s", numbers, bound, c.formatDetectable())
	case c.Verdict == v1alpha1.ComparisonNoDifference:
		return numbers + "; they could have detected " + c.formatDetectable()
	default:
		return numbers
	}
}

func (c *ComparisonOutcome) formatMaxRegression() string {
	if c.Scale == statistics.Relative {
		return fmt.Sprintf("%.4g %%", 100*c.MaxRegression)
	}
	return fmt.Sprintf("%.4g points", 100*c.MaxRegression)
}

func (c *ComparisonOutcome) formatDetectable() string {
	return strings.TrimPrefix(c.FormatDifference(c.Detectable), "+") + " or more"
}

// FormatDifference formats a difference with its sign: in percent of the baseline, in percentage points for an
// error share, or in the metric's own unit if a share of the baseline makes no sense.
func (c *ComparisonOutcome) FormatDifference(difference float64) string {
	switch {
	case c.Scale == statistics.Relative:
		return format.SignedPercent(difference)
	case c.Metric == string(v1alpha1.MetricErrorShare):
		return format.Signed(100*difference, 2) + " points"
	case c.Metric == string(v1alpha1.MetricThroughput):
		return fmt.Sprintf("%+.3g/s", difference)
	default:
		return fmt.Sprintf("%+.3g ms", difference)
	}
}

// FormatInterval formats the interval of the difference, such as "[-10.2 %, -6.0 %]".
func (c *ComparisonOutcome) FormatInterval() string {
	return fmt.Sprintf("[%s, %s]", c.FormatDifference(c.Low), c.FormatDifference(c.High))
}
