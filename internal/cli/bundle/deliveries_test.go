package bundle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestRemoveDeliveries(t *testing.T) {
	for name, test := range map[string]struct {
		manifest string
		removed  []string
		err      string
	}{
		"run": {`{kind: BenchmarkRun, spec: {networkName: n, workload: {upload: {}, webhook: {}, name: w}}}`,
			[]string{"spec.workload.upload", "spec.workload.webhook"}, ""},
		"network": {`{kind: BenchmarkNetwork, spec: {database: {chart: {values: {webhook: {}}}}, workloads: [{name: a}, {webhook: {}}]}}`, []string{"spec.workloads[1].webhook"}, ""},
		"experiment": {`{kind: BenchmarkExperiment, spec: {webhook: {}, template: {workload: {upload: {}}},
  variants: [{name: a, patch: {workload: {Webhook: {url: "http://a"}}}}]}}`,
			[]string{"spec.template.workload.upload", "spec.variants[0].patch.workload.Webhook", "spec.webhook"}, ""},
		"axis": {`{kind: BenchmarkExperiment, metadata: {name: e}, spec: {axes: [{field: workload.load.clients}, {field: workload.webhook.url}]}}`,
			nil, `spec.axes[1].field of e is "workload.webhook.url", must not be of an upload or a webhook`},
		"nothing": {`{kind: BenchmarkRun, spec: {workload: {name: w}}}`, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(test.manifest), &object.Object); err != nil {
				t.Fatal(err)
			}
			object.SetAPIVersion("benchnet.dev/v1alpha1")
			removed, err := RemoveDeliveries(object)
			if test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) || test.err == "" && err != nil {
				t.Fatalf("got %v, want %q", err, test.err)
			}
			if diff := cmp.Diff(test.removed, removed); diff != "" {
				t.Errorf("removed, -want +got:\n%s", diff)
			}
			if strings.Contains(test.manifest, "values") && !strings.Contains(fmt.Sprint(object.Object), "values:map[webhook") {
				t.Errorf("the values of a chart were changed: %v", object.Object)
			}
			if again, _ := RemoveDeliveries(object); len(again) > 0 {
				t.Errorf("left %v", again)
			}
		})
	}
}
