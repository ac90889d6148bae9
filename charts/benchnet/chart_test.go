// Package benchnet_test holds the Helm chart equal to what kustomize installs.
package benchnet_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	sigsyaml "sigs.k8s.io/yaml"
)

// objects by kind and name.
type objects map[string]*unstructured.Unstructured

func (o objects) names() []string { return slices.Sorted(maps.Keys(o)) }

func decode(t *testing.T, manifests []byte) objects {
	t.Helper()
	all := objects{}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifests), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("decode a manifest: %v", err)
		}
		if len(object.Object) == 0 {
			continue
		}
		key := object.GetKind() + " " + object.GetName()
		if object.GetKind() == "RoleBinding" {
			key += " in " + object.GetNamespace()
		}
		if all[key] != nil {
			t.Fatalf("%s is there twice", key)
		}
		all[key] = object
	}
}

func kustomize(t *testing.T, path string) objects {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), path)
	if err != nil {
		t.Fatalf("build %s: %v", path, err)
	}
	manifests, err := built.AsYaml()
	if err != nil {
		t.Fatalf("print %s: %v", path, err)
	}
	return decode(t, manifests)
}

func render(t *testing.T, release, namespace string, values map[string]any) (map[string]string, error) {
	t.Helper()
	chart, err := loader.LoadDir(".")
	if err != nil {
		t.Fatalf("load the chart: %v", err)
	}
	options := common.ReleaseOptions{Name: release, Namespace: namespace, Revision: 1, IsInstall: true}
	withDefaults, err := util.ToRenderValues(chart, values, options, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(chart, withDefaults)
}

func helm(t *testing.T, release, namespace string, values map[string]any) objects {
	t.Helper()
	files, err := render(t, release, namespace, values)
	if err != nil {
		t.Fatalf("render the chart: %v", err)
	}
	var manifests bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ".yaml") {
			manifests.WriteString("\n---\n" + files[name])
		}
	}
	return decode(t, manifests.Bytes())
}

// stripped leaves out what only Helm writes, and empty labels and annotations.
func stripped(object *unstructured.Unstructured) map[string]any {
	copied := object.DeepCopy()
	labels := copied.GetLabels()
	for _, key := range []string{"app.kubernetes.io/managed-by", "app.kubernetes.io/version", "helm.sh/chart"} {
		delete(labels, key)
	}
	if strings.HasPrefix(copied.GetKind(), "Cluster") || copied.GetKind() == "CustomResourceDefinition" {
		delete(labels, "app.kubernetes.io/component") // what controller-gen writes has none
	}
	copied.SetLabels(labels)
	annotations := copied.GetAnnotations()
	delete(annotations, "helm.sh/resource-policy")
	copied.SetAnnotations(annotations)
	return copied.Object
}

func expectEqual(t *testing.T, fromKustomize, fromHelm objects) {
	t.Helper()
	delete(fromKustomize, "Namespace benchnet-system") // a chart makes no namespace
	if diff := cmp.Diff(fromKustomize.names(), fromHelm.names()); diff != "" {
		t.Fatalf("kustomize (-) and the chart (+) make different objects:\n%s", diff)
	}
	for name, object := range fromKustomize {
		if diff := cmp.Diff(stripped(object), stripped(fromHelm[name])); diff != "" {
			t.Errorf("%s differs between kustomize (-) and the chart (+):\n%s", name, diff)
		}
	}
}

func TestChartEqualsKustomize(t *testing.T) {
	expectEqual(t, kustomize(t, "../../config/default"), helm(t, "benchnet", "benchnet-system", nil))
}

func TestChartWithMonitorEqualsKustomize(t *testing.T) {
	values := map[string]any{"serviceMonitor": map[string]any{"enabled": true}}
	expectEqual(t, kustomize(t, "../../config/prometheus"), helm(t, "benchnet", "benchnet-system", values))
}

func TestVersions(t *testing.T) {
	content, err := os.ReadFile("../../VERSION")
	if err != nil {
		t.Fatal(err)
	}
	version := strings.TrimSpace(string(content))
	chart, err := loader.LoadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	if chart.Metadata.Version != version || chart.Metadata.AppVersion != version {
		t.Errorf("Chart.yaml has version %s and appVersion %s, /VERSION has %s", chart.Metadata.Version, chart.Metadata.AppVersion, version)
	}
	container := operator(t, kustomize(t, "../../config/default")["Deployment benchnet-operator"])
	if want := "ghcr.io/benchnet/operator:" + version; container["image"] != want {
		t.Errorf("config/manager has the image %s, want %s", container["image"], want)
	}
}

func operator(t *testing.T, deployment *unstructured.Unstructured) map[string]any {
	t.Helper()
	if deployment == nil {
		t.Fatal("there is no Deployment")
	}
	containers, _, err := unstructured.NestedSlice(deployment.Object, "spec", "template", "spec", "containers")
	if err != nil || len(containers) != 1 {
		t.Fatalf("the Deployment has containers %v (%v), want one", containers, err)
	}
	return containers[0].(map[string]any)
}

