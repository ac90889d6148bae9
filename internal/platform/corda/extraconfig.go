package corda

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// Syntax of extraConfig. It is narrower than HOCON, so that a value cannot define further keys or substitute others.
var (
	extraKeyPattern   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$`)
	plainValuePattern = regexp.MustCompile(`^[A-Za-z0-9_.-][A-Za-z0-9_. -]*$`)
)

// validateExtraEntry rejects a key that does not tune a node or that the node does not accept, and a value that is not a
// single HOCON value.
func validateExtraEntry(spec *v1alpha1.BenchmarkNetworkSpec, key, value string, path *field.Path) field.ErrorList {
	if !extraKeyPattern.MatchString(key) {
		return field.ErrorList{field.Invalid(path, key, "must be a dotted key of node.conf without quotes, such as flowTimeout.timeout")}
	}
	if err := validateExtraKey(spec, key, path); err != nil {
		return field.ErrorList{err}
	}
	errs := validateKeyVersion(spec, key, path)
	if !isScalar(value) {
		errs = append(errs, field.Invalid(path, value,
			`must be one HOCON value on one line: a number, true, a word or duration (30 seconds), a "string", `+
				`or a [list] of these as JSON, without ${substitutions}; give an object as dotted keys`))
	}
	return errs
}

func validateExtraKey(spec *v1alpha1.BenchmarkNetworkSpec, key string, path *field.Path) *field.Error {
	if !isEnterprise(spec) && slices.ContainsFunc(enterpriseKeys, func(root string) bool { return isKeyWithin(key, root) }) {
		return enterpriseOnlyError(path, key)
	}
	for _, root := range slices.Sorted(maps.Keys(ownedKeys)) {
		if isKeyWithin(key, root) {
			return field.Forbidden(path, root+" "+ownedKeys[root])
		}
	}
	if !slices.ContainsFunc(tunableKeys, func(tunable string) bool { return isTunableKey(key, tunable) }) {
		return field.Forbidden(path, "it is set by the operator, or does not tune a node; allowed are the keys that docs/corda.md lists, such as flowTimeout.timeout")
	}
	if isNotaryKey(key) && !hasNotary(spec) {
		return field.Forbidden(path, "the network has no notary: platform.corda.notary.type is None")
	}
	return nil
}

func isScalar(value string) bool {
	if plainValuePattern.MatchString(value) {
		return true
	}
	var parsed any
	// JSON allows line breaks between tokens, but the node's configuration has one line per key.
	if json.Unmarshal([]byte(value), &parsed) != nil || strings.ContainsAny(value, "\n\r") {
		return false
	}
	switch v := parsed.(type) {
	case string:
		return true
	case []any:
		return !slices.ContainsFunc(v, isObject)
	default:
		return false
	}
}

func isObject(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return true
	default:
		return false
	}
}

// extraEntry is one line of extraConfig.
type extraEntry struct{ Key, Value string }

// extraEntriesFor returns the extraConfig entries of a node in a stable order. Notary keys go only to the
// notary.
func extraEntriesFor(tuning v1alpha1.CordaTuning, role string) []extraEntry {
	var all []extraEntry
	for _, key := range slices.Sorted(maps.Keys(tuning.ExtraConfig)) {
		if role == roleNotary || !isNotaryKey(key) {
			all = append(all, extraEntry{key, string(tuning.ExtraConfig[key])})
		}
	}
	return all
}
