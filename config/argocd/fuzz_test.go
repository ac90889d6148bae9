package argocd_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/benchnet/benchnet/internal/fuzz"
)

// healthStatuses are the values that Argo CD accepts.
var healthStatuses = []any{"Healthy", "Progressing", "Degraded", "Suspended", "Missing", "Unknown"}

// luaScript is a script with a check of its result, which returns a fault or "".
type luaScript struct {
	path, text, kind string
	check            func(resource map[string]any, result any) string
}

// FuzzScripts puts a value at a place of a resource and runs the scripts of all kinds on it. The spec, the
// status and the annotations may hold anything. No script may fail, and each must return what Argo CD reads.
func FuzzScripts(f *testing.F) {
	scripts := allScripts(f)
	for i, resource := range sampleResources(f) {
		for j, value := range fuzz.HostileValues {
			f.Add(resource, uint16(7*i+11*j), value)
		}
	}
	f.Fuzz(func(t *testing.T, document []byte, place uint16, value string) {
		resource := changedResource(document, int(place), value)
		if resource == nil {
			return
		}
		for _, script := range scripts {
			resource["kind"] = script.kind
			result, err := runScript(t.Context(), script.text, resource)
			if err != nil {
				t.Errorf("%s on a %s: %v", script.path, script.kind, err)
			} else if problem := script.check(resource, result); problem != "" {
				t.Errorf("%s on a %s: %s: %v", script.path, script.kind, problem, result)
			}
		}
	})
}

// changedResource returns the document with the value at the place. It returns nil if the API server would not
// store such an object: each has an apiVersion, a kind, and metadata with a name.
func changedResource(document []byte, place int, value string) map[string]any {
	changed, err := fuzz.MutateDocument(document, place, value)
	if err != nil {
		return nil
	}
	var resource map[string]any
	if json.Unmarshal(changed, &resource) != nil || resource == nil {
		return nil
	}
	metadata, ok := resource["metadata"].(map[string]any)
	if !ok {
		return nil
	}
	metadata["name"] = "fuzzed"
	resource["apiVersion"] = apiGroup + "/v1alpha1"
	return resource
}

// sampleResources returns all resources of the other tests as JSON.
func sampleResources(f *testing.F) [][]byte {
	f.Helper()
	var files []string
	for _, pattern := range []string{"testdata", "actions/testdata"} {
		found, err := filepath.Glob(filepath.Join(customizationsDir, "*", pattern, "*.yaml"))
		if err != nil || len(found) == 0 {
			f.Fatalf("no resources in %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	var resources [][]byte
	for _, file := range files {
		text, err := json.Marshal(decodeFile[map[string]any](f, file))
		if err != nil {
			f.Fatal(err)
		}
		resources = append(resources, text)
	}
	return resources
}

// allScripts returns every health check, discovery and action of all kinds.
func allScripts(f *testing.F) []luaScript {
	f.Helper()
	var scripts []luaScript
	for _, kind := range kinds {
		add := func(check func(map[string]any, any) string, path ...string) {
			file := filepath.Join(path...)
			scripts = append(scripts, luaScript{path: file, text: readFile(f, file), kind: kind, check: check})
		}
		add(checkHealth, healthFile)
		actions := actionScripts(f, kind)
		if len(actions) > 0 {
			add(checkDiscovery, actionsDir, "discovery.lua")
		}
		for _, name := range slices.Sorted(maps.Keys(actions)) {
			add(checkAction, actions[name])
		}
	}
	return scripts
}

func checkHealth(_ map[string]any, result any) string {
	health, ok := result.(map[string]any)
	if !ok || len(health) != 2 {
		return "the health is not a table with two fields"
	}
	if !slices.Contains(healthStatuses, health["status"]) {
		return "Argo CD has no such status"
	}
	if _, ok := health["message"].(string); !ok {
		return "the message is not a string"
	}
	return ""
}

func checkDiscovery(_ map[string]any, result any) string {
	actions, ok := result.(map[string]any)
	if !ok || len(actions) == 0 {
		return "no actions"
	}
	for name, value := range actions {
		found, ok := value.(map[string]any)
		if !ok {
			return name + " is not a table"
		}
		if _, ok := found["disabled"].(bool); !ok {
			return name + ".disabled is not a boolean"
		}
	}
	return ""
}

// checkAction checks that the action preserves the identity of the resource.
func checkAction(resource map[string]any, result any) string {
	changed, ok := result.(map[string]any)
	if !ok || changed["apiVersion"] != resource["apiVersion"] || changed["kind"] != resource["kind"] {
		return "the action returns another type of resource"
	}
	metadata, ok := changed["metadata"].(map[string]any)
	if !ok || metadata["name"] != "fuzzed" {
		return "the action returns a resource of another name"
	}
	return ""
}
