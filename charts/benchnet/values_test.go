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

// effect is what setting a value does to one object of the release "benchnet" in the namespace "benchnet-system".
type effect struct {
	// given are other values without which the value means nothing, and set the value itself; both YAML.
	given, set string
	// object by kind and name.
	object string
	// path is a JSONPath in it, and want what stands there once the value is set. Without a path the object appears or vanishes.
	path, want string
}

// TestEveryValueChangesSomething goes through values.yaml. A value that is new needs an effect.
func TestEveryValueChangesSomething(t *testing.T) {
	described := descriptions(t)
	for path := range described {
		e, ok := effects[path]
		if !ok {
			t.Errorf("%s: no test says what it changes; add it to effects", path)
			continue
		}
		t.Run(path, func(t *testing.T) {
			if path != "crds.install" {
				e.given += "\ncrds: {install: false}" // They are large, and take their time.
			}
			before := helm(t, "benchnet", "benchnet-system", parse(t, e.given))
			after := helm(t, "benchnet", "benchnet-system", parse(t, e.given+"\n"+e.set))
			if e.path == "" {
				if (before[e.object] == nil) == (after[e.object] == nil) {
					t.Errorf("%s should make %s appear or vanish", e.set, e.object)
				}
				return
			}
			if got := find(t, before, e); got == e.want {
				t.Errorf("%s of %s is %q before %s is set", e.path, e.object, got, path)
			}
			if got := find(t, after, e); got != e.want {
				t.Errorf("%s of %s is %q, want %q", e.path, e.object, got, e.want)
			}
		})
	}
	for path := range effects {
		if described[path] == "" {
			t.Errorf("%s has an effect, but is no value", path)
		}
	}
}

// find is the text that an effect's path leads to, empty where it leads nowhere.
func find(t *testing.T, all objects, e effect) string {
	t.Helper()
	object := all[e.object]
	if object == nil {
		t.Fatalf("there is no %s, but %v", e.object, all.names())
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

// TestValuesAreDescribed holds the schema's descriptions equal to the comments in values.yaml.
func TestValuesAreDescribed(t *testing.T) {
	content, err := os.ReadFile("values.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema property
	if err := json.Unmarshal(content, &schema); err != nil {
		t.Fatal(err)
	}
	for path, want := range descriptions(t) {
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

// property of a JSON schema.
type property struct {
	Description string               `json:"description"`
	Properties  map[string]*property `json:"properties"`
}

// descriptions are the comments of the values, by path. Each value has one, or lies in one that has.
func descriptions(t *testing.T) map[string]string {
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
	describe(t, root.YNode(), nil, all)
	return all
}

func describe(t *testing.T, node *yaml.Node, path []string, all map[string]string) {
	t.Helper()
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		here := append(slices.Clone(path), key.Value)
		if text := description(key.HeadComment); text != "" {
			all[strings.Join(here, ".")] = text
			continue
		}
		if value.Kind != yaml.MappingNode || len(value.Content) == 0 {
			t.Errorf("%s in values.yaml has no comment that begins with --", strings.Join(here, "."))
			continue
		}
		describe(t, value, here, all)
	}
}

// description is what helm-docs takes of a comment: from the last line on that begins with --.
func description(comment string) string {
	_, text, ok := strings.Cut("\n"+comment, "\n# -- ")
	if !ok {
		return ""
	}
	return strings.ReplaceAll(text, "\n# ", " ")
}
