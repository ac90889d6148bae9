// Package crd_test checks the generated CRDs against the API conventions of Kubernetes.
package crd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"
)

// allowedBooleans are the fields that will only ever be true or false. Any other field may need a third value
// later.
var allowedBooleans = map[string]bool{
	"spec.pauseRuns": true, "spec.cancelled": true,
}

func readCRDs(t *testing.T) map[string]apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	files, err := filepath.Glob("bases/*.yaml")
	if err != nil || len(files) != 3 {
		t.Fatalf("CRDs are %v (%v), want three", files, err)
	}
	all := map[string]apiextensionsv1.CustomResourceDefinition{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(content, &crd); err != nil {
			t.Fatalf("decode %s: %v", file, err)
		}
		all[crd.Spec.Names.Kind] = crd
	}
	return all
}

// walkFields calls check for every field of the project's types below the schema. Embedded Kubernetes types
// follow their own rules.
func walkFields(schema apiextensionsv1.JSONSchemaProps, path string, check func(path string, field apiextensionsv1.JSONSchemaProps)) {
	for name, field := range schema.Properties {
		below := path + "." + name
		check(below, field)
		if name == "conditions" {
			continue
		}
		walkFields(field, below, check)
		if field.Items != nil && field.Items.Schema != nil {
			walkFields(*field.Items.Schema, below+"[]", check)
		}
	}
}

func testEachField(t *testing.T, check func(t *testing.T, path string, field apiextensionsv1.JSONSchemaProps)) {
	t.Helper()
	for kind, crd := range readCRDs(t) {
		for _, version := range crd.Spec.Versions {
			for _, part := range []string{"spec", "status"} {
				schema, ok := version.Schema.OpenAPIV3Schema.Properties[part]
				if !ok {
					t.Fatalf("%s has no %s", kind, part)
				}
				walkFields(schema, part, func(path string, field apiextensionsv1.JSONSchemaProps) {
					t.Run(kind+" "+path, func(t *testing.T) { check(t, path, field) })
				})
			}
		}
	}
}

func TestFields(t *testing.T) {
	testEachField(t, func(t *testing.T, path string, field apiextensionsv1.JSONSchemaProps) {
		inSpec := path[:4] == "spec"
		if field.Description == "" {
			t.Error("it has no description")
		}
		if field.Type == "boolean" && !allowedBooleans[strings.Replace(path, "spec.template.network.", "spec.", 1)] {
			t.Error("it is a boolean: an enum can be extended")
		}
		if field.Type == "number" {
			t.Error("it is a floating point number: use a quantity or an integer with a unit")
		}
		if field.Type == "array" && (field.MaxItems == nil || field.XListType == nil) {
			t.Error("it is a list without maxItems or listType: CEL cannot bound its cost, server-side apply cannot merge it")
		}
		if inSpec && field.Type == "string" && field.MaxLength == nil && field.Enum == nil && field.Pattern == "" && field.Format == "" {
			t.Error("it is a string without bounds")
		}
		if inSpec && field.Type == "integer" && field.Minimum == nil {
			t.Error("it is a number without a minimum")
		}
	})
}

// TestQuantitiesCanBeDecoded checks that the pattern of quantities matches what the operator can decode.
func TestQuantitiesCanBeDecoded(t *testing.T) {
	patterns := map[string]bool{}
	testEachField(t, func(_ *testing.T, _ string, field apiextensionsv1.JSONSchemaProps) {
		if field.XIntOrString && field.Pattern != "" {
			patterns[field.Pattern] = true
		}
	})
	if len(patterns) != 1 {
		t.Fatalf("patterns of quantities are %v, want one", patterns)
	}
	for pattern := range patterns {
		for _, text := range strings.Split("7,+7,-7,1.5,1.,.5,500m,4Gi,1e3,1E-3,.5e+3,,--7,1e1.5,1.5.5,4GiB,4 Gi,0x7", ",") {
			t.Run(text, func(t *testing.T) {
				_, err := resource.ParseQuantity(text)
				if matches := regexp.MustCompile(pattern).MatchString(text); matches != (err == nil) {
					t.Errorf("the pattern matches: %t, but decoding returns %v", matches, err)
				}
			})
		}
	}
}

