package exposition

import (
	"strings"
	"testing"
)

// FuzzRead takes in what an endpoint of a member could answer, whatever runs in it.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"", "a 1\n", "# HELP a\n# TYPE a counter\na{b=\"c\",d=\"}\"} 1.5 1700000000\n", "a NaN\na +Inf\n", "a{b=\"\\\"} 1\n", "a{", "a", "a{} ", "a_sum 1e999\n",
	} {
		f.Add(text, "a", `a{b="c"}`)
	}
	f.Fuzz(func(t *testing.T, text, first, second string) {
		values, err := Read(strings.NewReader(text), first, second)
		if err != nil {
			return
		}
		for name := range values {
			if name != first && name != second {
				t.Errorf("%q was not asked for", name)
			}
		}
	})
}
