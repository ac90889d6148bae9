package observe

import "testing"

// FuzzParseBlock parses arbitrary lines, as any validator could stream them.
func FuzzParseBlock(f *testing.F) {
	for _, line := range []string{"", "{}", `{"height":1,"timeMillis":1700000000000,"bytes":16384,"round":0}`, `{"height":-1}`, `{"height":1e300}`, "null", "[]"} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		b, err := parseBlock(line)
		if err == nil && (b.Height < 0 || b.TimeMillis <= 0 || b.Bytes < 0) {
			t.Errorf("%q was taken as %+v", line, b)
		}
	})
}