// TestDefinitionsStaySmall checks the size of each CRD as compact JSON, and the number of its rules. kubectl apply stores the JSON in
// an annotation, and all annotations of an object have at most 256 KiB; the limits leave room for more platforms, loads and faults.
func TestDefinitionsStaySmall(t *testing.T) {
	const maxBytes, maxRules = 182_000, 139
	for kind, crd := range readCRDs(t) {
		content, err := json.Marshal(crd)
		if err != nil {
			t.Fatal(err)
		}
		rules := strings.Count(string(content), `"rule":`)
		t.Logf("%s has %d bytes and %d rules", kind, len(content), rules)
		if len(content) > maxBytes || rules > maxRules {
			t.Errorf("%s has %d bytes and %d rules, want at most %d and %d", kind, len(content), rules, maxBytes, maxRules)
		}
	}
}

// TestDefaultsAgree checks that the fields in the default of an object have their own defaults.
func TestDefaultsAgree(t *testing.T) {
	testEachField(t, func(t *testing.T, _ string, field apiextensionsv1.JSONSchemaProps) {
		if field.Type != "object" || field.Default == nil {
			return
		}
		var defaults map[string]json.RawMessage
		if err := json.Unmarshal(field.Default.Raw, &defaults); err != nil {
			t.Fatal(err)
		}
		for name, value := range defaults {
			if own := field.Properties[name].Default; own == nil || string(own.Raw) != string(value) {
				t.Errorf("%s is %s in the default of the object, but its own default is %v", name, value, own)
			}
		}
	})
}

// TestStatusBeforeFirstReconcile checks that kstatus does not treat a resource as finished before its first
// reconcile.
func TestStatusBeforeFirstReconcile(t *testing.T) {
	for kind, crd := range readCRDs(t) {
		status := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"]
		if status.Default == nil || string(status.Default.Raw) != `{"observedGeneration":-1}` {
			t.Errorf("the status of %s should default to observedGeneration -1, but to %v", kind, status.Default)
		}
		if crd.Spec.Versions[0].Subresources == nil || crd.Spec.Versions[0].Subresources.Status == nil {
			t.Errorf("%s has no status subresource", kind)
		}
	}
}

// TestStatusListsHoldAllMembers checks that the status lists can hold all members of the largest network, with
// replicas of a notary and databases.
func TestStatusListsHoldAllMembers(t *testing.T) {
	network := readCRDs(t)["BenchmarkNetwork"].Spec.Versions[0].Schema.OpenAPIV3Schema
	most := *network.Properties["spec"].Properties["members"].Properties["count"].Maximum
	for _, list := range []string{"members", "databases"} {
		if room := *network.Properties["status"].Properties[list].MaxItems; float64(room) < most+8 {
			t.Errorf("status.%s has room for %d, but there may be %v members and 8 replicas of a notary", list, room, most)
		}
	}
}

// TestEveryFieldIsImmutable checks that the rules that compare the parts of a network's members and database with the old ones name
// every part, and that they compare quantities by value.
func TestEveryFieldIsImmutable(t *testing.T) {
	spec := readCRDs(t)["BenchmarkNetwork"].Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	var rules strings.Builder
	for _, rule := range spec.XValidations {
		rules.WriteString(rule.Rule + "\n")
	}
	for _, parent := range []string{"members", "members.storage", "database", "database.managed", "database.managed.storage"} {
		schema := spec
		for name := range strings.SplitSeq(parent, ".") {
			schema = schema.Properties[name]
		}
		for name, property := range schema.Properties {
			path := parent + "." + name
			want := "self." + path + " == oldSelf." + path
			if property.XIntOrString {
				want = "quantity(string(self." + path + ")).asApproximateFloat() == quantity(string(oldSelf." + path + ")).asApproximateFloat()"
			}
			if name != "storage" && name != "managed" && !strings.Contains(rules.String(), want) {
				t.Errorf("no rule of spec has %s", want)
			}
		}
	}
}
