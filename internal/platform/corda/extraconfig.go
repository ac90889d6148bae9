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

// Forms of extraConfig. They are narrower than HOCON, so that a value cannot bring keys of its own.
var (
	extraKey   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$`)
	plainValue = regexp.MustCompile(`^[A-Za-z0-9_.+-][A-Za-z0-9_.:+ -]*$`)
	fromEnv    = regexp.MustCompile(`^\$\{\??[A-Za-z_][A-Za-z0-9_.]*\}$`)
)

// validateExtra refuses a key that the node would refuse or that the spec sets elsewhere, and a value that is more than one.
func validateExtra(spec *v1alpha1.BenchmarkNetworkSpec, key, value string, path *field.Path) field.ErrorList {
	if !extraKey.MatchString(key) {
		return field.ErrorList{field.Invalid(path, key, "must be a dotted key of node.conf without quotes, such as flowTimeout.timeout")}
	}
	if err := validateExtraKey(spec, key, path); err != nil {
		return field.ErrorList{err}
	}
	errs := validateSince(spec, key, path)
	if !isScalar(value) {
		errs = append(errs, field.Invalid(path, value,
			`must be one HOCON value on one line: a number, true, a word or duration (30 seconds), a "string", `+
				`a [list] of these as JSON, or ${VARIABLE}; give an object as dotted keys`))
	}
	return errs
}

func validateExtraKey(spec *v1alpha1.BenchmarkNetworkSpec, key string, path *field.Path) *field.Error {
	if !isEnterprise(spec) && slices.ContainsFunc(enterpriseKeys, func(root string) bool { return within(key, root) }) {
		return onlyEnterprise(path, key)
	}
	for _, root := range slices.Sorted(maps.Keys(ownedKeys)) {
		if within(key, root) {
			return field.Forbidden(path, root+" "+ownedKeys[root])
		}
	}
	if isNotaryKey(key) && !hasNotary(spec) {
		return field.Forbidden(path, "the network has no notary: platform.corda.notary.type is None")
	}
	return nil
}

func isScalar(value string) bool {
	if plainValue.MatchString(value) || fromEnv.MatchString(value) {
		return true
	}
	var parsed any
	// JSON takes line breaks between its tokens; the node's configuration has a line for each key.
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

// entry is one line of extraConfig.
type entry struct{ Key, Value string }

// extraOf are the user's own keys of a node in a stable order; those of the notary go to the notary alone.
func extraOf(tuning v1alpha1.CordaTuning, role string) []entry {
	var all []entry
	for _, key := range slices.Sorted(maps.Keys(tuning.ExtraConfig)) {
		if role == roleNotary || !isNotaryKey(key) {
			all = append(all, entry{key, tuning.ExtraConfig[key]})
		}
	}
	return all
}
