package benchnet_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

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

// objectSet holds objects by kind and name.
type objectSet map[string]*unstructured.Unstructured

func (o objectSet) objectNames() []string { return slices.Sorted(maps.Keys(o)) }

func decodeManifests(t *testing.T, manifests []byte) objectSet {
	t.Helper()
	all := objectSet{}
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
		if kind := object.GetKind(); kind == "RoleBinding" || kind == "Role" {
			key += " in " + object.GetNamespace()
		}
		if all[key] != nil {
			t.Fatalf("%s is there twice", key)
		}
		all[key] = object
	}
}

func buildKustomization(t *testing.T, path string) objectSet {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), path)
	if err != nil {
		t.Fatalf("build %s: %v", path, err)
	}
	manifests, err := built.AsYaml()
	if err != nil {
		t.Fatalf("print %s: %v", path, err)
	}
	return decodeManifests(t, manifests)
}

func renderChart(t *testing.T, release, namespace string, values map[string]any) (map[string]string, error) {
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

// renderRelease returns the objects that a release installs, without hooks.
func renderRelease(t *testing.T, release, namespace string, values map[string]any) objectSet {
	t.Helper()
	all := renderObjects(t, release, namespace, values)
	maps.DeleteFunc(all, func(_ string, o *unstructured.Unstructured) bool { return isHook(o) })
	return all
}

// renderTestHooks returns the hooks of helm test.
func renderTestHooks(t *testing.T, release, namespace string, values map[string]any) objectSet {
	t.Helper()
	all := renderObjects(t, release, namespace, values)
	maps.DeleteFunc(all, func(_ string, o *unstructured.Unstructured) bool { return !isHook(o) })
	return all
}

func isHook(o *unstructured.Unstructured) bool { return o.GetAnnotations()["helm.sh/hook"] != "" }

func renderObjects(t *testing.T, release, namespace string, values map[string]any) objectSet {
	t.Helper()
	files, err := renderChart(t, release, namespace, values)
	if err != nil {
		t.Fatalf("render the chart: %v", err)
	}
	var manifests bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ".yaml") {
			manifests.WriteString("\n---\n" + files[name])
		}
	}
	return decodeManifests(t, manifests.Bytes())
}

func operatorContainer(t *testing.T, deployment *unstructured.Unstructured) map[string]any {
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

// parseValues parses values as a user writes them.
func parseValues(t *testing.T, text string) map[string]any {
	t.Helper()
	values := map[string]any{}
	if err := sigsyaml.Unmarshal([]byte(text), &values); err != nil {
		t.Fatalf("parse values %s: %v", text, err)
	}
	return values
}
