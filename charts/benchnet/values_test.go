package benchnet_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// valueEffect is the effect of a value on one object of the release "benchnet" in the namespace
// "benchnet-system".
type valueEffect struct {
	// baseValues are other values on which the value depends, and set is the value itself; both YAML.
	baseValues, set string
	// object is the kind and name of the object.
	object string
	// path is a JSONPath in it, and want the text at the path once the value is set. Without a path the object
	// appears or vanishes.
	path, want string
}

// TestEveryValueChangesSomething checks the effect of every value in values.yaml. A new value needs an effect.
func TestEveryValueChangesSomething(t *testing.T) {
	described := readDescriptions(t)
	for path := range described {
		e, ok := valueEffects[path]
		if !ok {
			t.Errorf("%s: no test says what it changes; add it to effects", path)
			continue
		}
		t.Run(path, func(t *testing.T) {
			if path != "crds.install" {
				e.baseValues += "\ncrds: {install: false}" // They are large and slow to render.
			}
			before := renderRelease(t, "benchnet", "benchnet-system", parseValues(t, e.baseValues))
			after := renderRelease(t, "benchnet", "benchnet-system", parseValues(t, e.baseValues+"\n"+e.set))
			if e.path == "" {
				if (before[e.object] == nil) == (after[e.object] == nil) {
					t.Errorf("%s should make %s appear or vanish", e.set, e.object)
				}
				return
			}
			if got := evaluatePath(t, before, e); got == e.want {
				t.Errorf("%s of %s is %q before %s is set", e.path, e.object, got, path)
			}
			if got := evaluatePath(t, after, e); got != e.want {
				t.Errorf("%s of %s is %q, want %q", e.path, e.object, got, e.want)
			}
		})
	}
	for path := range valueEffects {
		if described[path] == "" {
			t.Errorf("%s has an effect, but is no value", path)
		}
	}
}

// evaluatePath returns the text at an effect's path, or an empty string if the path does not exist.
func evaluatePath(t *testing.T, all objectSet, e valueEffect) string {
	t.Helper()
	object := all[e.object]
	if object == nil {
		t.Fatalf("there is no %s, but %v", e.object, all.objectNames())
	}
	path := jsonpath.New(e.path).AllowMissingKeys(true)
	if err := path.Parse("{" + e.path + "}"); err != nil {
		t.Fatalf("%s: %v", e.path, err)
	}
	var text bytes.Buffer
	if err := path.Execute(&text, object.Object); err != nil {
		t.Fatalf("%s of %s: %v", e.path, e.object, err)
	}
	return text.String()
}

// TestValuesAreDescribed compares the schema's descriptions with the comments in values.yaml.
func TestValuesAreDescribed(t *testing.T) {
	content, err := os.ReadFile("values.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema schemaProperty
	if err := json.Unmarshal(content, &schema); err != nil {
		t.Fatal(err)
	}
	for path, want := range readDescriptions(t) {
		p := &schema
		for _, key := range strings.Split(path, ".") {
			if p != nil {
				p = p.Properties[key]
			}
		}
		switch {
		case p == nil:
			t.Errorf("%s is not in values.schema.json", path)
		case p.Description != want:
			t.Errorf("%s: values.schema.json says %q, values.yaml says %q", path, p.Description, want)
		}
	}
}

// schemaProperty is a property of a JSON schema.
type schemaProperty struct {
	Description string                     `json:"description"`
	Properties  map[string]*schemaProperty `json:"properties"`
}

// readDescriptions returns the comments of the values, by path. It requires a comment for each value or for a
// parent of it.
func readDescriptions(t *testing.T) map[string]string {
	t.Helper()
	content, err := os.ReadFile("values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	root, err := yaml.Parse(string(content))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	collectDescriptions(t, root.YNode(), nil, all)
	return all
}

func collectDescriptions(t *testing.T, node *yaml.Node, path []string, all map[string]string) {
	t.Helper()
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		here := append(slices.Clone(path), key.Value)
		if text := parseDescription(key.HeadComment); text != "" {
			all[strings.Join(here, ".")] = text
			continue
		}
		if value.Kind != yaml.MappingNode || len(value.Content) == 0 {
			t.Errorf("%s in values.yaml has no comment that begins with --", strings.Join(here, "."))
			continue
		}
		collectDescriptions(t, value, here, all)
	}
}

// parseDescription returns the part of a comment that helm-docs uses: from the last line on that begins with
// --.
func parseDescription(comment string) string {
	_, text, ok := strings.Cut("\n"+comment, "\n# -- ")
	if !ok {
		return ""
	}
	return strings.ReplaceAll(text, "\n# ", " ")
}
