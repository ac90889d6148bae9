package docs_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// TestBenchManifestsAreAdmitted admits the networks, runs and experiments of the benches, which run only on demand.
func TestBenchManifestsAreAdmitted(t *testing.T) {
	admitted := 0
	for file, text := range benchManifests(t) {
		for _, document := range strings.Split(text, "\n---\n") {
			var object struct{ APIVersion, Kind string }
			if err := yaml.Unmarshal([]byte(document), &object); err != nil || !strings.HasPrefix(object.APIVersion, "benchnet.dev/") {
				continue
			}
			admitted++
			t.Run(strings.TrimPrefix(file, "../hack/"), func(t *testing.T) { admitManifest(t, object.Kind, document) })
		}
	}
	if admitted < 20 {
		t.Errorf("admitted %d manifests only", admitted)
	}
}

// benchManifests returns the manifests below hack/bench by file, and what the kustomizations there build.
func benchManifests(t *testing.T) map[string]string {
	t.Helper()
	manifests := map[string]string{}
	err := filepath.WalkDir("../hack/bench", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		if entry.Name() != "kustomization.yaml" {
			manifests[path] = readFile(t, path)
			return nil
		}
		options := krusty.MakeDefaultOptions()
		options.LoadRestrictions = types.LoadRestrictionsNone
		built, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), filepath.Dir(path))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		text, err := built.AsYaml()
		manifests[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return manifests
}
