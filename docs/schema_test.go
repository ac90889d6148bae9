package docs_test

import (
	"encoding/json"
	"fmt"
	"maps"
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

// crdDir is the directory of the CRDs.
const crdDir = "../config/crd/bases"

// schemaNode is a schema with the schemas below it.
type schemaNode = apiextensionsv1.JSONSchemaProps

// loadDefinitions returns the schemas of the API's kinds, by kind.
var loadDefinitions = sync.OnceValues(func() (map[string]*schemaNode, error) {
	files, err := filepath.Glob(crdDir + "/*.yaml")
	if err != nil {
		return nil, err
	}
	kinds := map[string]*schemaNode{}
	for _, file := range files {
		var crd apiextensionsv1.CustomResourceDefinition
		if err := decodeFile(file, &crd); err != nil {
			return nil, err
		}
		kinds[crd.Spec.Names.Kind] = crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	}
	return kinds, nil
})

// loadChartSchema returns the schema of the chart's values.
var loadChartSchema = sync.OnceValues(func() (*schemaNode, error) {
	var draft7 map[string]any
	if err := decodeFile("../charts/benchnet/values.schema.json", &draft7); err != nil {
		return nil, err
	}
	definitions, _ := draft7["definitions"].(map[string]any)
	inlineDefinitions(draft7, definitions)
	dropTypeLists(draft7)
	text, err := json.Marshal(draft7)
	if err != nil {
		return nil, err
	}
	var schema schemaNode
	return &schema, json.Unmarshal(text, &schema)
})

// inlineDefinitions replaces references by the fields of their definitions, which Kubernetes schemas do not support.
func inlineDefinitions(schema, definitions map[string]any) {
	if reference, ok := schema["$ref"].(string); ok {
		delete(schema, "$ref")
		definition, _ := definitions[strings.TrimPrefix(reference, "#/definitions/")].(map[string]any)
		maps.Copy(schema, definition)
	}
	for _, value := range schema {
		if inner, ok := value.(map[string]any); ok {
			inlineDefinitions(inner, definitions)
		}
	}
}

// dropTypeLists removes types such as ["string", "null"], which Kubernetes schemas do not support.
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

func kindSchemas(t *testing.T) map[string]*schemaNode {
	t.Helper()
	all, err := loadDefinitions()
	if err != nil || len(all) != 3 {
		t.Fatalf("%d definitions: %v", len(all), err)
	}
	return all
}

func chartSchema(t *testing.T) *schemaNode {
	t.Helper()
	schema, err := loadChartSchema()
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

// pathSegment matches a segment of a path: a name and its indexes into lists or maps.
var pathSegment = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9]*)((?:\[[A-Za-z0-9]*\])*)$`)

// resolvePath returns the schema at a path below a schema, or nil. The index of a list may be omitted at the
// end.
func resolvePath(schema *schemaNode, path string) *schemaNode {
	for part := range strings.SplitSeq(path, ".") {
		match := pathSegment.FindStringSubmatch(part)
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
func schemaOfField(schema *schemaNode, name string) *schemaNode {
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
		return schema // It has no fixed fields.
	}
	return nil
}

// visitSchemas calls visit with the schema and every schema below it.
func visitSchemas(schema *schemaNode, visit func(*schemaNode)) {
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

// objectSchemas returns every object schema with fields in the kinds.
func objectSchemas(kinds map[string]*schemaNode) []*schemaNode {
	var all []*schemaNode
	for _, schema := range kinds {
		visitSchemas(schema, func(n *schemaNode) {
			if len(n.Properties) > 0 {
				all = append(all, n)
			}
		})
	}
	return all
}

// resolveAnywhere returns the schemas at a path below any object of the kinds.
func resolveAnywhere(objects []*schemaNode, path string) []*schemaNode {
	first := pathSegment.FindStringSubmatch(strings.SplitN(path, ".", 2)[0])
	var found []*schemaNode
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

// unknownFields returns the paths of fields that the schema lacks, and of fields with a value that it does not
// allow.
func unknownFields(schema *schemaNode, value any, path string) []string {
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

// defaultText returns the default of a schema as text, or "" without a default.
func defaultText(schema *schemaNode) string {
	if schema.Default == nil {
		return ""
	}
	var text string
	if json.Unmarshal(schema.Default.Raw, &text) == nil {
		return text
	}
	return string(schema.Default.Raw)
}
