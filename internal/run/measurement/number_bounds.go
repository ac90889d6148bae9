package measurement

import (
	"fmt"
	"math"
	"reflect"
)

// Bounds of the numbers that a worker may report. Reports come from pods that run foreign code. A number beyond
// these bounds is no measurement, and JSON could not hold sums and quotients of such numbers, so that the run's
// result could never be stored.
const (
	largestNumber  = 1e18
	smallestNumber = 1e-9
	largestCount   = int64(1e12)
	// largestLatencySum keeps the sums over 1000 workers within int64.
	largestLatencySum = int64(9e15)
)

// validateNumbers rejects a report with a number that cannot be a measurement.
func (w *WorkerResult) validateNumbers() error {
	for name, counts := range map[string][]int64{"completedPerSecond": w.CompletedPerSecond, "failedPerSecond": w.FailedPerSecond} {
		for i, n := range counts {
			if n < 0 || n > largestCount {
				return fmt.Errorf("%s[%d]: %d is not between 0 and %d", name, i, n, largestCount)
			}
		}
	}
	return validateNumbersIn(reflect.ValueOf(w).Elem(), "")
}

// validateNumbersIn checks every floating-point number in a value. path is the location of the value in error
// messages.
func validateNumbersIn(value reflect.Value, path string) error {
	switch value.Kind() {
	case reflect.Float64:
		x := math.Abs(value.Float())
		if x > largestNumber || x > 0 && x < smallestNumber {
			return fmt.Errorf("%s: %g is not a measurement: it must be 0 or between %g and %g", path, value.Float(), smallestNumber, largestNumber)
		}
	case reflect.Pointer:
		if !value.IsNil() {
			return validateNumbersIn(value.Elem(), path)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if err := validateNumbersIn(value.Field(i), path+"."+value.Type().Field(i).Name); err != nil {
				return err
			}
		}
	case reflect.Slice:
		if kind := value.Type().Elem().Kind(); kind == reflect.Int64 || kind == reflect.Uint8 {
			return nil
		}
		for i := range value.Len() {
			if err := validateNumbersIn(value.Index(i), path); err != nil {
				return fmt.Errorf("number %d of %w", i, err)
			}
		}
	}
	return nil
}
