package corda

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// attributeLengths maps the attributes of a Corda legal name to the maximum length that Corda accepts.
var attributeLengths = map[string]int{"CN": 64, "OU": 64, "O": 128, "L": 64, "ST": 64, "C": 2}

var countryCodePattern = regexp.MustCompile(`^[A-Z]{2}$`)

// parseLegalName splits an X.500 name into its attributes. As in Corda, values cannot contain a comma. The
// genesis program checks the rest of Corda's rules, such as the list of countries.
func parseLegalName(name string) (map[string]string, error) {
	if strings.ContainsFunc(name, unicode.IsControl) {
		return nil, fmt.Errorf("it contains a line break or another control character")
	}
	parts := map[string]string{}
	for _, part := range strings.Split(name, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		key, value = strings.ToUpper(strings.TrimSpace(key)), strings.TrimSpace(value)
		if !ok || value == "" {
			return nil, fmt.Errorf("%q is not ATTRIBUTE=value", strings.TrimSpace(part))
		}
		longest, known := attributeLengths[key]
		switch {
		case !known:
			return nil, fmt.Errorf("%s is not an attribute of a legal name; allowed are O, L, C and optionally CN, OU, ST", key)
		case parts[key] != "":
			return nil, fmt.Errorf("%s occurs twice", key)
		case len([]rune(value)) > longest:
			return nil, fmt.Errorf("%s is longer than %d characters", key, longest)
		case strings.ContainsAny(value, `"'\$=`):
			return nil, fmt.Errorf(`%s contains one of " ' \ $ =`, key)
		}
		parts[key] = value
	}
	return parts, checkRequiredAttributes(parts)
}

func checkRequiredAttributes(parts map[string]string) error {
	for _, key := range []string{"O", "L", "C"} {
		if parts[key] == "" {
			return fmt.Errorf("%s is missing", key)
		}
	}
	if len([]rune(parts["O"])) < 2 {
		return fmt.Errorf("O has fewer than 2 characters")
	}
	if !countryCodePattern.MatchString(parts["C"]) {
		return fmt.Errorf("C is not a country code of two capital letters, such as GB")
	}
	return nil
}

// validateLegalNames rejects invalid X.500 names, names that two nodes would share, and a wrong number of
// names.
func validateLegalNames(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	given := spec.Platform.Corda.LegalNames
	if len(given) > 0 && len(given) != int(spec.Members.Count) {
		errs = append(errs, field.Invalid(path, len(given), fmt.Sprintf("must have members.count (%d) names, or be empty", spec.Members.Count)))
	}
	taken := map[string]string{}
	if hasNotary(spec) {
		parts, _ := parseLegalName(notaryIdentity)
		taken[canonicalLegalName(parts)] = "the notary"
	}
	if isNotaryCluster(spec) {
		for i := range notaryReplicas(spec) {
			parts, _ := parseLegalName(notaryReplicaIdentity(i))
			taken[canonicalLegalName(parts)] = notaryReplicaName(i)
		}
	}
	for i, name := range given {
		parts, err := parseLegalName(name)
		if err != nil {
			errs = append(errs, field.Invalid(path.Index(i), name, "must be an X.500 name such as O=Bank 0,L=London,C=GB: "+err.Error()))
			continue
		}
		key := canonicalLegalName(parts)
		if other, ok := taken[key]; ok {
			errs = append(errs, field.Invalid(path.Index(i), name, "is already the name of "+other))
			continue
		}
		taken[key] = members.Name(int32(i))
	}
	return errs
}

// canonicalLegalName returns the same text for names that differ only in order and spaces.
func canonicalLegalName(parts map[string]string) string {
	var b strings.Builder
	for _, key := range []string{"CN", "OU", "O", "L", "ST", "C"} {
		fmt.Fprintf(&b, "%s=%s,", key, parts[key])
	}
	return b.String()
}
