// Package fuzz puts values at places of documents: fuzz tests take what is valid, and change it as a user, a member, or somebody
// who wants to harm could. Tests alone need it.
package fuzz

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/yaml"
)

// HostileValues are values that anybody could put anywhere, as YAML.
var HostileValues = []string{
	"", "0", "-1", "1e400", "9223372036854775808", "null", "[]", "{}", "[null]", "{a: {b: c}}", "true", "1Ei", "1e20000000", "1h", "-1s", "../../etc/passwd",
	`"a\nb: c"`, `"$(id)"`, `"'; DROP TABLE x; --"`, `"\" } include \"/etc/passwd\""`, `"${jndi:ldap://x}"`, `"{{ .Values }}"`, `"\u0000"`, "member-0", "notary",
}

// MutateDocument is a copy of the document, which is JSON, with the value, YAML or else a text, at one of its places: a number that is taken
// modulo how many there are. It fails for a value that JSON cannot hold.
func MutateDocument(document []byte, place int, value string) ([]byte, error) {
	var parsed, copied any
	if yaml.Unmarshal([]byte(value), &parsed) != nil {
		parsed = value
	}
	if err := json.Unmarshal(document, &copied); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	if count := countAndReplace(copied, -1, nil); count > 0 {
		countAndReplace(copied, place%count, parsed)
	}
	changed, err := json.Marshal(copied)
	if err != nil {
		return nil, fmt.Errorf("write the document with %q: %w", value, err)
	}
	return changed, nil
}

// countAndReplace counts all fields and items below a value, and sets the one of that number, counted from 0, on the way.
func countAndReplace(value any, number int, to any) int {
	count := 0
	visit := func(child any, set func(any)) {
		if count == number {
			set(to)
		}
		count++
		count += countAndReplace(child, number-count, to)
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			visit(v[key], func(x any) { v[key] = x })
		}
	case []any:
		for i := range v {
			visit(v[i], func(x any) { v[i] = x })
		}
	}
	return count
}
