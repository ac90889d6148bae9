package kinds

import (
	"math/bits"
	"reflect"
	"time"
)

// Size estimates the memory in bytes that a value refers to, without what it shares with others.
func Size(value any) int { return referredBytes(reflect.ValueOf(value)) }

var timeType = reflect.TypeFor[time.Time]()

func referredBytes(v reflect.Value) int {
	switch v.Kind() {
	case reflect.String:
		return allocatedBytes(v.Len())
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return 0
		}
		return allocatedBytes(int(v.Elem().Type().Size())) + referredBytes(v.Elem())
	case reflect.Struct:
		if v.Type() == timeType { // All times refer to the same few locations.
			return 0
		}
		total := 0
		for i := range v.NumField() {
			total += referredBytes(v.Field(i))
		}
		return total
	case reflect.Slice, reflect.Array:
		return sequenceBytes(v)
	case reflect.Map:
		total := 2 * v.Len() * int(v.Type().Key().Size()+v.Type().Elem().Size()) // Up to half of a map's slots are empty.
		for entries := v.MapRange(); entries.Next(); {
			total += referredBytes(entries.Key()) + referredBytes(entries.Value())
		}
		return total
	}
	return 0
}

// allocatedBytes returns what an allocation of so many bytes takes: up to an eighth more, as the size classes of Go's allocator.
func allocatedBytes(size int) int {
	step := max(16, 1<<bits.Len(uint(size))>>4)
	return (size + step - 1) / step * step
}

// sequenceBytes returns the size of the items of a slice, and of what the items of a slice or an array refer to.
func sequenceBytes(v reflect.Value) int {
	total := 0
	if v.Kind() == reflect.Slice {
		total = allocatedBytes(v.Len() * int(v.Type().Elem().Size()))
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return total
	}
	for i := range v.Len() {
		total += referredBytes(v.Index(i))
	}
	return total
}
