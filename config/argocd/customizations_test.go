// Package argocd_test compares the Argo CD customizations and the example repository with the operator and Argo
// CD.
package argocd_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

var updateFlag = flag.Bool("update", false, "rewrite argocd-cm.yaml")

const (
	apiGroup = "benchnet.dev"
	// customizationsDir has the layout of resource_customizations in Argo CD's own repository, except that the
	// kinds share healthFile and the scripts in actionsDir.
	customizationsDir = "resource_customizations/" + apiGroup
	healthFile        = customizationsDir + "/health.lua"
	actionsDir        = customizationsDir + "/actions"
)

// kinds are the kinds with a health check, all of the API.
var kinds = []string{"BenchmarkNetwork", "BenchmarkRun", "BenchmarkExperiment"}

// healthTests is the format of Argo CD's health_test.yaml.
type healthTests struct {
	Tests []struct {
		InputPath    string `json:"inputPath"`
		HealthStatus struct {
			Status  string `json:"status"`
			Message string `json:"message"`
		} `json:"healthStatus"`
	} `json:"tests"`
}

// actionTests is the format of Argo CD's action_test.yaml.
type actionTests struct {
	DiscoveryTests []struct {
		InputPath string   `json:"inputPath"`
		Result    []action `json:"result"`
	} `json:"discoveryTests"`
	ActionTests []struct {
		Action             string `json:"action"`
		InputPath          string `json:"inputPath"`
		ExpectedOutputPath string `json:"expectedOutputPath"`
	} `json:"actionTests"`
}

type action struct {
	Name     string `json:"name"`
	Disabled bool   `json:"disabled"`
}

// decodeFile decodes a YAML file. It fails on unknown fields.
func decodeFile[T any](t testing.TB, path ...string) T {
	t.Helper()
	var value T
	if err := yaml.UnmarshalStrict([]byte(readFile(t, path...)), &value); err != nil {
		t.Fatalf("%s: %v", filepath.Join(path...), err)
	}
	return value
}

func readFile(t testing.TB, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// actionScripts returns the paths of the scripts of a kind's actions by name: the shared ones and its own. A kind without test cases
// for actions has none.
func actionScripts(t testing.TB, kind string) map[string]string {
	t.Helper()
	own := filepath.Join(customizationsDir, kind, "actions")
	if _, err := os.Stat(filepath.Join(own, "action_test.yaml")); err != nil {
		return nil
	}
	scripts := map[string]string{}
	for _, folder := range []string{actionsDir, own} {
		found, err := filepath.Glob(filepath.Join(folder, "*", "action.lua"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			scripts[filepath.Base(filepath.Dir(path))] = path
		}
	}
	return scripts
}

// actionsEntry returns the entry of a kind's actions in Argo CD's ConfigMap, or an empty string if it has none.
func actionsEntry(t *testing.T, kind string) string {
	t.Helper()
	type definition struct {
		Name   string `json:"name"`
		Script string `json:"action.lua"`
	}
	var entry struct {
		Discovery   string       `json:"discovery.lua"`
		Definitions []definition `json:"definitions"`
	}
	scripts := actionScripts(t, kind)
	for _, name := range slices.Sorted(maps.Keys(scripts)) {
		entry.Definitions = append(entry.Definitions, definition{name, readFile(t, scripts[name])})
	}
	if len(entry.Definitions) == 0 {
		return ""
	}
	entry.Discovery = readFile(t, actionsDir, "discovery.lua")
	text, err := yaml.Marshal(entry)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestConfigMap checks that argocd-cm.yaml contains the current scripts; -update writes it.
func TestConfigMap(t *testing.T) {
	want := corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		// Argo CD reads only ConfigMaps with this label.
		ObjectMeta: metav1.ObjectMeta{Name: "argocd-cm", Namespace: "argocd", Labels: map[string]string{
			"app.kubernetes.io/name": "argocd-cm", "app.kubernetes.io/part-of": "argocd"}},
		Data: map[string]string{},
	}
	for _, kind := range kinds {
		want.Data["resource.customizations.health."+apiGroup+"_"+kind] = readFile(t, healthFile)
		if entry := actionsEntry(t, kind); entry != "" {
			want.Data["resource.customizations.actions."+apiGroup+"_"+kind] = entry
		}
	}
	if *updateFlag {
		text, err := yaml.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		head := "# Made from resource_customizations by go test ./config/argocd -update; do not edit.\n"
		if err := os.WriteFile("argocd-cm.yaml", append([]byte(head), text...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, decodeFile[corev1.ConfigMap](t, "argocd-cm.yaml")); diff != "" {
		t.Errorf("argocd-cm.yaml is not what the scripts make (-), run go test ./config/argocd -update:\n%s", diff)
	}
}
