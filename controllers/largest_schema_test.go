package controllers_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

func crdSchema(t *testing.T, plural string) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	content, err := os.ReadFile("../config/crd/bases/benchnet.dev_" + plural + ".yaml")
	must(t, err)
	var crd apiextensionsv1.CustomResourceDefinition
	must(t, yaml.Unmarshal(content, &crd))
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema
}

// raiseToMaxima sets the numbers and lists of the value to the largest accepted ones, up to the maxima of the
// schema.
func (l *largestNetwork) raiseToMaxima(schema *apiextensionsv1.JSONSchemaProps, value map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(value)) {
		property := schema.Properties[name]
		switch current := value[name].(type) {
		case map[string]any:
			l.raiseToMaxima(&property, current)
		case int64:
			if property.Maximum != nil {
				l.searchMaximum(current, int64(*property.Maximum), func(n int64) { value[name] = n })
			}
		case float64:
			if property.Maximum != nil {
				l.searchMaximum(int64(current), int64(*property.Maximum), func(n int64) { value[name] = n })
			}
		case []any:
			if item, ok := current[0].(map[string]any); ok {
				l.raiseToMaxima(property.Items.Schema, item)
			}
			if property.MaxItems != nil {
				l.searchMaximum(1, *property.MaxItems, func(n int64) { value[name] = itemsLike(current[0], int(n), property.Items.Schema) })
			}
		}
	}
}

// searchMaximum sets the largest accepted value between low and high.
func (l *largestNetwork) searchMaximum(low, high int64, set func(int64)) {
	set(high)
	if _, err := l.dryRunCreate(); err == nil {
		return
	}
	for low+1 < high {
		middle := (low + high) / 2
		set(middle)
		if _, err := l.dryRunCreate(); err == nil {
			low = middle
		} else {
			high = middle
		}
	}
	// Some counts must be odd.
	for n := low + 7; n > low; n-- {
		set(n)
		if _, err := l.dryRunCreate(); err == nil {
			return
		}
	}
	set(low)
}

// itemsLike returns n items like the first that differ from each other in names, numbers, or texts of maximum
// length.
func itemsLike(first any, n int, schema *apiextensionsv1.JSONSchemaProps) []any {
	items := []any{first}
	for i := 1; i < n; i++ {
		switch item := first.(type) {
		case map[string]any:
			c := runtime.DeepCopyJSON(item)
			c["name"] = fmt.Sprintf("%s-%0*d", item["name"], 18, i)
			items = append(items, c)
		case string:
			text := fmt.Sprintf("%s%d", item, i)
			if schema.MaxLength != nil {
				text += strings.Repeat("x", int(*schema.MaxLength)-len(text))
			}
			items = append(items, text)
		default:
			items = append(items, int64(i))
		}
	}
	return items
}

// mergeInto merges the fields of a patch into a document.
func mergeInto(into, patch map[string]any) {
	for name, value := range patch {
		inner, isObject := value.(map[string]any)
		if below, ok := into[name].(map[string]any); ok && isObject {
			mergeInto(below, inner)
			continue
		}
		into[name] = value
	}
}
