package benchnet_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// filterKinds returns the objects of these kinds.
func filterKinds(all objectSet, kinds ...string) objectSet {
	some := objectSet{}
	for name, object := range all {
		if slices.Contains(kinds, object.GetKind()) {
			some[name] = object
		}
	}
	return some
}

func dashboardValues(dashboards map[string]any) map[string]any {
	return map[string]any{"monitoring": map[string]any{"dashboards": dashboards}}
}

func TestDashboardsAreNotInstalledByDefault(t *testing.T) {
	if got := filterKinds(renderRelease(t, "benchnet", "benchnet-system", nil), "ConfigMap", "GrafanaDashboard"); len(got) != 0 {
		t.Errorf("there are %v", got.objectNames())
	}
}

func TestDashboardsOfTheChartEqualThoseOfKustomize(t *testing.T) {
	all := renderRelease(t, "benchnet", "benchnet-system", dashboardValues(map[string]any{"enabled": true}))
	expectEqual(t, buildKustomization(t, "../../config/grafana"), filterKinds(all, "ConfigMap"))
}

// TestDashboardFilesMatchConfigMaps compares the ConfigMaps with the files, and checks the size of the files.
func TestDashboardFilesMatchConfigMaps(t *testing.T) {
	files, err := filepath.Glob("dashboards/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no dashboards: %v", err)
	}
	shipped := filterKinds(renderRelease(t, "benchnet", "benchnet-system", dashboardValues(map[string]any{"enabled": true})), "ConfigMap")
	if len(shipped) != len(files) {
		t.Errorf("%d ConfigMaps for %d files", len(shipped), len(files))
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		object := shipped["ConfigMap benchnet-dashboard-"+strings.TrimSuffix(strings.TrimPrefix(name, "benchnet-"), ".json")]
		if object == nil {
			t.Errorf("no ConfigMap has %s", name)
			continue
		}
		got, _, _ := unstructured.NestedString(object.Object, "data", name)
		if !json.Valid([]byte(got)) || strings.TrimSpace(got) != strings.TrimSpace(string(content)) {
			t.Errorf("%s has not the content of %s", object.GetName(), name)
		}
		if len(content) > 1<<19 {
			t.Errorf("%s has %d bytes, which is near to what a ConfigMap holds", name, len(content))
		}
	}
}

func TestDashboardsForTheGrafanaOperator(t *testing.T) {
	all := filterKinds(renderRelease(t, "lab", "tools", dashboardValues(map[string]any{
		"namespace": "grafana", "annotations": map[string]any{"grafana_folder": "Ledgers"},
		"grafanaOperator": map[string]any{"enabled": true, "folder": "Ledgers"},
	})), "ConfigMap", "GrafanaDashboard")
	run := all["GrafanaDashboard lab-benchnet-dashboard-run"]
	if run == nil {
		t.Fatalf("no dashboard of runs among %v", slices.Sorted(maps.Keys(all)))
	}
	want := map[string]any{
		"instanceSelector":          map[string]any{"matchLabels": map[string]any{"dashboards": "grafana"}},
		"allowCrossNamespaceImport": true, "folder": "Ledgers", "resyncPeriod": "10m",
		"configMapRef": map[string]any{"name": "lab-benchnet-dashboard-run", "key": "benchnet-run.json"},
	}
	if diff := cmp.Diff(want, run.Object["spec"]); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	config := all["ConfigMap lab-benchnet-dashboard-run"]
	switch {
	case config == nil:
		t.Fatal("what the dashboard points to is not there")
	case config.GetNamespace() != "grafana" || run.GetNamespace() != "grafana":
		t.Errorf("namespaces %s and %s", config.GetNamespace(), run.GetNamespace())
	case config.GetLabels()["grafana_dashboard"] != "":
		t.Error("a sidecar would install the dashboard a second time")
	case config.GetLabels()["app.kubernetes.io/component"] != "dashboards":
		t.Errorf("labels %v", config.GetLabels())
	case config.GetAnnotations()["grafana_folder"] != "Ledgers":
		t.Errorf("annotations %v", config.GetAnnotations())
	}
}
