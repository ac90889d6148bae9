package fuzz

import "testing"

func TestMutateDocumentReachesEveryValue(t *testing.T) {
	document := []byte(`{"a":[1,{"b":2}],"c":"d"}`)
	for place, want := range []string{`{"a":7,"c":"d"}`, `{"a":[7,{"b":2}],"c":"d"}`, `{"a":[1,7],"c":"d"}`, `{"a":[1,{"b":7}],"c":"d"}`, `{"a":[1,{"b":2}],"c":7}`} {
		for _, again := range []int{0, 5} {
			if got, err := MutateDocument(document, place+again, "7"); err != nil || string(got) != want {
				t.Errorf("place %d: %s, %v, want %s", place+again, got, err, want)
			}
		}
	}
}
