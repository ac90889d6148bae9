package limits

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ValidateQuantities checks all quantities in a value, such as a spec. It returns an error with the field's
// path for each one whose absolute value exceeds 2⁶³, which is 8Ei. A quantity such as 1e20000000 parses at
// once, but comparing it expands all of its digits: that takes a minute of the operator's time, or all of its
// memory.
func ValidateQuantities(value any, path *field.Path) field.ErrorList {
	return validateValue(reflect.ValueOf(value), path)
}

func validateValue(v reflect.Value, path *field.Path) field.ErrorList {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return validateValue(v.Elem(), path)
		}
	case reflect.Slice, reflect.Array:
		return validateItems(v, path)
	case reflect.Map:
		var problems field.ErrorList
		for _, key := range v.MapKeys() {
			problems = append(problems, validateValue(v.MapIndex(key), path.Key(fmt.Sprint(key)))...)
		}
		return problems
	case reflect.Struct:
		if q, ok := v.Interface().(resource.Quantity); ok {
			return validateQuantity(q, path)
		}
		return validateFields(v, path)
	}
	return nil
}

func validateQuantity(q resource.Quantity, path *field.Path) field.ErrorList {
	// The negation also rejects NaN, which is 0 with a large exponent.
	if n := q.AsApproximateFloat64(); !(math.Abs(n) <= math.MaxInt64) {
		return field.ErrorList{field.Invalid(path, q.String(), "must be at most 8Ei")}
	}
	return nil
}

func validateItems(v reflect.Value, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return nil
	}
	for i := range v.Len() {
		problems = append(problems, validateValue(v.Index(i), path.Index(i))...)
	}
	return problems
}

func validateFields(v reflect.Value, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		below := path
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			below = path.Child(name)
		}
		problems = append(problems, validateValue(v.Field(i), below)...)
	}
	return problems
}
