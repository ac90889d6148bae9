package postgresql

import (
	"maps"
	"os"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"sigs.k8s.io/yaml"
)

// readAllValues returns the values that cover every branch of the templates.
func readAllValues(t *testing.T) map[string]any {
	t.Helper()
	raw, err := os.ReadFile("ci/exporter-values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	if err := yaml.Unmarshal(raw, &values); err != nil {
		t.Fatal(err)
	}
	return values
}

func TestLint(t *testing.T) {
	for _, m := range lint.RunAll(".", readAllValues(t), "bench").Messages {
		if m.Severity > support.InfoSev { // the chart has no icon
			t.Error(m)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	chart, err := loader.LoadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		values map[string]any
		want   string
	}{
		"unknown key":         {map[string]any{"replicas": 3}, "additional properties 'replicas' not allowed"},
		"number as a setting": {map[string]any{"settings": map[string]any{"max_connections": 100}}, "got number, want string"},
		"setting over lines":  {map[string]any{"settings": map[string]any{"work_mem": "4MB'\nfsync = 'off"}}, "does not match pattern"},
		"setting of the contract": {map[string]any{"settings": map[string]any{"hba_file": "/tmp/hba"}},
			"invalid propertyName 'hba_file'"},
		"size":    {map[string]any{"storage": map[string]any{"type": "Persistent", "size": "much"}}, "does not match pattern"},
		"storage": {map[string]any{"storage": map[string]any{"type": "Tape", "size": "1Gi"}}, "value must be one of 'Persistent', 'Ephemeral'"},
		"port":    {map[string]any{"service": map[string]any{"port": 70000}}, "maximum: got 70,000, want 65,535"},
		"root":    {map[string]any{"userID": 0}, "minimum: got 0, want 1"},
	} {
		values := readAllValues(t)
		maps.Copy(values, tc.values)
		merged, err := util.CoalesceValues(chart, values)
		if err != nil {
			t.Fatal(err)
		}
		if err := util.ValidateAgainstSchema(chart, merged); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want …%s…", name, err, tc.want)
		}
	}
}
