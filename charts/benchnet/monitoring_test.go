package benchnet_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const monitorTemplate = "benchnet/templates/podmonitor.yaml"

// renderMonitors returns the PodMonitors of the chart in a cluster with or without the API of the Prometheus
// Operator.
func renderMonitors(t *testing.T, apis common.VersionSet, values map[string]any) objectSet {
	t.Helper()
	chart, err := loader.LoadDir(".")
	if err != nil {
		t.Fatalf("load the chart: %v", err)
	}
	capabilities := common.DefaultCapabilities.Copy()
	capabilities.APIVersions = append(capabilities.APIVersions, apis...)
	given, err := util.ToRenderValues(chart, values, common.ReleaseOptions{Name: "benchnet", Namespace: "benchnet-system"}, capabilities)
	if err != nil {
		t.Fatalf("values %v: %v", values, err)
	}
	files, err := engine.Render(chart, given)
	if err != nil {
		t.Fatalf("render the chart: %v", err)
	}
	return decodeManifests(t, []byte(files[monitorTemplate]))
}

// TestMonitorsFollowAvailableAPI tests the default and explicit values.
func TestMonitorsFollowAvailableAPI(t *testing.T) {
	api := common.VersionSet{"monitoring.coreos.com/v1"}
	said := func(enabled bool) map[string]any {
		return map[string]any{"monitoring": map[string]any{"podMonitors": map[string]any{"enabled": enabled}}}
	}
	for name, c := range map[string]struct {
		apis   common.VersionSet
		values map[string]any
		want   int
	}{
		"no API":                {nil, nil, 0},
		"the API is there":      {api, nil, 1},
		"unwanted":              {api, said(false), 0},
		"wanted before the API": {nil, said(true), 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := renderMonitors(t, c.apis, c.values); len(got) != c.want {
				t.Errorf("%d monitors, want %d: %v", len(got), c.want, got.objectNames())
			}
		})
	}
}

func TestMonitorsSelectWatchedNamespaces(t *testing.T) {
	all := renderMonitors(t, nil, map[string]any{
		"watchNamespaces": []any{"team-a", "team-b"},
		"monitoring":      map[string]any{"podMonitors": map[string]any{"enabled": true, "interval": "15s"}, "labels": map[string]any{"release": "prometheus"}},
	})
	monitor := all["PodMonitor benchnet-networks"]
	if monitor == nil {
		t.Fatalf("there is no monitor among %v", all.objectNames())
	}
	namespaces, _, _ := unstructured.NestedStringSlice(monitor.Object, "spec", "namespaceSelector", "matchNames")
	if len(namespaces) != 2 || namespaces[0] != "team-a" || namespaces[1] != "team-b" {
		t.Errorf("it looks into the namespaces %v", namespaces)
	}
	endpoints, _, _ := unstructured.NestedSlice(monitor.Object, "spec", "podMetricsEndpoints")
	if got := endpoints[0].(map[string]any)["interval"]; got != "15s" {
		t.Errorf("it scrapes each %v", got)
	}
	if monitor.GetLabels()["release"] != "prometheus" {
		t.Errorf("its labels are %v", monitor.GetLabels())
	}
}

// TestAlertsFollowValues changes every alert: each that has a threshold in values.yaml ends in it, and each can be
// left out.
func TestAlertsFollowValues(t *testing.T) {
	content, err := os.ReadFile("values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	alerts := parseValues(t, string(content))["monitoring"].(map[string]any)["alerts"].(map[string]any)
	kept := ""
	for name, values := range alerts {
		if _, tunable := values.(map[string]any)["threshold"]; tunable {
			alerts[name] = map[string]any{"threshold": 0.125, "for": "7m", "severity": "info"}
			kept += name
		} else {
			alerts[name] = map[string]any{"enabled": false}
		}
	}
	all := renderRelease(t, "benchnet", "benchnet-system", map[string]any{
		"crds":       map[string]any{"install": false},
		"monitoring": map[string]any{"enabled": true, "alerts": alerts},
	})
	groups, _, _ := unstructured.NestedSlice(all["PrometheusRule benchnet-alerts"].Object, "spec", "groups")
	seen := 0
	for _, group := range groups {
		for _, entry := range group.(map[string]any)["rules"].([]any) {
			rule := entry.(map[string]any)
			name := rule["alert"].(string)
			labels := rule["labels"].(map[string]any)
			switch {
			case !strings.Contains(kept, name):
				t.Errorf("%s is disabled, but rendered", name)
			case !strings.HasSuffix(rule["expr"].(string), " 0.125"), rule["for"] != "7m", labels["severity"] != "info":
				t.Errorf("%s ignores its values: %v", name, rule)
			}
			seen++
		}
	}
	if seen != strings.Count(kept, "Benchnet") || seen < 5 {
		t.Errorf("%d alerts are rendered, want those of %s", seen, kept)
	}
}

// TestScrapesFollowNoRedirects checks every monitor of the chart and of config/, since a redirect sends Prometheus to any
// address.
func TestScrapesFollowNoRedirects(t *testing.T) {
	installations := map[string]objectSet{
		"chart":      renderRelease(t, "benchnet", "benchnet-system", parseValues(t, "monitoring: {enabled: true}")),
		"config":     buildKustomization(t, "../../config/prometheus"),
		"monitoring": buildKustomization(t, "../../hack/monitoring/manifests"),
	}
	for name, objects := range installations {
		for id, object := range objects {
			for _, list := range []string{"podMetricsEndpoints", "endpoints"} {
				endpoints, _, _ := unstructured.NestedSlice(object.Object, "spec", list)
				for i, endpoint := range endpoints {
					t.Run(fmt.Sprintf("%s %s %d", name, id, i), func(t *testing.T) {
						if got := endpoint.(map[string]any)["followRedirects"]; got != false {
							t.Errorf("followRedirects %v, want false", got)
						}
					})
				}
			}
		}
	}
}

// TestScrapersNameNamespace checks that the default scrapers are pods of one namespace, whose labels its users cannot copy
// to another one.
func TestScrapersNameNamespace(t *testing.T) {
	for name, objects := range map[string]objectSet{
		"chart":  renderRelease(t, "benchnet", "benchnet-system", nil),
		"config": buildKustomization(t, "../../config/default"),
	} {
		t.Run(name, func(t *testing.T) {
			ingress, _, _ := unstructured.NestedSlice(objects["NetworkPolicy benchnet-operator"].Object, "spec", "ingress")
			peers, _, _ := unstructured.NestedSlice(ingress[0].(map[string]any), "from")
			namespace, _, _ := unstructured.NestedString(peers[0].(map[string]any), "namespaceSelector", "matchLabels", "kubernetes.io/metadata.name")
			pods, _, _ := unstructured.NestedMap(peers[0].(map[string]any), "podSelector")
			if len(ingress) != 1 || len(peers) != 1 || namespace == "" || len(pods) == 0 {
				t.Errorf("peers %v", peers)
			}
		})
	}
}
