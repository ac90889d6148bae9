package comparison

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/fuzz"
)

// FuzzParseGate parses arbitrary gates: an accepted gate bounds a metric and survives a round trip.
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

// comparableDocuments can be compared with themselves.
var comparableDocuments = []string{
	`{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":1,"run":{"name":"r"},"series":{"completedPerSecond":[1,2,3,4,5,6,7,8,9,10,11,12]}}`,
	`{"apiVersion":"benchnet.dev/v1alpha1","kind":"ExperimentResult","schemaVersion":2,"variants":["x","y"],"points":[{"name":"p01","variant":"x","parameters":[]},
	{"name":"p02","variant":"y","parameters":[{"name":"a","value":"b"}]}],"runs":[{"name":"r","point":"p01","verdict":"Valid","metrics":{"Throughput":100}},
	{"name":"s","point":"p01","verdict":"Valid","metrics":{"Throughput":1e15,"LatencyP95":0}},{"name":"t","point":"p01","verdict":"Valid","metrics":{"Throughput":1e-15,"LatencyP95":5}},
	{"name":"u","point":"p01","verdict":"Valid","metrics":{"Throughput":3,"LatencyP95":7}},{"name":"v","point":"p02","verdict":"Valid","metrics":{"Throughput":3,"LatencyP95":7}}]}`,
}

// FuzzDocument replaces two values in a document and compares it with itself: no metric is better or worse, no gate
// fails, and the outcome can be encoded.
func FuzzDocument(f *testing.F) {
	for i, value := range append([]string{"1e308", "5e-324", "-1e308", "9", "p01", "x", "Valid"}, fuzz.HostileValues...) {
		f.Add(i%2 == 0, uint8(i), value, uint8(7*i), "1")
		f.Add(i%2 == 1, uint8(3*i), value, uint8(5*i), value)
	}
	gate, err := ParseGate("throughput=5%")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, run bool, place uint8, value string, place2 uint8, value2 string) {
		document := comparableDocuments[1]
		if run {
			document = comparableDocuments[0]
		}
		text, err := fuzz.MutateDocument([]byte(document), int(place), value)
		if err == nil {
			text, err = fuzz.MutateDocument(text, int(place2), value2)
		}
		if err != nil {
			return
		}
		side := &Side{Name: "side.json"}
		file, err := documents.DecodeFile(side.Name, text)
		if err != nil || side.setFile(file) != nil {
			return
		}
		outcomes, err := Compare(Options{ConfidencePercent: 95, Gates: []v1alpha1.Gate{gate}}, side, side)
		if err != nil {
			return
		}
		if _, err := json.Marshal(outcomes); err != nil {
			t.Fatalf("%s compared with itself cannot be written: %v", text, err)
		}
		for _, o := range outcomes {
			if o.Point == o.BaselinePoint && (o.Verdict == v1alpha1.ComparisonBetter || o.Verdict == v1alpha1.ComparisonWorse || o.Gate == v1alpha1.GateFailed) {
				t.Errorf("compared with itself, %s is %s, gate %s: %s", o.Metric, o.Verdict, o.Gate, o.Message)
			}
		}
	})
}
