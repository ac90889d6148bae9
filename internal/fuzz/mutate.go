// Package fuzz changes valid documents for fuzz tests, as a user, a member or an attacker could. Only tests use
// it.
package fuzz

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/yaml"
)

// HostileValues are YAML values that a user could put anywhere.
var HostileValues = []string{
	"", "0", "-1", "1e400", "9223372036854775808", "null", "[]", "{}", "[null]", "{a: {b: c}}", "true", "1Ei", "1e20000000", "1h", "-1s", "../../etc/passwd",
	`"a\nb: c"`, `"$(id)"`, `"'; DROP TABLE x; --"`, `"\" } include \"/etc/passwd\""`, `"${jndi:ldap://x}"`, `"{{ .Values }}"`, `"\u0000"`, "member-0", "notary",
}

// MutateDocument returns a copy of a JSON document with one field or item replaced. The place is taken modulo
// the number of fields and items. The value is YAML, or else plain text. It fails for a value that JSON cannot
// hold.
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

// countAndReplace counts all fields and items below a value and replaces the one with the given number, counted
// from 0.
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
