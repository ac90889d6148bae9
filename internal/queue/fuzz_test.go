package queue

import (
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzParsePools takes in the flag of the pools: those that are accepted are written and read again the same, and limit something.
func FuzzParsePools(f *testing.F) {
	for _, text := range []string{
		"", "[]", "null", `[{"name": "metal", "nodeSelector": {"pool": "metal"}, "maxNetworks": 1}]`, `[{"name": "a"}, {"name": "a"}]`, `[] []`,
		`[{"name": "metal", "nodeSelector": {"": ""}, "maxNetworks": 1e9}]x`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pools, err := ParsePools(text)
		if err != nil || text == "" {
			return
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("%q was accepted, which is no JSON", text)
		}
		for _, p := range pools {
			if p.MaxNetworks < 1 || len(p.NodeSelector) == 0 {
				t.Errorf("%q has the pool %+v", text, p)
			}
		}
		written, err := json.Marshal(pools)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := ParsePools(string(written)); err != nil || !reflect.DeepEqual(pools, again) {
			t.Errorf("%q became %+v: %v", text, again, err)
		}
	})
}