func TestCRDsOutliveTheRelease(t *testing.T) {
	crds := 0
	for name, object := range helm(t, "benchnet", "benchnet-system", nil) {
		if object.GetKind() != "CustomResourceDefinition" {
			continue
		}
		crds++
		if object.GetAnnotations()["helm.sh/resource-policy"] != "keep" {
			t.Errorf("%s would be deleted with the release, and all networks with it", name)
		}
	}
	if crds != 3 {
		t.Errorf("the chart has %d CRDs, want 3", crds)
	}
}

// TestEverything renders the chart with all that can be set, and looks at what that changed.
func TestEverything(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("ci", "everything-values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	if err := sigsyaml.Unmarshal(content, &values); err != nil {
		t.Fatal(err)
	}
	all := helm(t, "lab", "tools", values)
	want := []string{
		"ClusterRole lab-benchnet-operator",
		"ClusterRole lab-benchnet-operator-nodes",
		"ClusterRoleBinding lab-benchnet-operator-nodes",
		"Deployment lab-benchnet-operator",
		"Role lab-benchnet-leader-election",
		"RoleBinding lab-benchnet-leader-election in tools",
		"RoleBinding lab-benchnet-operator in team-a",
		"RoleBinding lab-benchnet-operator in team-b",
		"Service lab-benchnet-metrics",
		"ServiceAccount lab-benchnet-operator",
		"ServiceMonitor lab-benchnet-operator",
	}
	if diff := cmp.Diff(want, all.names()); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	container := operator(t, all["Deployment lab-benchnet-operator"])
	if got, want := container["image"], "ghcr.io/benchnet/operator@sha256:"+strings.Repeat("0123456789abcdef", 4); got != want {
		t.Errorf("image is %s, want %s", got, want)
	}
	for _, argument := range []any{
		"--watch-namespace=team-a", "--watch-namespace=team-b", "--metrics-secure=false", "--metrics-bind-address=:8080",
		"--image-override=corda=registry.example.com/corda-enterprise:4.10", "--zap-log-level=debug",
	} {
		if !slices.Contains(container["args"].([]any), argument) {
			t.Errorf("the operator's arguments %v lack %s", container["args"], argument)
		}
	}
}

// TestNamespacedRights makes sure that an operator bound to namespaces holds nothing cluster-wide but reading nodes.
func TestNamespacedRights(t *testing.T) {
	all := helm(t, "benchnet", "benchnet-system", map[string]any{"watchNamespaces": []any{"team-a"}})
	bound := map[string]string{}
	for _, object := range all {
		if object.GetKind() == "ClusterRoleBinding" {
			role, _, _ := unstructured.NestedString(object.Object, "roleRef", "name")
			bound[role] = object.GetName()
		}
	}
	want := map[string]string{"benchnet-metrics-auth": "benchnet-metrics-auth", "benchnet-operator-nodes": "benchnet-operator-nodes"}
	if diff := cmp.Diff(want, bound); diff != "" {
		t.Errorf("roles bound in the whole cluster (-want +got):\n%s", diff)
	}
	rules, _, _ := unstructured.NestedSlice(all["ClusterRole benchnet-operator-nodes"].Object, "rules")
	wantRules := []any{map[string]any{"apiGroups": []any{""}, "resources": []any{"nodes"}, "verbs": []any{"get", "list"}}}
	if diff := cmp.Diff(wantRules, rules); diff != "" {
		t.Errorf("rights in the whole cluster (-want +got):\n%s", diff)
	}
}

func TestValuesAreChecked(t *testing.T) {
	tests := map[string]map[string]any{
		"an unknown value":               {"imagge": map[string]any{"tag": "1"}},
		"a floating tag":                 {"image": map[string]any{"tag": "latest"}},
		"a digest that is none":          {"image": map[string]any{"digest": "sha256:abc"}},
		"an unknown log level":           {"logLevel": "chatty"},
		"no reconciles":                  {"maxConcurrentReconciles": 0},
		"a namespace that cannot exist":  {"watchNamespaces": []any{"Team_A"}},
		"the port of the probes":         {"metrics": map[string]any{"port": 8081}},
		"two replicas and no election":   {"replicas": 2, "leaderElection": map[string]any{"enabled": false}},
		"an override that is no string":  {"imageOverrides": map[string]any{"corda": 4}},
		"a policy for pulling, misspelt": {"image": map[string]any{"pullPolicy": "IfAbsent"}},
	}
	for name, values := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := render(t, "benchnet", "benchnet-system", values); err == nil {
				t.Errorf("values %v were accepted", values)
			}
		})
	}
}
