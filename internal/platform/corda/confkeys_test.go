package corda

import (
	"os"
	"strings"
	"testing"
)

// TestTunableKeysAreDocumented checks that docs/corda.md, which refusals name, has every key.
func TestTunableKeysAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/corda.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range tunableKeys {
		short := "." + key[strings.LastIndex(key, ".")+1:]
		if !strings.Contains(string(page), key) && (short == "." || !strings.Contains(string(page), short)) {
			t.Errorf("docs/corda.md has no %s", key)
		}
	}
}
