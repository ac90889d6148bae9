package experiment

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzDecode reads results of experiments as any file could be one: what is read is written and read again the same.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"apiVersion":"benchnet.dev/v1alpha1","kind":"ExperimentResult","schemaVersion":1}`,
		`{"apiVersion":"benchnet.dev/v1alpha1","kind":"ExperimentResult","schemaVersion":1,"points":[{"name":"p01","parameters":[{"name":"a","value":"b"}]}],"runs":[{"name":"r","metrics":{"Throughput":1e308}}]}`,
		"\x1f\x8b",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Decode(text)
		if err != nil {
			return
		}
		first, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("read, but not written: %v", err)
		}
		again, err := Decode(first)
		if err != nil {
			t.Fatalf("written, but not read: %v", err)
		}
		if second, err := json.Marshal(again); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("it changed on the way: %v\n%s\n%s", err, first, second)
		}
	})
}
