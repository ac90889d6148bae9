package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// readable says what a field takes where JSON's own error would speak of types of Go.
func readable(err error) error {
	var mistake *json.UnmarshalTypeError
	if !errors.As(err, &mistake) {
		return err
	}
	return fmt.Errorf("%s must be %s, not %s", mistake.Field, taken(mistake.Type), given(mistake.Value))
}

// taken is what a type of Go is to the author of a manifest.
func taken(t reflect.Type) string {
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
		return taken(t.Elem())
	default:
		return "an object"
	}
}

// given is JSON's word for a value, or with a number the number itself.
func given(value string) string {
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
