package corda

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// attributeLengths maps the attributes of a Corda legal name to the maximum length that Corda accepts.
var attributeLengths = map[string]int{"CN": 64, "OU": 64, "O": 128, "L": 64, "ST": 64, "C": 2}

// illegalCharacters cannot be part of an attribute: Corda refuses them, or reads them as separators of the X.500 name.
const illegalCharacters = `"'\$=+;<>#`

// countryCodes are those of ISO 3166 that Corda accepts (java.util.Locale.getISOCountries), and ZZ for no country.
const countryCodes = `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW
BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI
FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN
IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME
MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF
PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV
SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE
YT ZA ZM ZW ZZ`

// codesByMistake maps codes that people write for a country to the code of ISO 3166.
var codesByMistake = map[string]string{"UK": "GB", "EN": "GB", "EL": "GR"}

// parseLegalName splits an X.500 name into its attributes. As in Corda, values cannot contain a comma, nor the other
// separators of an X.500 name.
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
		case strings.ContainsAny(value, illegalCharacters):
			return nil, fmt.Errorf("%s contains one of %s, which Corda refuses", key, illegalCharacters)
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
	if !slices.Contains(strings.Fields(countryCodes), parts["C"]) {
		return fmt.Errorf("C=%s is not an ISO 3166 country code of two capital letters: write C=%s", parts["C"], suggestCountryCode(parts["C"]))
	}
	return nil
}

// suggestCountryCode returns the code that was probably meant, or an example.
func suggestCountryCode(code string) string {
	code = strings.ToUpper(code)
	if meant, ok := codesByMistake[code]; ok {
		return meant
	}
	if slices.Contains(strings.Fields(countryCodes), code) {
		return code
	}
	return "GB, for example"
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
