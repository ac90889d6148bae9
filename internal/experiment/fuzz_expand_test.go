package experiment

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// FuzzExpand designs experiments with an arbitrary axis and variant. An error names the field; otherwise the
// design is bounded, deterministic, and has distinct points.
func FuzzExpand(f *testing.F) {
	for _, c := range []struct{ path, value, patch string }{
		{"workload.load.clients", "10", `{"network": {"platform": {"corda": {"version": "4.3"}}}}`},
		{"network.members.count", "4", `{"network": {"members": null}}`},
		{"workload.corda.flow.arguments[0].value", "x", `{"workload": {"corda": {"flow": {"arguments": []}}}}`},
		{"workload.corda.flow.arguments[-1]", "1e400", `[]`}, {"workload", "{}", `null`}, {"network.members[0].count", "-1", `"x"`},
		{"network.members.heap", "1e20000000", `{}`}, {"network.members.heap", "1Ei", `{"workload": {"measure": {"window": "-1s"}}}`}, {"workload.load.ratePerSecond", "0.5", `{"a": 1}`},
		{"", "", `{`}, {"workload.load.clients.deeper", "9223372036854775807", `{"network": 5}`},
	} {
		f.Add(c.path, c.value, int32(7), []byte(c.patch))
	}
	f.Fuzz(func(t *testing.T, path, text string, number int32, patch []byte) {
		var e v1alpha1.BenchmarkExperiment
		if err := yaml.Unmarshal([]byte(experimentManifest), &e); err != nil {
			t.Fatal(err)
		}
		e.Spec.Axes = []v1alpha1.Axis{{Name: "axis", Field: path, Values: []v1alpha1.Text{v1alpha1.Text(text), v1alpha1.Text(strconv.Itoa(int(number)))}}}
		e.Spec.Variants = []v1alpha1.Variant{{Name: "as-it-is"}, {Name: "patched", Patch: &apiextensionsv1.JSON{Raw: patch}}}
		design, err := NewDesign(&e)
		if err != nil {
			var fault *field.Error
			if !errors.As(err, &fault) || fault.Field == "" {
				t.Errorf("a mistake that names no field: %v", err)
			}
			return
		}
		assertDesign(t, design)
		again, err := NewDesign(&e)
		if err != nil || !reflect.DeepEqual(marshalDesign(t, design), marshalDesign(t, again)) {
			t.Errorf("another time it is %+v, %v, not %+v", again, err, design)
		}
	})
}

func assertDesign(t *testing.T, d *Design) {
	t.Helper()
	if len(d.Points) == 0 || len(d.Points) > MaxPoints {
		t.Fatalf("%d points", len(d.Points))
	}
	seen := map[string]bool{}
	for _, p := range d.Points {
		if p.Network < 0 || p.Network >= len(d.Networks) || len(p.Parameters) != len(d.Axes) || seen[p.Name] || seen[p.Label()] {
			t.Errorf("point %+v of %d networks, after %v", p, len(d.Networks), seen)
		}
		seen[p.Name], seen[p.Label()] = true, true
	}
}

func marshalDesign(t *testing.T, d *Design) string {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
