package comparison

import (
	"math"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// FuzzParseGate reads gates as users could write them: what is accepted is a bound on a metric, and is written and read again the same.
func FuzzParseGate(f *testing.F) {
	for _, text := range []string{"throughput=5%", "p95=10", "LatencyP99= 0.5 %", "errors=-1", "mean=1Ki", "p50=1e400%", "=", "throughput=5%%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		gate, err := ParseGate(text)
		if err != nil {
			return
		}
		if bound := gate.MaxRegressionPercent.AsApproximateFloat64(); !(bound >= 0) || math.IsInf(bound, 0) {
			t.Errorf("%q has the bound %v", text, bound)
		}
		again, err := ParseGate(string(gate.Metric) + "=" + gate.MaxRegressionPercent.String())
		if err != nil || again.Metric != gate.Metric || again.MaxRegressionPercent.Cmp(gate.MaxRegressionPercent) != 0 {
			t.Errorf("%q became %+v: %v", text, again, err)
		}
	})
}

// FuzzDocument compares what any file could hold with itself: no metric is better or worse, and no gate fails.
func FuzzDocument(f *testing.F) {
	for _, text := range []string{
		"", "{}", "null", `{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":1,"series":{"completedPerSecond":[1,2,3,4,5,6,7,8,9,10,11,12]}}`,
		`{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":9,"series":{"completedPerSecond":[0,0,0,0,0,0,0,0,0,0]}}`,
		`{"apiVersion":"benchnet.dev/v1alpha1","kind":"ExperimentResult","schemaVersion":1,"variants":["x","y"],"points":[{"name":"p01","variant":"x"},` +
			`{"name":"p02","variant":"y","parameters":[{"name":"a","value":"b"}]}],"runs":[{"name":"r","point":"p01","verdict":"Valid","metrics":{"Throughput":1e308}},` +
			`{"name":"s","point":"p01","verdict":"Valid","metrics":{"Throughput":-1e308,"LatencyP95":0}},{"name":"s","point":"p01","verdict":"Valid","metrics":{"LatencyP95":5e-324}}]}`,
	} {
		f.Add([]byte(text))
	}
	gate, err := ParseGate("throughput=5%")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		side := &Side{Name: "side.json"}
		if side.decode(text) != nil || len(side.Result.Variants) > 4 || len(side.Result.Points) > 20 || len(side.Result.Runs) > 100 {
			return
		}
		outcomes, err := Compare(Question{ConfidencePercent: 95, Gates: []v1alpha1.Gate{gate}, Seed: 1}, side, side)
		if err != nil {
			return
		}
		for _, o := range outcomes {
			if o.Point == o.BaselinePoint && (o.Verdict == experiment.Better || o.Verdict == experiment.Worse || o.Gate == experiment.GateFailed) {
				t.Errorf("compared with itself, %s is %s, gate %s: %s", o.Metric, o.Verdict, o.Gate, o.Message)
			}
		}
	})
}
