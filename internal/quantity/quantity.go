// Package quantity refuses numbers that cannot be reckoned with. A quantity may be written as 1e20000000: it is read at once, but to compare
// it with another one takes as many digits as it has, a minute of the operator's time, or all of its memory.
package quantity

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Check all quantities in a value, such as a spec: none is further from 0 than 2⁶³, which is 8Ei. Every error names its field.
func Check(value any, path *field.Path) field.ErrorList { return check(reflect.ValueOf(value), path) }

func check(v reflect.Value, path *field.Path) field.ErrorList {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return check(v.Elem(), path)
		}
	case reflect.Slice, reflect.Array:
		return items(v, path)
	case reflect.Map:
		var problems field.ErrorList
		for _, key := range v.MapKeys() {
			problems = append(problems, check(v.MapIndex(key), path.Key(fmt.Sprint(key)))...)
		}
		return problems
	case reflect.Struct:
		if q, ok := v.Interface().(resource.Quantity); ok {
			return bounded(q, path)
		}
		return fields(v, path)
	}
	return nil
}

func bounded(q resource.Quantity, path *field.Path) field.ErrorList {
	// Not a number: 0 with a large exponent.
	if n := q.AsApproximateFloat64(); !(math.Abs(n) <= math.MaxInt64) {
		return field.ErrorList{field.Invalid(path, q.String(), "must be at most 8Ei")}
	}
	return nil
}

func items(v reflect.Value, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return nil
	}
	for i := range v.Len() {
		problems = append(problems, check(v.Index(i), path.Index(i))...)
	}
	return problems
}

func fields(v reflect.Value, path *field.Path) field.ErrorList {
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
		problems = append(problems, check(v.Field(i), below)...)
	}
	return problems
}
