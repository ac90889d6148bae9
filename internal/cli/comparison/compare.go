package comparison

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// Options configure a comparison.
type Options struct {
	// Metrics are the metrics to compare. The default is throughput, mean and p95 latency.
	Metrics []v1alpha1.Metric
	// ConfidencePercent is the level of the confidence intervals.
	ConfidencePercent int32
	Gates             []v1alpha1.Gate
}

// Compare compares candidate with baseline, pairing points with equal parameters. It fails if one side is a
// single run and the other an experiment, if a gate is given for two single runs, or if the baseline variant is
// ambiguous.
func Compare(q Options, baseline, candidate *Side) ([]experiment.ComparisonOutcome, error) {
	if (baseline.Run == nil) != (candidate.Run == nil) {
		return nil, fmt.Errorf("%s and %s cannot be compared: give two runs or two experiments", baseline.Name, candidate.Name)
	}
	single := candidate.Run != nil
	if single && len(q.Gates) > 0 {
		return nil, errors.New("two single runs are no comparison, so no gate can be judged: compare experiments with repetitions")
	}
	metrics := q.selectMetrics()
	var questions []experiment.Question
	for _, variant := range candidate.variantNames() {
		against, err := baseline.matchVariant(variant)
		if err != nil {
			return nil, err
		}
		spec := &v1alpha1.Comparison{Stored: &v1alpha1.StoredResult{Variant: against}, Metrics: metrics,
			ConfidencePercent: q.ConfidencePercent, Gates: q.Gates}
		result := *candidate.Result
		result.Points = slices.DeleteFunc(slices.Clone(candidate.Result.Points), func(p experiment.Point) bool { return p.Variant != variant })
		questions = append(questions, experiment.Question{Spec: spec, Result: &result, Stored: baseline.Result})
	}
	outcomes := experiment.CompareVariants(questions...)
	for i := range outcomes {
		o := &outcomes[i]
		o.Candidate, o.Baseline = candidate.pointLabel(o.Point), baseline.pointLabel(o.BaselinePoint)
		if single {
			o.Message = "two single runs are no comparison: what differs from run to run is unknown"
		}
	}
	return outcomes, nil
}

// selectMetrics returns the metrics including those of the gates.
func (q Options) selectMetrics() []v1alpha1.Metric {
	all := slices.Clone(q.Metrics)
	if len(all) == 0 {
		all = []v1alpha1.Metric{v1alpha1.MetricThroughput, v1alpha1.MetricLatencyMean, v1alpha1.MetricLatencyP95}
	}
	for _, gate := range q.Gates {
		if !slices.Contains(all, gate.Metric) {
			all = append(all, gate.Metric)
		}
	}
	return all
}

// variantNames returns the selected variant, else all variants, else one empty name.
func (s *Side) variantNames() []string {
	switch {
	case s.Variant != "":
		return []string{s.Variant}
	case len(s.Result.Variants) > 0:
		return s.Result.Variants
	}
	return []string{""}
}

// matchVariant returns the side's variant to compare with variant: its only one, or the one with the same name.
func (s *Side) matchVariant(variant string) (string, error) {
	own := s.variantNames()
	switch {
	case len(own) == 1:
		return own[0], nil
	case slices.Contains(own, variant):
		return variant, nil
	}
	return "", fmt.Errorf("%s has several variants: say with which to compare, as %s:VARIANT; there are: %s", s.Name, s.Name, strings.Join(own, ", "))
}

// pointLabel returns a point's label: the side, its variant unless the user selected it, and its parameters.
func (s *Side) pointLabel(point string) string {
	parts := []string{s.Name}
	for _, p := range s.Result.Points {
		if p.Name != point {
			continue
		}
		if s.Variant == "" && p.Variant != "" {
			parts[0] += ":" + p.Variant
		}
		for _, parameter := range p.Parameters {
			parts = append(parts, parameter.Name+"="+parameter.Value)
		}
	}
	return strings.Join(parts, " ")
}

// metricAliases are alternative names of metrics.
var metricAliases = map[string]v1alpha1.Metric{
	"mean": v1alpha1.MetricLatencyMean, "p50": v1alpha1.MetricLatencyP50, "p90": v1alpha1.MetricLatencyP90, "p95": v1alpha1.MetricLatencyP95,
	"p99": v1alpha1.MetricLatencyP99, "p999": v1alpha1.MetricLatencyP999, "errors": v1alpha1.MetricErrorShare,
}

// ParseMetric returns the metric with the given name in any case, or with an alias such as p95.
func ParseMetric(text string) (v1alpha1.Metric, error) {
	var words []string
	for _, m := range slices.Concat(v1alpha1.AllMetrics, v1alpha1.FaultMetrics) {
		if strings.EqualFold(string(m), text) {
			return m, nil
		}
		words = append(words, string(m))
	}
	if m, ok := metricAliases[strings.ToLower(text)]; ok {
		return m, nil
	}
	return "", fmt.Errorf("%q is no metric; there are %s", text, strings.Join(words, ", "))
}

// maxGatePercent is the highest bound of a gate, which no result exceeds.
const maxGatePercent = 1_000_000

// ParseGate parses METRIC=PERCENT, such as throughput=5%.
func ParseGate(text string) (v1alpha1.Gate, error) {
	name, bound, ok := strings.Cut(text, "=")
	if !ok {
		return v1alpha1.Gate{}, fmt.Errorf("%q is not METRIC=PERCENT, such as throughput=5%%", text)
	}
	metric, err := ParseMetric(name)
	if err != nil {
		return v1alpha1.Gate{}, err
	}
	percent, err := resource.ParseQuantity(strings.TrimSpace(strings.TrimSuffix(bound, "%")))
	// The suffix of e700 makes it a quantity, 0 times 10^700, although it is not a number.
	if share := percent.AsApproximateFloat64(); err != nil || !(share >= 0 && share <= maxGatePercent) {
		return v1alpha1.Gate{}, fmt.Errorf("%q: %q is no percentage from 0 to %d, such as 5%%", text, bound, maxGatePercent)
	}
	return v1alpha1.Gate{Metric: metric, MaxRegressionPercent: percent}, nil
}
