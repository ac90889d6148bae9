package experiment

import (
	"compress/gzip"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestDriftingDifferences checks that a difference that moves from pair to pair is no single number, and that one that does not move is,
// although both sides share a steep trend that is no straight line.
func TestDriftingDifferences(t *testing.T) {
	noise := []float64{0.004, -0.006, 0.003, 0.007, -0.005, -0.003, 0.006, -0.004}
	for name, test := range map[string]struct {
		change  float64
		gate    v1alpha1.GateOutcome
		verdict v1alpha1.ComparisonVerdict
		message string
	}{
		"constant": {0, v1alpha1.GatePassed, v1alpha1.ComparisonNoDifference, "a regression above 5 % is ruled out"},
		"moving":   {0.015, v1alpha1.GateUndecided, v1alpha1.ComparisonDrifting, "per pair, p = "},
	} {
		t.Run(name, func(t *testing.T) {
			throughputs := map[string][]float64{}
			for i, e := range noise {
				settling := 100 * (1 - 0.6*math.Exp(-float64(i)/3))
				throughputs["base"] = append(throughputs["base"], settling*(1+e))
				throughputs["other"] = append(throughputs["other"], settling*(1-e)*(1+test.change*(float64(i)-3.5)))
			}
			points, runs := newMeasuredRuns(throughputs)
			result := &Result{Points: points, Runs: runs, Order: string(v1alpha1.OrderRandomizedPairs)}
			c := CompareVariants(Question{newComparisonSpec(v1alpha1.MetricThroughput, "5"), result, nil})[0]
			if c.Verdict != test.verdict || c.Gate != test.gate || !strings.Contains(c.Message, test.message) {
				t.Errorf("%s, gate %s: %s", c.Verdict, c.Gate, c.Message)
			}
		})
	}
}

// TestPublishedDifferenceDrifts checks a measured case: the latency of two versions while their JVMs warm up, with differences of the
// pairs from -5.3 % to +7.9 %.
func TestPublishedDifferenceDrifts(t *testing.T) {
	file, err := os.Open("../../docs/measured/c4-one-deployment.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	document, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Decode(document)
	if err != nil {
		t.Fatal(err)
	}
	spec := newComparisonSpec(v1alpha1.MetricLatencyMean, "")
	spec.Baseline = "4.3"
	c := CompareVariants(Question{spec, result, nil})[0]
	if c.Verdict != v1alpha1.ComparisonDrifting {
		t.Errorf("%s: %s", c.Verdict, c.Message)
	}
}

// TestControlOfStoredBaseline checks that a control keeps the drift of the hosts since the baseline was stored out of the comparison and
// its gate, and shows it.
func TestControlOfStoredBaseline(t *testing.T) {
	noise := []float64{0.004, -0.006, 0.003, 0.007, -0.005, -0.003, 0.006, -0.004}
	throughputs := map[string][]float64{}
	for _, e := range noise {
		throughputs["stored"] = append(throughputs["stored"], 100*(1-e))
		throughputs["base"] = append(throughputs["base"], 90*(1+e))
		throughputs["other"] = append(throughputs["other"], 90*(1+e/2))
	}
	points, runs := newMeasuredRuns(throughputs)
	result := &Result{Experiment: Identity{Name: "later", UID: "2"}, Points: points, Runs: runs, Order: string(v1alpha1.OrderRandomizedPairs)}
	points, runs = newMeasuredRuns(map[string][]float64{"base": throughputs["stored"]})
	stored := &Result{Experiment: Identity{Name: "earlier", UID: "1"}, Points: points[:1], Runs: runs}
	type outcome struct {
		candidate, baseline string
		verdict             v1alpha1.ComparisonVerdict
		gate                v1alpha1.GateOutcome
	}
	for name, test := range map[string]struct {
		control, message string
		want             [2]outcome
	}{
		"none": {"", "of another time", [2]outcome{{"base", "earlier base", v1alpha1.ComparisonWorse, v1alpha1.GateFailed},
			{"other", "earlier base", v1alpha1.ComparisonWorse, v1alpha1.GateFailed}}},
		"base": {"base", "the control repeats the stored baseline", [2]outcome{{"base", "earlier base", v1alpha1.ComparisonWorse, ""},
			{"other", "base", v1alpha1.ComparisonNoDifference, v1alpha1.GatePassed}}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := newComparisonSpec(v1alpha1.MetricThroughput, "5")
			spec.Baseline, spec.Stored, spec.Control = "", &v1alpha1.StoredResult{ConfigMapName: "earlier"}, test.control
			got := CompareVariants(Question{spec, result, stored})
			for i, want := range test.want {
				if c := got[i]; (outcome{c.Candidate, c.Baseline, c.Verdict, c.Gate}) != want {
					t.Errorf("%s against %s: %s, gate %q: %s", c.Candidate, c.Baseline, c.Verdict, c.Gate, c.Message)
				}
			}
			if !strings.Contains(got[0].Message, test.message) {
				t.Error(got[0].Message)
			}
		})
	}
}
