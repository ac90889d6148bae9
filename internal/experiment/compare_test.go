package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// newMeasuredRuns returns one point for each variant, with valid runs of the given throughput. The error share
// is a thousandth of it.
func newMeasuredRuns(throughputs map[string][]float64) (points []Point, runs []Run) {
	for _, variant := range []string{"base", "other"} {
		point := Point{Name: "p-" + variant, Variant: variant, Parameters: []Parameter{{"users", "10"}}}
		for i, x := range throughputs[variant] {
			runs = append(runs, Run{Name: fmt.Sprint(variant, i), Point: point.Name, Repetition: i + 1, Verdict: RunValid,
				Metrics: map[string]float64{"Throughput": x, "LatencyP95": 1e4 / x, "ErrorShare": x / 1000}})
		}
		points = append(points, point)
	}
	return points, runs
}

// compareUnpaired compares runs that were not measured in pairs.
func compareUnpaired(spec *v1alpha1.Comparison, points []Point, runs []Run, stored *Result) []ComparisonOutcome {
	return CompareVariants(Question{spec, &Result{Points: points, Runs: runs, Seed: 1, Order: "Shuffled"}, stored})
}

func newComparisonSpec(metric v1alpha1.Metric, maxRegression string) *v1alpha1.Comparison {
	spec := &v1alpha1.Comparison{Baseline: "base", Metrics: []v1alpha1.Metric{metric}, ConfidencePercent: 95}
	if maxRegression != "" {
		spec.Gates = []v1alpha1.Gate{{Metric: metric, MaxRegressionPercent: resource.MustParse(maxRegression)}}
	}
	return spec
}

