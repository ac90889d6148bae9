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
		if kind := object.GetKind(); kind == "RoleBinding" || kind == "Role" {
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

// helm renders what a release installs.
func helm(t *testing.T, release, namespace string, values map[string]any) objects {
	t.Helper()
	all := rendered(t, release, namespace, values)
	maps.DeleteFunc(all, func(_ string, o *unstructured.Unstructured) bool { return isHook(o) })
	return all
}

// hooks renders what helm test makes.
func hooks(t *testing.T, release, namespace string, values map[string]any) objects {
	t.Helper()
	all := rendered(t, release, namespace, values)
	maps.DeleteFunc(all, func(_ string, o *unstructured.Unstructured) bool { return !isHook(o) })
	return all
}

func isHook(o *unstructured.Unstructured) bool { return o.GetAnnotations()["helm.sh/hook"] != "" }

func rendered(t *testing.T, release, namespace string, values map[string]any) objects {
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

// parse values as a user would write them.
func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	values := map[string]any{}
	if err := sigsyaml.Unmarshal([]byte(text), &values); err != nil {
		t.Fatalf("parse values %s: %v", text, err)
	}
	return values
}
