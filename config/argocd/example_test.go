package argocd_test

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// buildKustomization returns the objects that Argo CD builds from a folder with a kustomization.
func buildKustomization(t *testing.T, path string) []*unstructured.Unstructured {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), path)
	if err != nil {
		t.Fatalf("build %s: %v", path, err)
	}
	var all []*unstructured.Unstructured
	for _, r := range built.Resources() {
		object, err := r.Map()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, &unstructured.Unstructured{Object: object})
	}
	return all
}

// TestExample decodes the example into the API's types and compares its sync waves with docs/gitops.md.
func TestExample(t *testing.T) {
	waves := map[string]int{}
	for _, object := range buildKustomization(t, "example") {
		wave, err := strconv.Atoi(object.GetAnnotations()["argocd.argoproj.io/sync-wave"])
		if err != nil {
			t.Errorf("%s %s has no wave", object.GetKind(), object.GetName())
		}
		waves[object.GetKind()] = wave
		text, err := yaml.Marshal(object.Object)
		if err != nil {
			t.Fatal(err)
		}
		switch object.GetKind() {
		case "BenchmarkNetwork":
			err = yaml.UnmarshalStrict(text, &v1alpha1.BenchmarkNetwork{})
		case "BenchmarkRun":
			err = yaml.UnmarshalStrict(text, &v1alpha1.BenchmarkRun{})
			if object.GetAnnotations()["argocd.argoproj.io/sync-options"] != "Prune=false" ||
				object.GetAnnotations()["argocd.argoproj.io/compare-options"] != "IgnoreExtraneous" {
				t.Errorf("BenchmarkRun %s would be pruned with its result, or make a difference, once it is no longer in git", object.GetName())
			}
		case "BenchmarkExperiment":
			err = yaml.UnmarshalStrict(text, &v1alpha1.BenchmarkExperiment{})
		}
		if err != nil {
			t.Errorf("%s %s: %v", object.GetKind(), object.GetName(), err)
		}
	}
	want := map[string]int{"Namespace": -1, "BenchmarkNetwork": 0, "BenchmarkRun": 1, "BenchmarkExperiment": 2}
	if diff := cmp.Diff(want, waves); diff != "" {
		t.Errorf("waves (-want +got):\n%s", diff)
	}
}

// TestApplications checks that the Applications match this repository and can be synced without a permanent
// difference.
func TestApplications(t *testing.T) {
	type application struct {
		Metadata struct {
			Name        string
			Annotations map[string]string
			Finalizers  []string
		}
		Spec struct {
			Source     struct{ Path, TargetRevision string }
			SyncPolicy struct{ SyncOptions []string }
		}
	}
	waves := map[string]string{}
	for _, file := range []string{"operator", "benchmarks"} {
		var a application
		if err := yaml.Unmarshal([]byte(readFile(t, "applications", file+".yaml")), &a); err != nil {
			t.Fatal(err)
		}
		waves[a.Metadata.Name] = a.Metadata.Annotations["argocd.argoproj.io/sync-wave"]
		if _, err := os.Stat("../../" + a.Spec.Source.Path); err != nil {
			t.Errorf("%s: its path: %v", a.Metadata.Name, err)
		}
		if !slices.Contains(a.Spec.SyncPolicy.SyncOptions, "ServerSideApply=true") {
			t.Errorf("%s is not applied server-side", a.Metadata.Name)
		}
		if len(a.Metadata.Finalizers) == 0 {
			t.Errorf("%s leaves what it made when it is deleted", a.Metadata.Name)
		}
		if version := "v" + strings.TrimSpace(readFile(t, "../../VERSION")); file == "operator" && a.Spec.Source.TargetRevision != version {
			t.Errorf("%s is of %s, want %s", a.Metadata.Name, a.Spec.Source.TargetRevision, version)
		}
	}
	if waves["benchnet"] != "-1" || waves["benchmarks"] != "0" {
		t.Errorf("the waves of %v are %v, want the operator before the benchmarks", slices.Sorted(maps.Keys(waves)), waves)
	}
}