func TestVerdictsAndGates(t *testing.T) {
	base := []float64{100, 101, 99, 100.5, 99.5}
	times := func(factor float64) []float64 {
		scaled := make([]float64, len(base))
		for i, x := range base {
			scaled[i] = factor*x + 0.1*float64(i)
		}
		return scaled
	}
	for name, test := range map[string]struct {
		metric  v1alpha1.Metric
		bound   string
		other   []float64
		verdict v1alpha1.ComparisonVerdict
		gate    v1alpha1.GateOutcome
		message string
	}{
		"same":              {"Throughput", "5", base, "NoDifference", "Passed", "throughput +0.0 % [-1.1 %, +1.2 %], p = 1; a regression above 5 % is ruled out at 95 %"},
		"far worse":         {"Throughput", "5", times(0.9), "Worse", "Failed", "regression > 5 % at 95 %: throughput -9.8 % ["},
		"worse, within":     {"Throughput", "20", times(0.9), "Worse", "Passed", "; a regression above 20 % is ruled out at 95 %"},
		"better":            {"Throughput", "5", times(1.1), "Better", "Passed", "throughput +10.2 % ["},
		"no gate":           {"Throughput", "", times(0.9), "Worse", "", "throughput -9.8 % ["},
		"latency worse":     {"LatencyP95", "5", times(0.9), "Worse", "Failed", "regression > 5 % at 95 %: p95 latency +10.9 % ["},
		"latency better":    {"LatencyP95", "5", times(1.1), "Better", "Passed", "p95 latency -9.3 % ["},
		"errors, in points": {"ErrorShare", "500m", times(1.1), "Worse", "Failed", "regression > 0.5 points at 95 %: error share +1.02 points ["},
		"errors, within":    {"ErrorShare", "5", times(1.1), "Worse", "Passed", "; a regression above 5 points is ruled out at 95 %"},
		"too few":           {"Throughput", "5", []float64{50, 51}, "TooFewRuns", "Undecided", "too few runs: 2 against 5; 95 % needs 4"},
		"none":              {"Throughput", "5", nil, "TooFewRuns", "Undecided", "too few runs: 0 against 5; 95 % needs 4"},
		"too noisy":         {"Throughput", "5", []float64{80, 120, 100, 90, 115}, "NoDifference", "Undecided", "a regression above 5 % is neither shown nor ruled out at 95 %: with this spread, 34 runs would decide"},
	} {
		points, runs := newMeasuredRuns(map[string][]float64{"base": base, "other": test.other})
		runs = append(runs, Run{Point: "p-other", Repetition: 9, Verdict: RunInvalid, Excluded: true, Metrics: map[string]float64{"Throughput": 1, "LatencyP95": 1, "ErrorShare": 1}}, Run{Point: "p-base", Repetition: 9, Verdict: RunInvalid, Excluded: true})
		got := compareUnpaired(newComparisonSpec(test.metric, test.bound), points, runs, nil)
		if len(got) != 1 {
			t.Fatalf("%s: %+v", name, got)
		}
		c := got[0]
		if c.Verdict != test.verdict || c.Gate != test.gate || !strings.Contains(c.Message, test.message) {
			t.Errorf("%s: %s, gate %q, %q; want %s, %q, %q", name, c.Verdict, c.Gate, c.Message, test.verdict, test.gate, test.message)
		}
		if c.Candidate != "other" || c.Baseline != "base" || c.Point != "p-other" || c.BaselinePoint != "p-base" || c.Baselines != 5 || c.Candidates != len(test.other) {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestBaselineAtZero checks that a baseline of 0 yields an absolute difference in milliseconds, and that the
// gate does not pass.
func TestBaselineAtZero(t *testing.T) {
	points, runs := newMeasuredRuns(map[string][]float64{"base": {1, 1, 1, 1}, "other": {2, 2, 2, 2}})
	for i := range runs {
		runs[i].Metrics["LatencyP95"] = float64(len(runs[i].Name)) - float64(len("base0"))
	}
	c := compareUnpaired(newComparisonSpec(v1alpha1.MetricLatencyP95, "5"), points, runs, nil)[0]
	if c.Scale != statistics.Absolute || c.Gate != "Undecided" || !strings.HasPrefix(c.Message, "p95 latency +1 ms (+1 ms to +1 ms)") {
		t.Errorf("got %+v", c)
	}
}

func TestStoredBaseline(t *testing.T) {
	_, before := newMeasuredRuns(map[string][]float64{"base": {100, 101, 99, 100, 102}})
	points, runs := newMeasuredRuns(map[string][]float64{"base": {80, 81, 79, 80, 82}, "other": {100, 101, 99, 100, 102}})
	at := func(users string) []Parameter { return []Parameter{{"users", users}} }
	stored := &Result{Experiment: Identity{Name: "last-week"}, Points: []Point{{Name: "p-base", Variant: "v1", Parameters: at("10")}}, Runs: before}
	two := &Result{Experiment: Identity{Name: "last-week"}, Runs: before,
		Points: []Point{{Name: "p-base", Variant: "v1", Parameters: at("10")}, {Name: "p-base", Variant: "v2", Parameters: at("20")}}}
	for name, test := range map[string]struct {
		stored   *Result
		variant  string
		baseline string
		verdicts [2]v1alpha1.ComparisonVerdict
		message  string
	}{
		"its only variant":     {stored, "", "last-week v1", [2]v1alpha1.ComparisonVerdict{"Worse", "NoDifference"}, "regression > 5 % at 95 %"},
		"one of two":           {two, "v1", "last-week v1", [2]v1alpha1.ComparisonVerdict{"Worse", "NoDifference"}, "regression > 5 % at 95 %"},
		"no such point":        {two, "v2", "last-week v2", [2]v1alpha1.ComparisonVerdict{"TooFewRuns", "TooFewRuns"}, "the baseline last-week v2 has no point at users=10"},
		"which of two":         {two, "", "last-week", [2]v1alpha1.ComparisonVerdict{"TooFewRuns", "TooFewRuns"}, `compare.stored.variant "" is not a variant of the stored result: v1, v2`},
		"no such variant":      {stored, "v9", "last-week v9", [2]v1alpha1.ComparisonVerdict{"TooFewRuns", "TooFewRuns"}, `compare.stored.variant "v9" is not a variant of the stored result: v1`},
		"nothing stored there": {nil, "", "old", [2]v1alpha1.ComparisonVerdict{"TooFewRuns", "TooFewRuns"}, "ConfigMap old has no stored result"},
	} {
		spec := newComparisonSpec(v1alpha1.MetricThroughput, "5")
		spec.Baseline, spec.Stored = "", &v1alpha1.StoredResult{ConfigMapName: "old", Variant: test.variant}
		got := compareUnpaired(spec, points, runs, test.stored)
		if len(got) != 2 {
			t.Fatalf("%s: %+v", name, got)
		}
		if verdicts := [2]v1alpha1.ComparisonVerdict{got[0].Verdict, got[1].Verdict}; verdicts != test.verdicts || got[0].Baseline != test.baseline || !strings.HasPrefix(got[0].Message, test.message) {
			t.Errorf("%s: %v against %q, %q; want %v, %q, %q", name, verdicts, got[0].Baseline, got[0].Message, test.verdicts, test.baseline, test.message)
		}
		if got[0].Verdict == "TooFewRuns" && got[0].Gate != "Undecided" {
			t.Errorf("%s: gate %q", name, got[0].Gate)
		}
	}
}

func TestCompareVariantsPairsPointsByParameters(t *testing.T) {
	var points []Point
	var runs []Run
	for i, variant := range []string{"other", "base", "third"} {
		for j, users := range []string{"1", "10"} {
			name := fmt.Sprintf("p%d%d", i, j)
			points = append(points, Point{Name: name, Variant: variant, Parameters: []Parameter{{"users", users}, {"size", "1"}}})
			for r := range 5 {
				runs = append(runs, Run{Point: name, Repetition: r + 1, Verdict: RunValid, Metrics: map[string]float64{"Throughput": float64(100*j + 10 + r)}})
			}
		}
	}
	points = append(points, Point{Name: "p99", Variant: "third", Parameters: []Parameter{{"users", "99"}, {"size", "1"}}})
	var pairs []string
	spec := newComparisonSpec(v1alpha1.MetricThroughput, "")
	spec.Metrics = append(spec.Metrics, v1alpha1.MetricLatencyP95)
	for _, c := range compareUnpaired(spec, points, runs, nil) {
		pairs = append(pairs, fmt.Sprint(c.Point, "-", c.BaselinePoint, " ", c.Metric, " ", c.Verdict))
	}
	want := "p00-p10 Throughput NoDifference, p00-p10 LatencyP95 TooFewRuns, p01-p11 Throughput NoDifference, p01-p11 LatencyP95 TooFewRuns, " +
		"p20-p10 Throughput NoDifference, p20-p10 LatencyP95 TooFewRuns, p21-p11 Throughput NoDifference, p21-p11 LatencyP95 TooFewRuns, " +
		"p99- Throughput TooFewRuns, p99- LatencyP95 TooFewRuns"
	if got := strings.Join(pairs, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestGateOverManyExperiments checks that a version passes its gate against itself, with noise as measured on
// real networks, and that a copy that is slower by more than the detectable difference fails it.
func TestGateOverManyExperiments(t *testing.T) {
	const experiments, noise = 500, 0.03
	for _, test := range []struct {
		name           string
		factor         float64
		atLeast, below float64
	}{
		{"a version against itself", 1, 0, 0.001},
		{"4 % slower, with a bound of 5 %", 0.96, 0, 0.02},
		{"20 % slower", 0.80, 0.99, 1.01},
	} {
		failed := 0.0
		for seed := range uint64(experiments) {
			random := rand.New(rand.NewPCG(seed, 2))
			all := map[string][]float64{}
			for range 6 {
				all["base"] = append(all["base"], 100*math.Exp(noise*random.NormFloat64()))
				all["other"] = append(all["other"], 100*test.factor*math.Exp(noise*random.NormFloat64()))
			}
			points, runs := newMeasuredRuns(all)
			if compareUnpaired(newComparisonSpec(v1alpha1.MetricThroughput, "5"), points, runs, nil)[0].Gate == "Failed" {
				failed += 1.0 / experiments
			}
		}
		t.Logf("%s: the gate failed in %.1f %% of %d experiments of 6 and 6 runs with a noise of %.0f %%", test.name, 100*failed, experiments, 100*noise)
		if failed < test.atLeast || failed > test.below {
			t.Errorf("%s: %.3f failed", test.name, failed)
		}
	}
}

func TestEstimatesAreOfValidRuns(t *testing.T) {
	_, runs := newMeasuredRuns(map[string][]float64{"base": {100, 104}})
	runs = append(runs, Run{Verdict: RunInvalid, Metrics: map[string]float64{"Throughput": 1}}, Run{Verdict: RunFailed})
	delete(runs[1].Metrics, "LatencyP95")
	got := EstimateMetrics(runs, 0, 0.95)
	if len(got) != 3 || got["Throughput"].N != 2 || got["Throughput"].Mean != 102 || got["LatencyP95"].N != 1 || got["LatencyP95"].Bounds().High != 100 {
		t.Errorf("got %+v", got)
	}
	if got := EstimateMetrics(nil, 0, 0.95); got == nil || len(got) != 0 {
		t.Errorf("of no runs: %v", got)
	}
}

func BenchmarkCompareVariants(b *testing.B) {
	points, runs := newMeasuredRuns(map[string][]float64{"base": {100, 101, 99, 100, 98, 103, 100, 99}, "other": {100, 101, 99, 100, 97, 103, 100, 99}})
	for b.Loop() {
		compareUnpaired(newComparisonSpec(v1alpha1.MetricThroughput, "5"), points, runs, nil)
	}
}

func TestDifferencesOnTheirScale(t *testing.T) {
	for want, c := range map[string]ComparisonOutcome{
		"-8.1 %":       {Metric: "Throughput", Comparison: statistics.Comparison{Scale: statistics.Relative, Difference: -0.081}},
		"+0.50 points": {Metric: "ErrorShare", Comparison: statistics.Comparison{Scale: statistics.Absolute, Difference: 0.005}},
		"+0.00 points": {Metric: "ErrorShare", Comparison: statistics.Comparison{Scale: statistics.Absolute, Difference: -0.00001}},
		"+12.3 ms":     {Metric: "LatencyP95", Comparison: statistics.Comparison{Scale: statistics.Absolute, Difference: 12.34}},
	} {
		if got := c.FormatDifference(c.Difference); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
