package docs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// definitionsDir has the definitions of the API's kinds.
const definitionsDir = "../config/crd/bases"

// node is a schema with the schemas below it.
type node = apiextensionsv1.JSONSchemaProps

// definitions returns the schemas of the API's kinds, by kind.
var definitions = sync.OnceValues(func() (map[string]*node, error) {
	files, err := filepath.Glob(definitionsDir + "/*.yaml")
	if err != nil {
		return nil, err
	}
	kinds := map[string]*node{}
	for _, file := range files {
		var crd apiextensionsv1.CustomResourceDefinition
		if err := decodeFile(file, &crd); err != nil {
			return nil, err
		}
		kinds[crd.Spec.Names.Kind] = crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	}
	return kinds, nil
})

// chartValues returns the schema of the chart's values.
var chartValues = sync.OnceValues(func() (*node, error) {
	var draft7 map[string]any
	if err := decodeFile("../charts/benchnet/values.schema.json", &draft7); err != nil {
		return nil, err
	}
	dropTypeLists(draft7)
	text, err := json.Marshal(draft7)
	if err != nil {
		return nil, err
	}
	var schema node
	return &schema, json.Unmarshal(text, &schema)
})

// dropTypeLists removes types such as ["string", "null"], which the schemas of Kubernetes do not have.
func dropTypeLists(schema map[string]any) {
	for key, value := range schema {
		switch v := value.(type) {
		case map[string]any:
			dropTypeLists(v)
		case []any:
			if key == "type" {
				delete(schema, key)
			}
		}
	}
}

func kindSchemas(t *testing.T) map[string]*node {
	t.Helper()
	all, err := definitions()
	if err != nil || len(all) != 3 {
		t.Fatalf("%d definitions: %v", len(all), err)
	}
	return all
}

func chartSchema(t *testing.T) *node {
	t.Helper()
	schema, err := chartValues()
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func decodeFile(file string, into any) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return yaml.Unmarshal(content, into)
}

// segment of a path: a name, and how many lists or maps it is indexed into.
var segment = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9]*)((?:\[[A-Za-z0-9]*\])*)$`)

// resolvePath returns the schema at a path below a schema, or nil. The index of a list may be left out at the end.
func resolvePath(schema *node, path string) *node {
	for part := range strings.SplitSeq(path, ".") {
		match := segment.FindStringSubmatch(part)
		if schema == nil || match == nil {
			return nil
		}
		if schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields {
			return schema
		}
		schema = schemaOfField(schema, match[1])
		for range strings.Count(match[2], "[") {
			if schema == nil || schema.Items == nil {
				return nil
			}
			schema = schema.Items.Schema
		}
	}
	return schema
}

// schemaOfField returns the schema of a field, or nil.
func schemaOfField(schema *node, name string) *node {
	if field, ok := schema.Properties[name]; ok {
		return &field
	}
	if schema.AdditionalProperties != nil {
		if schema.AdditionalProperties.Schema != nil {
			return schema.AdditionalProperties.Schema
		}
		if schema.AdditionalProperties.Allows {
			return schema
		}
	}
	if len(schema.Properties) == 0 && schema.Type == "object" && schema.AdditionalProperties == nil {
		return schema // Free-form.
	}
	return nil
}

// visitSchemas calls visit with every schema at and below one.
func visitSchemas(schema *node, visit func(*node)) {
	visit(schema)
	for name := range schema.Properties {
		field := schema.Properties[name]
		visitSchemas(&field, visit)
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		visitSchemas(schema.Items.Schema, visit)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		visitSchemas(schema.AdditionalProperties.Schema, visit)
	}
}

// objectsOf returns every schema of an object with fields in the kinds.
func objectsOf(kinds map[string]*node) []*node {
	var all []*node
	for _, schema := range kinds {
		visitSchemas(schema, func(n *node) {
			if len(n.Properties) > 0 {
				all = append(all, n)
			}
		})
	}
	return all
}

// resolveAnywhere returns the schemas at a path below any object of the kinds.
func resolveAnywhere(objects []*node, path string) []*node {
	first := segment.FindStringSubmatch(strings.SplitN(path, ".", 2)[0])
	var found []*node
	for _, schema := range objects {
		if first == nil {
			break
		}
		if _, ok := schema.Properties[first[1]]; !ok {
			continue
		}
		if at := resolvePath(schema, path); at != nil {
			found = append(found, at)
		}
	}
	return found
}

// unknownFields returns the paths of fields that the schema lacks, and of fields with a value that it does not allow.
func unknownFields(schema *node, value any, path string) []string {
	var unknown []string
	switch v := value.(type) {
	case map[string]any:
		if schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields {
			return nil
		}
		for name, inner := range v {
			at := strings.TrimPrefix(path+"."+name, ".")
			field := schemaOfField(schema, name)
			if field == nil {
				unknown = append(unknown, at)
				continue
			}
			unknown = append(unknown, unknownFields(field, inner, at)...)
		}
	case []any:
		if schema.Items == nil || schema.Items.Schema == nil {
			return []string{path + "[]"}
		}
		for _, inner := range v {
			unknown = append(unknown, unknownFields(schema.Items.Schema, inner, path+"[]")...)
		}
	default:
		isValue := func(allowed apiextensionsv1.JSON) bool {
			text, err := json.Marshal(value)
			return err == nil && string(allowed.Raw) == string(text)
		}
		if len(schema.Enum) > 0 && !slices.ContainsFunc(schema.Enum, isValue) {
			return []string{fmt.Sprintf("%s: %v", path, value)}
		}
	}
	return unknown
}

// defaultOf returns the default of a schema as text, or "" where it has none.
func defaultOf(schema *node) string {
	if schema.Default == nil {
		return ""
	}
	var text string
	if json.Unmarshal(schema.Default.Raw, &text) == nil {
		return text
	}
	return string(schema.Default.Raw)
}
