package bundle

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestRemoveDelivery(t *testing.T) {
	for name, test := range map[string]struct {
		manifest string
		removed  bool
	}{
		"run":        {`{kind: BenchmarkRun, spec: {networkName: n, delivery: {upload: {}, webhook: {}}}}`, true},
		"experiment": {`{kind: BenchmarkExperiment, spec: {delivery: {runs: {webhook: {url: "http://a"}}}, template: {}}}`, true},
		"a chart":    {`{kind: BenchmarkNetwork, spec: {database: {chart: {values: {delivery: {}}}}}}`, false},
		"nothing":    {`{kind: BenchmarkRun, spec: {workload: {name: w}}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(test.manifest), &object.Object); err != nil {
				t.Fatal(err)
			}
			if got := RemoveDelivery(object); got != test.removed {
				t.Errorf("got %t", got)
			}
			if RemoveDelivery(object) {
				t.Errorf("left %v", object.Object)
			}
		})
	}
}
