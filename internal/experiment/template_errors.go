package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// explainTypeError says what a field takes where JSON's own error would speak of types of Go.
func explainTypeError(err error) error {
	var mistake *json.UnmarshalTypeError
	if !errors.As(err, &mistake) {
		return err
	}
	return fmt.Errorf("%s must be %s, not %s", mistake.Field, describeGoType(mistake.Type), describeJSONValue(mistake.Value))
}

// describeGoType is what a type of Go is to the author of a manifest.
func describeGoType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "a list"
	case reflect.Pointer:
		return describeGoType(t.Elem())
	default:
		return "an object"
	}
}

// describeJSONValue is JSON's word for a value, or with a number the number itself.
func describeJSONValue(value string) string {
	switch value {
	case "string":
		return "text"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	case "number":
		return "a number"
	}
	return value
}

// findLostField names a number or text of a document that its type did not keep: a zero where zero stands for unset, and the default
// would be measured instead. Empty if there is none.
func findLostField(given, kept any, path string) string {
	switch v := given.(type) {
	case map[string]any:
		below, _ := kept.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if found := findLostField(v[name], below[name], strings.TrimPrefix(path+"."+name, ".")); found != "" {
				return found
			}
		}
	case []any:
		below, _ := kept.([]any)
		for i := range v {
			if i < len(below) {
				if found := findLostField(v[i], below[i], fmt.Sprintf("%s[%d]", path, i)); found != "" {
					return found
				}
			}
		}
	case bool:
	default:
		if given != nil && given != "" && kept == nil {
			return path
		}
	}
	return ""
}
