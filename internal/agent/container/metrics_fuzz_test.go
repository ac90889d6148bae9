package container

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"testing"
)

// FuzzReadMetrics parses arbitrary answers of a member's endpoint: only requested metrics are returned, and one more
// line counts.
func FuzzReadMetrics(f *testing.F) {
	for _, text := range []string{
		"", "a 1\n", "# HELP a\n# TYPE a counter\na{b=\"c\",d=\"}\"} 1.5 1700000000\n", "a NaN\na +Inf\n", "a{b=\"\\\"} 1\n", "a{", "a", "a{} ", "a_sum 1e999\n",
	} {
		f.Add(text, "a", `a{b="c"}`)
	}
	f.Fuzz(func(t *testing.T, text, first, second string) {
		values, err := ReadMetrics(strings.NewReader(text), first, second)
		if err != nil {
			return
		}
		for name := range values {
			if name != first && name != second {
				t.Errorf("%q was not asked for", name)
			}
		}
		if !plainName.MatchString(first) {
			return
		}
		more, err := ReadMetrics(strings.NewReader(text+"\n"+first+" 1\n"), first)
		if want := values[first] + 1; err != nil || more[first] != want && !math.IsNaN(want) {
			t.Errorf("%q is %v, and with one more %v, %v", first, values[first], more[first], err)
		}
	})
}

// plainName matches names without labels.
var plainName = regexp.MustCompile(`^[a-zA-Z_]+$`)

// FuzzWriteMetrics writes a metric and reads it back.
func FuzzWriteMetrics(f *testing.F) {
	for _, value := range []float64{0, -1, 1e-300, math.MaxFloat64, math.Inf(-1), math.NaN()} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value float64) {
		var text bytes.Buffer
		if err := WriteMetrics(&text, Metric{Name: "before", Kind: Gauge, Value: 1}, Metric{Name: "a_total", Kind: Counter, Help: "a_total 5", Value: value}); err != nil {
			t.Fatal(err)
		}
		read, err := ReadMetrics(&text, "a_total")
		if got := read["a_total"]; err != nil || got != value && !(math.IsNaN(got) && math.IsNaN(value)) {
			t.Errorf("%v became %v: %v", value, got, err)
		}
	})
}
