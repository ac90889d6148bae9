// Package benchnet_test checks that the Helm chart installs the same objects as kustomize, and tests its
// values.
package benchnet_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// withoutHelmMetadata removes metadata that only Helm writes, and empty labels and annotations.
func withoutHelmMetadata(object *unstructured.Unstructured) map[string]any {
	copied := object.DeepCopy()
	labels := copied.GetLabels()
	for _, key := range []string{"app.kubernetes.io/managed-by", "app.kubernetes.io/version", "helm.sh/chart"} {
		delete(labels, key)
	}
	if strings.HasPrefix(copied.GetKind(), "Cluster") || copied.GetKind() == "CustomResourceDefinition" {
		delete(labels, "app.kubernetes.io/component") // the output of controller-gen has none
	}
	copied.SetLabels(labels)
	annotations := copied.GetAnnotations()
	delete(annotations, "helm.sh/resource-policy")
	copied.SetAnnotations(annotations)
	return copied.Object
}

func expectEqual(t *testing.T, fromKustomize, fromHelm objectSet) {
	t.Helper()
	delete(fromKustomize, "Namespace benchnet-system") // a chart creates no namespace
	if diff := cmp.Diff(fromKustomize.objectNames(), fromHelm.objectNames()); diff != "" {
		t.Fatalf("kustomize (-) and the chart (+) make different objects:\n%s", diff)
	}
	for name, object := range fromKustomize {
		if diff := cmp.Diff(withoutHelmMetadata(object), withoutHelmMetadata(fromHelm[name])); diff != "" {
			t.Errorf("%s differs between kustomize (-) and the chart (+):\n%s", name, diff)
		}
	}
}

func TestChartEqualsKustomize(t *testing.T) {
	expectEqual(t, buildKustomization(t, "../../config/default"), renderRelease(t, "benchnet", "benchnet-system", nil))
}

func TestChartWithMonitorEqualsKustomize(t *testing.T) {
	on := map[string]any{"enabled": true}
	values := map[string]any{"monitoring": on}
	expectEqual(t, buildKustomization(t, "../../config/prometheus"), renderRelease(t, "benchnet", "benchnet-system", values))
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
	container := operatorContainer(t, buildKustomization(t, "../../config/default")["Deployment benchnet-operator"])
	if want := "ghcr.io/benchnet/operator:" + version; container["image"] != want {
		t.Errorf("config/manager has the image %s, want %s", container["image"], want)
	}
}

func TestCRDsOutliveTheRelease(t *testing.T) {
	crds := 0
	for name, object := range renderRelease(t, "benchnet", "benchnet-system", nil) {
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
