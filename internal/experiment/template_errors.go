package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// explainTypeError replaces the Go type in an error of encoding/json with the value that the field accepts.
func explainTypeError(err error) error {
	var mistake *json.UnmarshalTypeError
	if !errors.As(err, &mistake) {
		return err
	}
	text := fmt.Sprintf("%s must be %s, not %s", mistake.Field, describeGoType(mistake.Type), describeJSONValue(mistake.Value))
	if renamed := v1alpha1.DescribeRenamedField(mistake.Field); renamed != "" {
		text += ": " + renamed
	}
	return errors.New(text)
}

// explainUnknownFields adds the present names of renamed fields to an error about unknown fields.
func explainUnknownFields(err error) error {
	if renamed := v1alpha1.DescribeRenamedFields(err.Error()); renamed != "" {
		return fmt.Errorf("%w: %s", err, renamed)
	}
	return err
}

// describeGoType describes a Go type to the author of a manifest.
func describeGoType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text in quotes"
	case reflect.Slice:
		return "a list"
	case reflect.Pointer:
		return describeGoType(t.Elem())
	default:
		return "an object"
	}
}

// describeJSONValue describes the JSON value in an error. It returns numbers unchanged.
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

// findLostField returns the path of a number or text that the decoded type dropped: a zero in a field where
// zero means unset, so that the default would be measured instead. It returns an empty string if there is none.
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
