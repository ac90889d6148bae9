package experiment

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/boundedjson"
)

// FuzzDecode decodes arbitrary results of experiments. An accepted result is unchanged after writing and
// reading it again.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"apiVersion":"benchnet.dev/v1alpha1","kind":"ExperimentResult","schemaVersion":2}`,
		`{"apiVersion":"benchnet.dev/v1alpha1","kind":"ExperimentResult","schemaVersion":2,"points":[{"name":"p01","parameters":[{"name":"a","value":"b"}]}],"runs":[{"name":"r","metrics":{"Throughput":1e308}}]}`,
		"\x1f\x8b",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Decode(text)
		if err != nil {
			return
		}
		first, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("read, but not written: %v", err)
		}
		again, err := Decode(first)
		if err != nil {
			t.Fatalf("written, but not read: %v", err)
		}
		if second, err := json.Marshal(again); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("it changed on the way: %v\n%s\n%s", err, first, second)
		}
	})
}

// FuzzStored decodes compressed results as compare.stored reads them from any ConfigMap. The outcome equals
// that of the plain text, and an accepted result can be used as a baseline.
func FuzzStored(f *testing.F) {
	for _, text := range []string{
		`{"apiVersion":"benchnet.dev/v1alpha1","kind":"ExperimentResult","schemaVersion":2}`,
		`{"apiVersion":"benchnet.dev/v1alpha1","kind":"ExperimentResult","points":[{"name":"p01"}],"runs":[{"point":"p01","verdict":"Valid","metrics":{"Throughput":10}}]}`,
		`{"runs":[{"metrics":{"a":1e400}},{}],"RUNS":[{}]}`,
	} {
		f.Add([]byte(text))
	}
	spec := &v1alpha1.Comparison{Stored: &v1alpha1.StoredResult{ConfigMapName: "c"}, Metrics: []v1alpha1.Metric{v1alpha1.MetricThroughput}, ConfidencePercent: 95}
	f.Fuzz(func(t *testing.T, text []byte) {
		packed, err := boundedjson.Pack(json.RawMessage(text), "text")
		if err != nil {
			return // The text is not JSON.
		}
		stored, err := Decode(packed)
		if _, plainErr := Decode(text); (err == nil) != (plainErr == nil) {
			t.Fatalf("compressed: %v, plain: %v", err, plainErr)
		}
		if err != nil {
			return
		}
		points := []Point{{Name: "p01"}}
		runs := []Run{{Point: "p01", Verdict: RunValid, Metrics: map[string]float64{"Throughput": 11}}}
		if got := CompareVariants(Question{spec, &Result{Points: points, Runs: runs, Seed: 1}, stored}); len(got) > len(points) {
			t.Fatalf("%d comparisons of a point and a metric", len(got))
		}
	})
}
